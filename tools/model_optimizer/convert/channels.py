"""Channel dimension of an input, from its layout or its shape.

Without a layout, it is guessed from the shape.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import BlockArgument

from loomir.dialects.ov.facts import Shape
from loomir.errors import Error
from loomir.tools.model_optimizer.convert.places import Places
from loomir.tools.model_optimizer.convert.preprocessing_options import Layout, Layouts
from loomir.tools.model_optimizer.convert.shape_texts import unequal

GUESSED_CHANNELS = 3
"""Number of channels that is looked for without a layout: colours.

No other number of channels is guessed.
"""

_AXES = {3: (0, 2), 4: (1, 3), 5: (1, 4)}
"""Possible channel dimensions by rank.

They are the first one after the batch, and the last one.
"""


def layouts_by_input(places: Places, layouts: Layouts) -> dict[BlockArgument, Layout]:
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
            raise _unknown(
                name, f"the layout {layout} says of none of its {len(shape)} dimensions that it is C"
            )
        if shape[axis].static not in (None, channels):
            raise _unknown(name, f"its dimension {axis} is {shape[axis]}, and there are {channels} values")
        return axis
    if channels != GUESSED_CHANNELS:
        raise _unknown(name, f"only {GUESSED_CHANNELS} channels are looked for, not {channels}")
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
        f"which dimension of the input '{name}' are its channels? {why}",
        hint=f'say which: --layout "{name}(nchw)"',
    )
