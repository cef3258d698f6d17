"""Drawing of an arena: time across, addresses up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from lxml import etree
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from loomir.compiler.drawings.svg import (
    E,
    LayerMark,
    Svg,
    drawing,
    label,
    marked,
    rectangle,
    shortened,
    size_text,
)
from loomir.dialects.diagnostics import layer_name
from loomir.dialects.interface import arguments_of, main_function
from loomir.dialects.scalars.row import constant_integer
from loomir.dialects.upstream.cloning import cloned
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.liveness import analyse_lifetimes, bits_of
from loomir.passes.loops.plan_memory import byte_size


@dataclass(frozen=True)
class BufferUse:
    """A buffer of the arena, and when its contents are needed."""

    layer: str | None
    type: str
    offset: int
    bytes: int
    live: tuple[tuple[int, int], ...]
    """Intervals of steps, each with its last one."""


@dataclass(frozen=True)
class ArenaUse:
    """Use of the arena over time.

    A step is an operation that writes memory, in the order of the program.
    """

    bytes: int
    buffers: tuple[BufferUse, ...]
    layers: tuple[str | None, ...]
    """Of each step."""
    peak: int
    """The step that needs most."""
    peak_bytes: int
    """Bytes in use there, which is a lower bound of the arena."""


def arena_use(module: ModuleOp) -> ArenaUse:
    """Return when the buffers of a LOOPS module are in use.

    Without an arena there are no buffers.
    """
    function = cloned(main_function(module))
    arena = next((k for k, a in enumerate(arguments_of(function)) if a.role == "arena"), None)
    if arena is None:
        return ArenaUse(0, (), (), 0, 0)
    memory = function.body.block.args[arena]
    offsets: dict[SSAValue, int] = {}
    # `plan-memory` backwards: as allocations the buffers are told apart by the analysis that placed them.
    for use in list(memory.uses):
        view = use.operation
        assert isinstance(view, memref.ViewOp), view.name
        offset = constant_integer(view.byte_shift)
        assert offset is not None
        alloc = memref.AllocOp([], [], view.result.type)
        alloc.location = view.location
        offsets[alloc.memref] = offset
        Rewriter.replace_op(view, [alloc])
    lifetimes = analyse_lifetimes(function)
    steps = [op for op in walk(function) if op in lifetimes.occupied]
    live: dict[int, list[tuple[int, int]]] = {}
    for step, op in enumerate(steps):
        for bit in bits_of(lifetimes.occupied[op]):
            spans = live.setdefault(bit, [])
            if spans and spans[-1][1] == step - 1:
                spans[-1] = spans[-1][0], step
            else:
                spans.append((step, step))
    buffers: list[BufferUse] = []
    for bit, base in enumerate(lifetimes.aliasing.bases):
        if base in offsets and isinstance(base.type, MemRefType) and isinstance(base.owner, Operation):
            spans = tuple(live.get(bit, ()))
            size = byte_size(base.type)
            buffers.append(BufferUse(layer_name(base.owner), str(base.type), offsets[base], size, spans))
    used = [0] * len(steps)
    for step, held in enumerate(_held(buffers, len(steps))):
        used[step] = _covered(held)
    peak = max(range(len(steps)), key=used.__getitem__, default=0)
    assert isinstance(memory.type, MemRefType)
    layers = tuple(map(_layer_around, steps))
    return ArenaUse(byte_size(memory.type), tuple(buffers), layers, peak, max(used, default=0))


def _layer_around(op: Operation) -> str | None:
    """The layer of an operation, or of the nearest one around it."""
    at: Operation | None = op
    while at is not None:
        if (found := layer_name(at)) is not None:
            return found
        at = at.parent_op()
    return None


def _held(buffers: Sequence[BufferUse], steps: int) -> list[list[BufferUse]]:
    """The buffers in use at each step."""
    held: list[list[BufferUse]] = [[] for _ in range(steps)]
    for buffer in buffers:
        for first, last in buffer.live:
            for step in range(first, last + 1):
                held[step].append(buffer)
    return held


def _covered(buffers: Iterable[BufferUse]) -> int:
    """The bytes that at least one of these buffers has."""
    covered = end = 0
    for low, high in sorted((b.offset, b.offset + b.bytes) for b in buffers):
        covered += max(0, high - max(low, end))
        end = max(end, high)
    return covered


WIDTH, HEIGHT, LEFT, TOP, STRIP = 1000, 300, 74, 26, 14
_HUES = ("#3b82f6", "#d97706", "#10b981", "#a855f7", "#ef4444", "#06b6d4", "#ca8a04", "#ec4899")


def draw_memory(use: ArenaUse, mark: LayerMark = str) -> Svg:
    """Draw the arena over time.

    Buffers are rectangles with the name of their layer, from their first to their last step. Where the program needs most,
    there is a dashed line. Below is the layer of each step.
    """
    title = f"Arena of {use.bytes} bytes, {len(use.buffers)} buffers"
    if not use.buffers:
        return drawing(240, 24, title, label(4, 16, "This program needs no arena."))
    steps = len(use.layers)

    def at(step: float) -> float:
        return LEFT + step / steps * WIDTH

    def height(address: float) -> float:
        return TOP + HEIGHT - address / use.bytes * HEIGHT

    hues: dict[str | None, str] = {}
    elements = [*_axis(use, height)]
    for buffer in sorted(use.buffers, key=lambda b: -b.bytes):
        hue = hues.setdefault(buffer.layer, _HUES[len(hues) % len(_HUES)])
        tip = f"{buffer.layer or '?'}\n{buffer.type}\n{buffer.bytes:,} B at {buffer.offset:,}"
        shapes: list[etree._Element] = []
        top, tall = height(buffer.offset + buffer.bytes), buffer.bytes / use.bytes * HEIGHT
        for first, last in buffer.live:
            left, wide = at(first), at(last + 1) - at(first)
            style = {"fill": hue, "fill-opacity": "0.35", "stroke": hue, "stroke-width": "0.8"}
            shapes.append(rectangle(left, top, wide, tall, "buffer", **style))
            name = shortened(buffer.layer or "?", wide - 6, end=True)
            if tall >= 12 and name:
                shapes.append(label(left + 3, top + tall / 2 + 4, name))
        if shapes:
            elements.append(marked(buffer.layer, mark, *shapes, tip=tip))
    first = 0
    for layer, group in groupby(use.layers):
        count = sum(1 for _ in group)
        hue = hues.setdefault(layer, _HUES[len(hues) % len(_HUES)])
        style = {"fill": hue, "fill-opacity": "0.8"}
        segment = rectangle(
            at(first), TOP + HEIGHT + 6, at(first + count) - at(first), STRIP, "step", **style
        )
        elements.append(marked(layer, mark, segment, tip=layer or "?"))
        first += count
    elements += _peak(use, at(use.peak + 0.5))
    below = TOP + HEIGHT + STRIP + 22
    elements.append(label(LEFT, below, f"time: {steps} operations that write, by layer", opacity="0.7"))
    return drawing(LEFT + WIDTH + 8, below + 8, title, *elements)


def _axis(use: ArenaUse, height) -> Iterable[etree._Element]:
    for part in range(5):
        address = use.bytes * part // 4
        y = f"{height(address):.1f}"
        yield E.line(
            {"x1": str(LEFT), "x2": str(LEFT + WIDTH), "y1": y, "y2": y, "class": "grid"},
            {"stroke": "currentColor", "stroke-opacity": "0.15"},
        )
        yield label(LEFT - 6, height(address) + 4, size_text(address), text_anchor="end", opacity="0.7")


def _peak(use: ArenaUse, x: float) -> Iterable[etree._Element]:
    yield E.line(
        {"x1": f"{x:.1f}", "x2": f"{x:.1f}", "y1": str(TOP - 6), "y2": str(TOP + HEIGHT + 6)},
        {"class": "peak", "stroke": "currentColor", "stroke-dasharray": "4 3"},
    )
    text = f"peak: {use.peak_bytes:,} of {use.bytes:,} B"
    right = x > LEFT + WIDTH / 2
    yield label(x + (-4 if right else 4), TOP - 10, text, "peak", text_anchor="end" if right else "start")
