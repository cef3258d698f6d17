"""What layers and tensors are called in a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from loomir.errors import Error, shown

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML has no way to say; an ONNX model may have it in a name."""


def sayable(text: str) -> str:
    """A text that has to be read as it is: a name by which users or a runtime ask, an attribute. Error: `not-in-openvino`."""
    found = _FORBIDDEN.search(text)
    if found is not None:
        raise Error(
            "not-in-openvino",
            f"{shown(text)} has a character that XML has no way to say, U+{ord(found[0]):04X}",
            hint="give it another name in the model: what is saved has to be called the same",
        )
    return text


def label(name: str) -> str:
    """A name inside of the net, with U+FFFD for each character that XML cannot say."""
    return _FORBIDDEN.sub("\ufffd", name)


def joined(names: Iterable[str]) -> str:
    r"""Tensor names in one attribute, comma-joined with `\,` for a comma in a name."""
    return ",".join(label(name).replace(",", "\\,") for name in names)


class Names:
    """The layers' names of one network: no two are equal."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next = Counter[str]()

    def unique(self, wanted: str) -> str:
        """The name, or where another layer has it, with the first number behind it that makes it unlike all others."""
        stem = name = label(wanted)
        while name in self._taken:
            self._next[stem] += 1
            name = f"{stem}_{self._next[stem]}"
        self._taken.add(name)
        return name

    def keep(self, name: str) -> bool:
        """Keep a name for a layer that is still to come, and say whether it is free."""
        if label(name) in self._taken:
            return False
        self._taken.add(label(name))
        return True

    def give_back(self, name: str) -> None:
        """The layer for which the name was kept comes now."""
        self._taken.discard(label(name))
