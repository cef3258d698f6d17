"""Digest that pairs an `.xml` with its `.bin`.

The digest is in the `.xml`, and behind all weights in the `.bin`.

A process that dies between the two moves of a save leaves one new and one old file. They would load, but compute neither
model's results. No reader of OpenVINO reads an element that it does not know, or data behind the last constant; files that
OpenVINO writes have neither.
"""

from __future__ import annotations

ELEMENT, ATTRIBUTE = "weights", "digest"
"""Element of `<net>` and its attribute that hold the digest.

The digest is in hexadecimal digits in the `.xml`. (`rt_info` would not do: OpenVINO writes all of it again, beside other
weights.)
"""

_MARK = b"loomir:digest:1\n"
DIGEST_BYTES = 32
TAIL_BYTES = len(_MARK) + DIGEST_BYTES
"""How much of the end of the `.bin` it takes."""


def tail(digest: bytes) -> bytes:
    """The end of a `.bin`."""
    return _MARK + digest


def digest_in(end: bytes) -> str | None:
    """Return the digest in the last bytes of a `.bin`, or None.

    It is in the form that the `.xml` has. None if there is no digest.
    """
    return end[len(_MARK) :].hex() if len(end) == TAIL_BYTES and end.startswith(_MARK) else None
