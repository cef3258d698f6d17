"""What says that an `.xml` and a `.bin` belong to each other: a digest in the one, and behind all weights of the other.

A process that dies between the two moves of a save leaves one of them new and one of them old, which would load and give the numbers of
neither. No reader of OpenVINO looks at an element that it does not know, or behind the last constant; what OpenVINO writes has neither.
"""

from __future__ import annotations

ELEMENT, ATTRIBUTE = "weights", "digest"
"""Where the `.xml` has it, as hexadecimal digits: an element of `<net>`. (OpenVINO writes all of `rt_info` again, beside other weights.)"""

_MARK = b"loomir:digest:1\n"
DIGEST_BYTES = 32
TAIL_BYTES = len(_MARK) + DIGEST_BYTES
"""How much of the end of the `.bin` it takes."""


def tail(digest: bytes) -> bytes:
    """The end of a `.bin`."""
    return _MARK + digest


def digest_in(end: bytes) -> str | None:
    """The digest in the last bytes of a `.bin`, as the `.xml` has it; None where there is none."""
    return end[len(_MARK) :].hex() if len(end) == TAIL_BYTES and end.startswith(_MARK) else None
