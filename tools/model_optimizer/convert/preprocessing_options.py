"""Preprocessing options of inputs, and an input's channel dimension.

These are `--mean-values`, `--scale-values`, `--scale`, `--layout`, `--reverse-input-channels`, with the meaning that
the Model Optimizer gives them.

The layout of an input says which dimension its channels are. Without a layout, it is guessed from the shape.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from xdsl.ir import BlockArgument

from loomir.dialects.ov.facts import Shape
from loomir.errors import Error, shown
from loomir.tools.model_optimizer.convert.named_values import NamedValues
from loomir.tools.model_optimizer.convert.specifications import (
    bad,
    floats,
    split_outside_brackets,
    unbracketed,
    unequal,
)

MEAN_EXAMPLE = '"data[123.68,116.78,103.94],info[127.5]"'
LAYOUT_EXAMPLE = '"data(nchw),info(nc)"'

Values = tuple[float, ...]
"""For each channel, or one for all."""

ByInput = Mapping[str, Values] | tuple[Values, ...]
"""By the names of inputs, or for each input in their order."""

Layouts = Mapping[str, "Layout"] | tuple["Layout", ...]

_NAMED = re.compile(r"([^\[\](){}]*)([\[(].*[\])])", re.DOTALL)
_LETTERS = re.compile(r"[A-Za-z?]*(\.\.\.)?[A-Za-z?]*", re.ASCII)


@dataclass(frozen=True)
class Layout:
    """Meaning of each dimension: a letter, or `?`.

    `before` and `after` are the parts around the `...`, if there is one (otherwise `after` is None).
    """

    before: str
    after: str | None = None
    target: Layout | None = None
    """Desired layout of the input: the same dimensions in another order."""

    def axis(self, letter: str, rank: int) -> int | None:
        """Return the dimension with a meaning, out of `rank` dimensions.

        The result is None if there is none, or if the layout has another rank.
        """
        known = len(self.before) + len(self.after or "")
        if known > rank or (self.after is None and known != rank):
            return None
        if letter in self.before:
            return self.before.index(letter)
        if self.after is not None and letter in self.after:
            return rank - len(self.after) + self.after.index(letter)
        return None

    def order(self, rank: int) -> tuple[int, ...] | None:
        """Return the target's dimensions as dimensions of this layout.

        There are `rank` of them. The result is None if there is no target, or if the layout has another rank.
        """
        names = self._names(rank)
        wanted = None if self.target is None else self.target._names(rank)
        return None if names is None or wanted is None else tuple(names.index(name) for name in wanted)

    def _names(self, rank: int) -> list[str] | None:
        """Return a name for each of `rank` dimensions.

        Dimensions without a letter are numbered.
        """
        open_ = rank - len(self.before) - len(self.after or "")
        if open_ < 0 or (self.after is None and open_):
            return None
        letters = [*self.before, *["..."] * open_, *(self.after or "")]
        return [c if c.isalpha() else f"{c}{letters[:k].count(c)}" for k, c in enumerate(letters)]

    def __str__(self) -> str:
        return self.before if self.after is None else f"{self.before}...{self.after}"


@dataclass(frozen=True)
class PreprocessingOptions:
    """Options for the preprocessing of each input.

    Its channels are reversed, the mean is subtracted, then it is divided by the scale.

    `scale` applies to every input, and overrides `scales`.
    """

    means: ByInput = ()
    scales: ByInput = ()
    scale: float | None = None
    layouts: Layouts = ()
    reverse_channels: bool = False


def parse_values(option: str, text: str) -> ByInput:
    """Parse `--mean-values` or `--scale-values`.

    The text is `name[1,2,3],other(4)`, or `[1,2,3],[4]` for the inputs in their order.

    Errors: `bad-option`.
    """
    named, unnamed = dict[str, Values](), list[Values]()
    for part in split_outside_brackets(option, text, MEAN_EXAMPLE):
        match = _NAMED.fullmatch(part)
        inner = None if match is None else unbracketed(match[2])
        if match is None or inner is None:
            raise bad(option, text, f"{shown(part)} has no list of numbers in brackets", MEAN_EXAMPLE)
        values, name = floats(option, text, inner, MEAN_EXAMPLE), match[1].strip()
        if option == "scale-values" and 0.0 in values:
            raise bad(option, text, "nothing can be divided by 0", MEAN_EXAMPLE)
        if name in named:
            raise bad(option, text, f"'{name}' occurs twice", MEAN_EXAMPLE)
        if name:
            named[name] = values
        else:
            unnamed.append(values)
    if named and unnamed:
        raise bad(option, text, "some lists have names and some have none", MEAN_EXAMPLE)
    return named or tuple(unnamed)


def parse_scale(text: str) -> float:
    """Parse `--scale`, a number other than 0.

    Error: `bad-option`.
    """
    values = floats("scale", text, text, "255")
    if len(values) != 1 or not values[0] or not math.isfinite(1 / values[0]):
        raise bad("scale", text, "it must be one number other than 0", "255")
    return values[0]


def parse_layouts(text: str) -> Layouts:
    """Parse `--layout`, the layouts of the model's inputs.

    The text is `nchw` for the only input, `a(nchw),b[n,c]` by name, `[n,c],[n,?]` in order.

    In `nhwc->nchw` the second layout is the target of the input. Error: `bad-option`.
    """
    named, unnamed = dict[str, Layout](), list[Layout]()
    for part in split_outside_brackets("layout", text, LAYOUT_EXAMPLE):
        name, inner = _named_layout(part)
        source, *targets = (_layout(text, side.strip()) for side in inner.split("->"))
        if len(targets) > 1 or any(sorted(_letters(t)) != sorted(_letters(source)) for t in targets):
            why = f"{shown(inner)} has other dimensions behind the arrow"
            raise bad("layout", text, why, '"data(nhwc->nchw)"')
        layout = replace(source, target=targets[0]) if targets else source
        if name in named:
            raise bad("layout", text, f"'{name}' occurs twice", LAYOUT_EXAMPLE)
        if name:
            named[name] = layout
        else:
            unnamed.append(layout)
    if named and unnamed:
        raise bad("layout", text, "some layouts have names and some have none", LAYOUT_EXAMPLE)
    return named or tuple(unnamed)


def _named_layout(part: str) -> tuple[str, str]:
    """Split a part of the list into a name and a layout.

    The name is empty if there is none.
    """
    opening = min((i for i in (part.find("("), part.find("[")) if i >= 0), default=-1)
    if opening < 0 or "->" in part[:opening]:
        return "", part
    name, rest = part[:opening].strip(), part[opening:]
    if rest.startswith("(") and rest.endswith(")"):
        rest = rest[1:-1]
    return name, rest


def _letters(layout: Layout) -> str:
    """All that it has, `...` as one."""
    return layout.before + ("" if layout.after is None else f".{layout.after}")


def _layout(text: str, given: str) -> Layout:
    inner = unbracketed(given)
    # In brackets commas may separate the letters: [n,c,...].
    letters = (given if inner is None else inner).replace(",", "").replace(" ", "").upper()
    if not letters or not _LETTERS.fullmatch(letters):
        raise bad(
            "layout", text, f"{shown(given)} is not a layout of single letters, '?' and '...'", LAYOUT_EXAMPLE
        )
    before, dots, after = letters.partition("...")
    meant = [c for c in before + after if c != "?"]
    if len(set(meant)) < len(meant):
        raise bad("layout", text, f"{shown(given)} has a letter twice", LAYOUT_EXAMPLE)
    return Layout(before, after if dots else None)


GUESSED_CHANNELS = 3
"""Number of channels that is looked for without a layout: colours.

No other number of channels is guessed.
"""

_AXES = {3: (0, 2), 4: (1, 3), 5: (1, 4)}
"""Possible channel dimensions by rank.

They are the first one after the batch, and the last one.
"""


def layouts_by_input(places: NamedValues, layouts: Layouts) -> dict[BlockArgument, Layout]:
    """Return the layout of each input that has one.

    Errors: `unknown-input`, `bad-option` (the numbers of layouts and inputs differ).
    """
    if isinstance(layouts, Mapping):
        return {places.input(name): layout for name, layout in layouts.items()}
    arguments = list(places.fed)
    if layouts and len(layouts) != len(arguments):
        raise Error(
            "bad-option",
            f"--layout: the numbers of inputs and layouts are {unequal(arguments, layouts)}",
            hint='name the inputs: --layout "data(nchw)"',
        )
    return dict(zip(arguments, layouts))


def channel_axis(name: str, shape: Shape | None, layout: Layout | None, channels: int) -> int:
    """Return the dimension of an input that has `channels` channels.

    Error: `unknown-channels`, with the reason.
    """
    if shape is None:
        raise _unknown(name, "its rank is not known")
    if layout is not None:
        axis = layout.axis("C", len(shape))
        if axis is None:
            raise _unknown(name, f"the layout {layout} marks none of its {len(shape)} dimensions as C")
        if shape[axis].static not in (None, channels):
            raise _unknown(name, f"its dimension {axis} is {shape[axis]}, and there are {channels} values")
        return axis
    if channels != GUESSED_CHANNELS:
        raise _unknown(name, f"only {GUESSED_CHANNELS} channels are guessed, not {channels}")
    found = [axis for axis, extent in enumerate(shape) if extent.static == channels]
    text = f"[{', '.join('?' if e.static is None else str(e) for e in shape)}]"
    if len(found) != 1:
        raise _unknown(name, f"{len(found)} dimensions of {text} are {channels}")
    if found[0] not in _AXES.get(len(shape), ()):
        raise _unknown(name, f"dimension {found[0]} of {text} is neither the usual place nor the last")
    return found[0]


def _unknown(name: str, why: str) -> Error:
    return Error(
        "unknown-channels",
        f"the dimension of the channels of the input '{name}' is unknown: {why}",
        hint=f'name it: --layout "{name}(nchw)"',
    )
