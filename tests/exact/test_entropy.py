import copy
import hashlib
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sudare as sd
from sudare.exact.entropy import BLOCK_BYTES, Entropy, Substreams, default_entropy
from tests.cases import cases


def test_a_seed_repeats_the_stream_and_another_does_not() -> None:
    first, again, other = (Entropy.seeded(s).take(1000) for s in (b"a", b"a", b"b"))
    assert first == again != other


def test_the_stream_does_not_depend_on_how_it_is_cut() -> None:
    whole = Entropy.seeded(b"cut").take(10_000)
    parts = Entropy.seeded(b"cut")
    assert b"".join(parts.take(n) for n in (1, 7, 992, 9000)) == whole


def test_bytes_and_words_stand_where_they_stood() -> None:
    """Recorded ledgers, studies and tests repeat by it: words begin at a multiple of their size."""
    rng, seen = Entropy.seeded(b"layout"), hashlib.sha256()
    for n in (33, 1, 300, 17, 4096, 4113, 5000, 20) * 50:
        seen.update(rng.take(n))
        seen.update(rng.block(5, "u8").tobytes())
    assert seen.hexdigest()[:16] == "798ec2c66b08d589"


def test_large_takes_cross_blocks_without_repeating() -> None:
    data = Entropy.seeded(b"long").take(3 * BLOCK_BYTES + 5)
    assert len(data) == 3 * BLOCK_BYTES + 5
    blocks = {data[i : i + 16] for i in range(0, len(data) - 16, 16)}
    assert len(blocks) == (len(data) - 16 + 15) // 16


def test_system_streams_differ() -> None:
    assert Entropy.system().take(16) != Entropy.system().take(16)


def test_the_key_comes_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def urandom(n: int) -> bytes:
        asked.append(n)
        return bytes(n)

    monkeypatch.setattr("sudare.exact.entropy.os", os)  # not the tests' stand-in
    monkeypatch.setattr(os, "urandom", urandom)
    Entropy.system()
    assert asked == [16]


@cases("kind", ["default", "seeded"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_forked_children_never_share_noise(kind: str) -> None:
    stream = default_entropy() if kind == "default" else Entropy.seeded(b"fork")
    stream.take(8)  # the buffer is warm: a child inherits it
    pipes = []
    for _ in range(2):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.write(write, stream.take(32))
            os._exit(0)
        os.waitpid(pid, 0)
        pipes.append(os.read(read, 64))
        os.close(read)
        os.close(write)
    parent = stream.take(32)
    assert len({*pipes, parent}) == 3


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_forked_children_never_share_reports() -> None:
    m = sd.GRR(1000, 1.0)
    values = np.zeros(500, dtype=np.int64)
    m.perturb(values)
    seen = []
    for _ in range(2):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.write(write, m.perturb(values).tobytes())
            os._exit(0)
        os.waitpid(pid, 0)
        seen.append(os.read(read, 4096))
        os.close(read)
        os.close(write)
    assert seen[0] != seen[1]


def test_bytes_are_uniform() -> None:
    data = np.frombuffer(Entropy.system().take(1 << 20), dtype=np.uint8)
    assert sd.testing.chi_square_pvalue(np.bincount(data, minlength=256), np.full(256, 1 / 256)) > (
        1e-9
    )


@cases("seed", ["text", 3.0, True, np.bool_(True), None])
def test_a_seed_must_be_bytes_or_a_number(seed: object) -> None:
    with pytest.raises(sd.WrongTypeError, match="seed must be bytes or a whole number"):
        Entropy.seeded(seed)


@cases("seed", [-1, 1 << 128])
def test_a_seed_that_is_a_number_has_a_range(seed: int) -> None:
    with pytest.raises(sd.DomainError, match="seed must lie in"):
        Entropy.seeded(seed)


@cases("seed", [0, 7, np.int64(7), np.uint8(7), (1 << 128) - 1])
def test_a_number_seeds_as_its_decimal_text(seed: int) -> None:
    assert Entropy.seeded(seed).take(32) == Entropy.seeded(str(int(seed)).encode()).take(32)


def test_what_other_libraries_take_seeds_a_simulation() -> None:
    m, values = sd.GRR(3, 1.0), np.arange(3_000) % 3
    for seed in (7, np.int64(7)):
        wanted = m.perturb(values, rng=Entropy.seeded(7))
        assert (m.perturb(values, rng=seed) == wanted).all()
        again = m.simulate([9, 9, 9], rng=Entropy.seeded(7))
        assert m.simulate([9, 9, 9], rng=seed).support.tolist() == again.support.tolist()
    for of in (np.random.default_rng, np.random.RandomState):
        first = m.perturb(values, rng=of(1))
        assert (first == m.perturb(values, rng=Entropy.seeded(of(1).bytes(32)))).all()
        generator = of(1)  # each call draws on
        assert (m.perturb(values, rng=generator) == first).all()
        assert (m.perturb(values, rng=generator) != first).any()
    for wrong in (True, b"seed", 1.5, "7", object()):
        with pytest.raises(sd.WrongTypeError, match="rng must be an Entropy, a whole number"):
            m.perturb(values, rng=wrong)
    with pytest.raises(sd.DomainError, match="seed must lie in"):
        m.perturb(values, rng=-1)


def test_no_number_seeds_what_protects_people() -> None:
    """A device's report and a holder's answer take an Entropy that is named, or none."""
    for seed in (7, np.random.default_rng(7)):
        with pytest.raises(sd.WrongTypeError, match="leave it out to protect people"):
            sd.release.Dataset({"x": [1, 2]}, rng=seed)
        with pytest.raises(sd.WrongTypeError, match="leave it out to protect people"):
            sd.GRR(3, 1.0).perturb_one(0, entropy=seed)


@cases("act", [copy.copy, copy.deepcopy, pickle.dumps])
def test_streams_are_not_copied(act: object) -> None:
    with pytest.raises(sd.WrongTypeError, match="must not be copied"):
        act(Entropy.seeded(b"x"))


def test_streams_do_not_run_backwards_or_over() -> None:
    stream = Entropy.seeded(b"x")
    with pytest.raises(sd.DomainError):
        stream.take(-16)
    with pytest.raises(sd.DomainError):
        stream.block(BLOCK_BYTES + 1, np.uint8)


def test_a_stream_belongs_to_one_thread() -> None:
    stream = Entropy.system()
    stream.take(1)
    with ThreadPoolExecutor(1) as pool, pytest.raises(sd.DomainError, match="one thread alone"):
        pool.submit(stream.take, 1).result()
    fresh = Entropy.seeded(b"handed over before its first use")
    with ThreadPoolExecutor(1) as pool:
        assert len(pool.submit(fresh.take, 3).result()) == 3


def test_repr_never_shows_the_seed() -> None:
    assert "secret" not in repr(Entropy.seeded(b"secret"))


def taken(streams: Substreams, number: int, n: int = 1000) -> bytes:
    with streams.stream(number) as stream:
        return stream.take(n)


def test_substreams_never_meet() -> None:
    streams = Entropy.seeded(b"s").substreams()
    pieces = [taken(streams, i, 1 << 16) for i in (0, 1, 2, 1 << 32, (1 << 64) - 1)]
    blocks = {piece[i : i + 16] for piece in pieces for i in range(0, len(piece), 16)}
    assert len(blocks) == 5 << 12


def test_a_substream_depends_on_its_number_and_the_seed_alone() -> None:
    rng = Entropy.seeded(b"s")
    first, again = rng.substreams(), Entropy.seeded(b"s").substreams()
    with ThreadPoolExecutor(1) as pool:
        elsewhere = pool.submit(taken, again, 3).result()
    assert taken(first, 0) != taken(first, 3) == elsewhere
    assert taken(first, 3) == elsewhere
    assert taken(rng.substreams(), 3) != elsewhere  # another key each time


def test_a_substream_within_another_leaves_it_alone() -> None:
    streams = Entropy.seeded(b"s").substreams()
    with streams.stream(0) as outer:
        pieces = [outer.take(8)]
        with streams.stream(1) as inner:
            inner.take(8)
        pieces.append(outer.take(8))
    assert b"".join(pieces) == taken(streams, 0, 16)
