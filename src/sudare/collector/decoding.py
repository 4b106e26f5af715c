"""From a request's JSON to ids and payloads that the collection can have produced."""

from __future__ import annotations

import binascii
import string
from collections.abc import Sequence
from typing import TypeVar

import msgspec
import numpy as np

from sudare.collection import Collection
from sudare.collection.invite import read_code
from sudare.collector.inbox import ID_BYTES
from sudare.errors import CollectionError, ReportError, SudareError, counted
from sudare.refusal import Refusal

MAX_BATCH = 10_000
MAX_BODY = 16 << 20


class SingleReport(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The body of one report."""

    fingerprint: str
    id: str
    report: str


class InvitedReport(SingleReport, frozen=True):
    """The body of one report where each needs an invite."""

    invite: str


class RoundReport(SingleReport, frozen=True):
    """The body of one report to a collection that is asked in rounds."""

    round: int


class AdmissionRequest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The body of the question what an invite fixes."""

    fingerprint: str
    invite: str


class BatchItem(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One report of a batch."""

    id: str
    report: str


class Batch(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The body of a batch; it is stored as a whole or not at all."""

    fingerprint: str
    reports: list[BatchItem]


class RoundBatch(Batch, frozen=True):
    """The body of a batch to a collection that is asked in rounds: of one of them."""

    round: int


class Decoder:
    """Strict decoding of one collection's submissions.

    Attributes:
        admission_limit: the largest body of a question about an invite, in bytes.
        single_limit: the largest body of one report, in bytes.
        batch_limit: the largest body of a batch, in bytes.
    """

    def __init__(self, collection: Collection) -> None:
        self._fingerprint = collection.fingerprint
        self._program = collection.program
        self._width = collection.program.report_bytes
        self._letters = (4 * self._width + 2) // 3
        self._padding = "=" * (-self._letters % 4)
        self._invited = collection.invited
        rounds = 0 if collection.repeats is None else collection.repeats.rounds
        self._rounds = range(1, rounds + 1)
        usual = RoundReport if rounds else SingleReport
        self._single = msgspec.json.Decoder(InvitedReport if self._invited else usual)
        self._admission = msgspec.json.Decoder(AdmissionRequest)
        self._batch = msgspec.json.Decoder(RoundBatch if rounds else Batch)
        self.admission_limit = 1024
        self.single_limit = 1024 + self._letters
        self.batch_limit = min(MAX_BODY, 1024 + MAX_BATCH * (self._letters + 96))

    def single(self, body: bytes) -> tuple[bytes, bytes, bytes | None]:
        """Return the id and the payload of one report, and the code of its invite if it needs one.

        Raises:
            Refusal: 400 for anything malformed, 409 for another fingerprint.
        """
        fields = ("fingerprint", "id", "report", *(["invite"] if self._invited else []))
        message = _decode(self._single, body, fields, 2 if self._rounds else 0)
        self._match(message.fingerprint)
        report_id = _id(message.id, "id")
        payload = self._check(self._payload(message.report, "report"), "report")
        code = _code(message.invite) if isinstance(message, InvitedReport) else None
        return report_id, payload, code

    def admission(self, body: bytes) -> bytes:
        """Return the code of the invite that is asked about.

        Raises:
            Refusal: as for :meth:`single`.
        """
        message = _decode(self._admission, body, ("fingerprint", "invite"))
        self._match(message.fingerprint)
        return _code(message.invite)

    def round(self, body: bytes) -> int | None:
        """Return the round of a body that was read; None of a collection that is asked once.

        Raises:
            Refusal: 400 where there is no such round.
        """
        if not self._rounds:
            return None
        number = _ROUND.decode(body).round
        if number not in self._rounds:
            rule = f"must be a number from 1 to {len(self._rounds)}"
            raise Refusal(400, ReportError("round", rule, "see the collection's repeats"))
        return number

    def batch(self, body: bytes) -> tuple[bytes, bytes]:
        """Return the ids and the payloads of a batch, each one after the other.

        Raises:
            Refusal: as for :meth:`single`; the place of the first bad report is named.
        """
        try:
            message = self._batch.decode(body)
            _require_quotes(body, 6 + 8 * len(message.reports) + (2 if self._rounds else 0))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise _malformed(
                '{"fingerprint", "reports": [{"id", "report"}, ...]} of texts, each field once'
            ) from None
        self._match(message.fingerprint)
        if not 1 <= len(message.reports) <= MAX_BATCH:
            raise Refusal(
                400,
                ReportError("reports", f"must be 1 to {MAX_BATCH} reports", "split the batch"),
            )
        ids = _ids([item.id for item in message.reports])
        payloads = self._payloads([item.report for item in message.reports])
        if ids is None or payloads is None:
            for place, item in enumerate(message.reports):  # one of these is refused
                _id(item.id, f"reports[{place}].id")
                self._payload(item.report, f"reports[{place}].report")
            raise _foreign("reports")
        return ids, self._checked_together(payloads)

    def _payloads(self, texts: list[str]) -> bytes | None:
        """Return what :meth:`_payload` does of each, one after the other; None where it refuses."""
        joined = "".join(texts)
        if set(map(len, texts)) != {self._letters} or not joined.isascii():
            return None
        digits = np.zeros((len(texts), -(-self._letters // 4) * 4), dtype=np.uint8)
        letters = np.frombuffer(joined.encode(), dtype=np.uint8)
        digits[:, : self._letters] = _DIGITS[letters.reshape(len(texts), -1)]
        if digits.max() > 63:
            return None
        a, b, c, d = (digits[:, i::4] for i in range(4))
        packed = np.stack((a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d), axis=2)
        rows = packed.reshape(len(texts), -1)
        return None if rows[:, self._width :].any() else rows[:, : self._width].tobytes()

    def _checked_together(self, payloads: bytes) -> bytes:
        """Check the alphabet of all at once; one by one only to name the first bad one."""
        try:
            self._program.decode(payloads)
        except SudareError:
            for place in range(len(payloads) // self._width):
                start = place * self._width
                self._check(payloads[start : start + self._width], f"reports[{place}].report")
            raise _foreign("reports") from None
        return payloads

    def _match(self, fingerprint: str) -> None:
        if fingerprint != self._fingerprint:
            raise Refusal(
                409,
                CollectionError(
                    "fingerprint",
                    "must be the one of this collection's current definition",
                    "load the collection again and answer under it",
                ),
            )

    def _payload(self, text: str, argument: str) -> bytes:
        if len(text) != self._letters or not text.isascii():
            raise Refusal(
                400,
                ReportError(
                    argument,
                    f"must be {counted(self._width, 'byte')} in base64url without padding",
                    "encode the report as the collection's program says",
                ),
            )
        letters = (text + self._padding).encode()
        try:
            payload = binascii.a2b_base64(letters.translate(_FROM_URL), strict_mode=True)
        except binascii.Error:
            payload = b""
        canonical = binascii.b2a_base64(payload, newline=False).translate(_TO_URL)
        if len(payload) != self._width or canonical != letters:
            raise Refusal(
                400,
                ReportError(
                    argument,
                    "must be canonical base64url without padding",
                    "encode the report as the collection's program says",
                ),
            )
        return payload

    def _check(self, payload: bytes, argument: str) -> bytes:
        try:
            self._program.check_wire(payload)
        except SudareError:
            raise _foreign(argument) from None
        return payload


_FROM_URL = bytes.maketrans(b"-_+/", b"+/!!")
_TO_URL = bytes.maketrans(b"+/", b"-_")


_DIGITS = np.full(256, 64, dtype=np.uint8)
"""What each letter of base64url stands for; 64 where it is none."""
_ALPHABET = (string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_").encode()
_DIGITS[np.frombuffer(_ALPHABET, dtype=np.uint8)] = np.arange(64)


T = TypeVar("T")


class _OfRound(msgspec.Struct, frozen=True):
    round: int


_ROUND = msgspec.json.Decoder(_OfRound)


def _decode(
    decoder: msgspec.json.Decoder[T], body: bytes, fields: Sequence[str], more: int = 0
) -> T:
    """Decode an object of texts, each field once; ``more`` quotes are of the name of a number."""
    try:
        message = decoder.decode(body)
        _require_quotes(body, 4 * len(fields) + more)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        names = ", ".join(f'"{field}"' for field in fields)
        raise _malformed(f"{{{names}}}, each a text, once") from None
    return message


def _code(text: str) -> bytes:
    try:
        return read_code(text)
    except SudareError as error:
        raise Refusal(400, error) from None


def _require_quotes(body: bytes, number: int) -> None:
    """Refuse repeated fields, which show as more quotes than the names and texts have.

    No valid text holds a quote itself.
    """
    if body.count(b'"') != number:
        raise msgspec.DecodeError


def _id(text: str, argument: str) -> bytes:
    """Return the 16 bytes of an id of 32 lower-case hexadecimal digits."""
    try:
        raw = bytes.fromhex(text) if len(text) == 2 * ID_BYTES else b""
    except ValueError:
        raw = b""
    if raw.hex() != text or not raw:
        raise Refusal(
            400,
            ReportError(
                argument, "must be 32 lower-case hexadecimal digits", "draw 128 random bits"
            ),
        )
    return raw


def _ids(texts: list[str]) -> bytes | None:
    """Return what :func:`_id` does of each, one after the other; None where it refuses."""
    joined = "".join(texts)
    try:
        raw = bytes.fromhex(joined)
    except ValueError:
        return None
    return raw if set(map(len, texts)) == {2 * ID_BYTES} and raw.hex() == joined else None


def _foreign(argument: str) -> Refusal:
    return Refusal(
        400,
        ReportError(
            argument,
            "must lie in the collection's alphabet",
            "randomise with the programs of the collection",
        ),
    )


def _malformed(shape: str) -> Refusal:
    return Refusal(400, ReportError("body", f"must be JSON of the form {shape}", "see the API"))
