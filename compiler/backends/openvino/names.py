"""Names of layers and tensors in a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from loomir.errors import Error, shown

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot represent.

A name in an ONNX model may contain them.
"""


def sayable(text: str) -> str:
    """Return a text that must be read back unchanged.

    This is a name that users or a runtime look up, or an attribute. Error: `not-in-openvino`.
    """
    found = _FORBIDDEN.search(text)
    if found is not None:
        raise Error(
            "not-in-openvino",
            f"{shown(text)} has a character that XML has no way to say, U+{ord(found[0]):04X}",
            hint="give it another name in the model: what is saved has to be called the same",
        )
    return text


def label(name: str) -> str:
    """Return a net-internal name with U+FFFD for characters that XML forbids."""
    return _FORBIDDEN.sub("\ufffd", name)


def joined(names: Iterable[str]) -> str:
    r"""Join tensor names with commas for one attribute.

    A comma in a name is escaped as `\,`.
    """
    return ",".join(label(name).replace(",", "\\,") for name in names)


class Names:
    """The layers' names of one network: no two are equal."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next = Counter[str]()

    def unique(self, wanted: str) -> str:
        """Return a unique layer name.

        If another layer has the name, the first number that makes it unique is appended.
        """
        stem = name = label(wanted)
        while name in self._taken:
            self._next[stem] += 1
            name = f"{stem}_{self._next[stem]}"
        self._taken.add(name)
        return name

    def keep(self, name: str) -> bool:
        """Reserve a name for a later layer if it is free.

        Returns True if it was free.
        """
        if label(name) in self._taken:
            return False
        self._taken.add(label(name))
        return True

    def give_back(self, name: str) -> None:
        """The layer for which the name was kept comes now."""
        self._taken.discard(label(name))
