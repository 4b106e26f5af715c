"""What leaves a device."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Submission:
    """What leaves the device: randomised reports under a random id, nothing else.

    Attributes:
        name: the collection's name in addresses.
        fingerprint: of the collection that it answers.
        id: 128 random bits as hexadecimal text; only there to recognise duplicates.
        payload: the questions' encoded reports, concatenated.
        invite: the code that admits it, where the collection asks those invited; it is spent by
            the report and not stored with it.
        round: its number, where the collection is asked in rounds.
    """

    name: str
    fingerprint: str
    id: str
    payload: bytes
    invite: str | None = None
    round: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the body of the POST."""
        text = base64.urlsafe_b64encode(self.payload).rstrip(b"=").decode()
        body = {"fingerprint": self.fingerprint, "id": self.id, "report": text}
        more = {"invite": self.invite, "round": self.round}
        return body | {name: one for name, one in more.items() if one is not None}
