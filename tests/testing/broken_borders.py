"""Wrong at the borders: bad values, the wire, seeds, ``perturb_one``, and as a value."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np
from broken import found_by, reports_of

import sudare as sd
from sudare.estimation import Counts
from sudare.samplers import Bits, Keep


@found_by("keeps_its_wire", first="tallies_each_report")
class Padding(sd.OUE):
    """Writes a bit of the value into the padding."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        if self.k % 8:
            reports[:, -1] |= (np.asarray(values) % 2 << 7).astype(np.uint8)
        return reports


@found_by("keeps_its_wire", first="tallies_each_report")
class Loses(sd.GRR):
    """Loses the last respondent of a large batch."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        return super().perturb(values, rng=rng)[:299]


@found_by("repeats_from_a_seed")
class DeafToSeeds(sd.GRR):
    """Draws afresh whatever rng it is given."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        return super().perturb(values)


@found_by("refuses_bad_values")
class Trusting(sd.GRR):
    """Lets everything in."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        try:
            return super().perturb(values, rng=rng)
        except sd.SudareError:
            return np.zeros(1, dtype=np.uint8)


@found_by("refuses_bad_values")
class Talks(sd.GRR):
    """Shows a respondent's value in an error."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        try:
            return super().perturb(values, rng=rng)
        except sd.SudareError:
            raise sd.DomainError("values", "must be in the domain", got=values) from None


@found_by("refuses_bad_values")
class BareError(sd.GRR):
    """Refuses by an error without a type of ours."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        try:
            return super().perturb(values, rng=rng)
        except sd.SudareError:
            raise RuntimeError from None


@found_by("perturbs_one_by_its_program")
class OneIdentity(sd.GRR):
    """``perturb_one`` sends the value itself."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        super().perturb_one(value, entropy=entropy)
        return value


@found_by("perturbs_one_at_a_time", k=300)
class OneWithoutEntropy(sd.OUE):
    """``perturb_one`` sends the value itself where no source is given."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        report = super().perturb_one(value, entropy=entropy)
        return report if entropy is not None else bytes(reports_of(self, [value])[0])


@found_by("perturbs_one_at_a_time")
class OneSameNoise(sd.GRR):
    """``perturb_one`` starts from one seed where no source is given."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        return super().perturb_one(value, entropy=entropy or sd.Entropy.seeded(b"always"))


@found_by("perturbs_one_by_its_program")
class OneAsks(sd.GRR):
    """``perturb_one`` takes more entropy than the browser does."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        report = super().perturb_one(value, entropy=entropy)
        if entropy is not None:
            entropy.take(1)
        return report


@found_by("is_a_frozen_value")
class Fluid(sd.GRR):
    """Can be changed."""

    def __setattr__(self, attribute: str, value: object) -> None:
        object.__setattr__(self, attribute, value)


@found_by("is_a_frozen_value")
class Nameless(sd.GRR):
    """Does not show what it is."""

    def __repr__(self) -> str:
        return "a mechanism"


@found_by("is_a_frozen_value")
class Mute(sd.GRR):
    """Cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError


@found_by("survives_json")
class Rounds(sd.GRR):
    """Rounds the ε asked for in JSON."""

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"epsilon": str(self.requested_epsilon + Fraction(1, 10**7))}


@found_by("merges")
class Anonymous(sd.GRR):
    """Does not say which mechanism its counts come from."""

    def aggregate(self, reports: Any) -> Counts:
        counts = super().aggregate(reports)
        return Counts(counts.support, counts.n)


@found_by("is_a_frozen_value")
class Copied(sd.GRR):
    """Is another one when it is copied."""

    def __reduce__(self) -> Any:
        return type(self), (self.k, self.requested_epsilon + Fraction(1, 100))


@found_by("survives_json")
class Renamed(sd.GRR):
    """Takes another one's name in JSON."""

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "name": "GRR"}


@found_by("builds_what_is_asked")
class OneSize(sd.GRR):
    """Shows the same text whatever k is."""

    def __repr__(self) -> str:
        return f"OneSize(epsilon={float(self.requested_epsilon)})"


@found_by("builds_what_is_asked")
class AllAlike(sd.GRR):
    """Equals everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = sd.GRR.__hash__


@found_by("refuses_bad_values")
class TrustsAmongOthers(sd.GRR):
    """Lets a bad value in that stands behind a good one."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        try:
            return super().perturb(values, rng=rng)
        except sd.SudareError:
            if not isinstance(values, list) or len(values) < 2:
                raise
            return super().perturb(values[:1], rng=rng)


@found_by("refuses_bad_values")
class TrustsOne(sd.GRR):
    """Lets any single value in."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        try:
            return super().perturb_one(value, entropy=entropy)
        except sd.SudareError:
            return 0


@found_by("refuses_bad_values")
class TrustsNobody(sd.GRR):
    """Randomises the values of no respondents."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        if isinstance(values, list) and not values:
            return np.zeros(0, dtype=np.uint8)
        return super().perturb(values, rng=rng)


@found_by("refuses_foreign_reports")
class EstimatesAnything(sd.GRR):
    """Estimates from what are not its counts."""

    def estimate(self, counts: Any, method: str = "unbiased", target: Any = "population") -> Any:
        try:
            return super().estimate(counts, method, target)
        except sd.SudareError:
            return None


@found_by("refuses_foreign_reports")
class SimulatesAnything(sd.GRR):
    """Simulates what are not counts."""

    def simulate(self, true_counts: Any, *, rng: Any = None) -> Any:
        try:
            return super().simulate(true_counts, rng=rng)
        except sd.SudareError:
            return None


@found_by("merges")
class MinorityOfNone(sd.GRR):
    """Fails on no reports at all."""

    def aggregate(self, reports: Any) -> Counts:
        if isinstance(reports, np.ndarray) and len(reports) == 0:
            raise sd.ReportError("reports", "must not be empty")
        return super().aggregate(reports)


@found_by("repeats_from_a_seed")
class SimulatesAfresh(sd.GRR):
    """Simulates from fresh entropy whatever rng it is given."""

    def simulate(self, true_counts: Any, *, rng: Any = None) -> Any:
        return super().simulate(true_counts)


@found_by("repeats_from_a_seed")
class SimulatesMore(sd.OUE):
    """Simulates one report more than there are respondents."""

    def simulate(self, true_counts: Any, *, rng: Any = None) -> Any:
        counts = super().simulate(true_counts, rng=rng)
        return self._counts(counts.support, counts.n + 1)


@found_by("perturbs_one_by_its_program")
class OneHurries(sd.GRR):
    """``perturb_one`` takes less entropy than the browser does."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        return super().perturb_one(value)


@found_by("perturbs_one_by_its_program", k=43)
class OneValueInClear(sd.GRR):
    """``perturb_one`` sends one of the values as it is."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        report = super().perturb_one(value, entropy=entropy)
        return value if value == 17 else report


@found_by("perturbs_one_by_its_program", k=43)
class OneBitInClear(sd.OUE):
    """``perturb_one`` sets the true bit of one of the values."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        report = int.from_bytes(super().perturb_one(value, entropy=entropy), "little")
        return (report | (value == 17) << 17).to_bytes(self.report_bytes, "little")


@found_by("perturbs_one_at_a_time", k=43)
class OneBitWithoutEntropy(sd.OUE):
    """The same where no source is given."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        report = int.from_bytes(super().perturb_one(value, entropy=entropy), "little")
        leak = entropy is None and value == 17
        return (report | leak << 17).to_bytes(self.report_bytes, "little")


def other_program(kind: type[Any], base: type[sd.GRR] | type[sd.OUE]) -> Any:
    """``_compile`` of a mechanism whose program is a subclass of the right one."""

    def _compile(cls: Any, k: int, epsilon: Fraction) -> Any:
        right = base._compile(k, epsilon)
        return kind(**{field.name: getattr(right, field.name) for field in fields(right)})

    return classmethod(_compile)


@dataclass(frozen=True, slots=True)
class KeepOne(Keep):
    """Draws one of the values in clear on a device."""

    def draw_one(self, value: int, entropy: Any) -> int:
        report = Keep.draw_one(self, value, entropy)
        return value if value == 17 else report


@found_by("is_what_devices_run", k=43)
class OwnProgram(sd.GRR):
    """Has a program that its JSON does not describe."""

    _compile = other_program(KeepOne, sd.GRR)


@dataclass(frozen=True, slots=True)
class BitsPadded(Bits):
    """Draws, encodes and decodes padding bits that carry the value."""

    def draw(self, values: Any, rng: Any) -> Any:
        reports = Bits.draw(self, values, rng)
        if self.k % 8:
            reports[:, -1] |= (values << self.k % 8).astype(np.uint8)
        return reports

    def encode_one(self, report: Any) -> bytes:
        return bytes(report)

    def decode(self, wire: bytes) -> Any:
        return np.frombuffer(wire, dtype=np.uint8).reshape(-1, self.report_bytes)


class Unpadded(sd.OUE):
    """Tallies reports without their padding."""

    name = "Unpadded"

    def aggregate(self, reports: Any) -> Counts:
        if isinstance(reports, np.ndarray) and reports.dtype == np.uint8 and self.k % 8:
            reports = reports.copy()
            reports[..., -1] &= (1 << self.k % 8) - 1
        return super().aggregate(reports)


@found_by("is_what_devices_run", k=43, first="tallies_each_report")
class OwnProgramOfBits(Unpadded):
    """Has a program that writes the value into the padding, and does not tally it."""

    _compile = other_program(BitsPadded, sd.OUE)


@found_by("perturbs_mixed_batches", k=43)
class PaddingOfLargeBatches(Unpadded):
    """Writes the value into the padding of large batches, where k > 4, and does not tally it."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        if self.k > 4 and self.k % 8 and len(reports) > 1000:
            reports[:, -1] |= (np.asarray(values) << self.k % 8).astype(np.uint8)
        return reports
