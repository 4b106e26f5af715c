"""A batch is decoded as its reports would be one by one, refusals included."""

from __future__ import annotations

import base64
import random
import string
from types import SimpleNamespace

from sudare.collector.decoding import Decoder, _id, _ids
from sudare.refusal import Refusal
from tests.cases import cases

LETTERS = string.ascii_letters + string.digits + "-_+/= é\x00\n"


def decoder(width: int) -> Decoder:
    collection = SimpleNamespace(
        fingerprint="", program=SimpleNamespace(report_bytes=width), invited=False, repeats=None
    )
    return Decoder(collection)


def one_by_one(decode, texts):
    try:
        return b"".join(decode(text, "x") for text in texts)
    except Refusal:
        return None


@cases("width", range(1, 9))
def test_reports_together_are_reports_one_by_one(width):
    draw, own, taken = random.Random(width), decoder(width), 0
    raw = [draw.randbytes(width) for _ in range(50)]
    texts = [base64.urlsafe_b64encode(one).decode().rstrip("=") for one in raw]
    assert own._payloads(texts) == b"".join(raw)
    for _ in range(1500):
        changed = list(texts[0])
        changed[draw.randrange(len(changed))] = draw.choice(LETTERS)
        some = [texts[1], "".join(changed)[: draw.choice((None, None, -1))]]
        found = own._payloads(some)
        assert found == one_by_one(own._payload, some)
        taken += found is not None
    assert 0 < taken < 1500


def test_ids_together_are_ids_one_by_one():
    draw, taken = random.Random(7), 0
    good = [draw.randbytes(16).hex() for _ in range(50)]
    assert _ids(good) == bytes.fromhex("".join(good))
    for _ in range(1500):
        changed = list(good[0])
        changed[draw.randrange(32)] = draw.choice("0123456789abcdefABCDEF \n\u0661")
        some = ["".join(changed)[: draw.choice((None, None, -1))], good[1]]
        found = _ids(some)
        assert found == one_by_one(_id, some)
        taken += found is not None
    assert 0 < taken < 1500
    assert _ids([good[0][:-1], good[1] + "0"]) is None  # of one length together
