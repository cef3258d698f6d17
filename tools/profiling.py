"""`loomir run --profile`, `--break` and `--trace`: listeners of a run, and their output.

They observe each operation as it is interpreted (`Model.observe`), in any engine but `native`. An operation of linalg counts as one
operation, as one of GRAPH does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike, IsTerminator

from loomir.compiler.engines import RunListener
from loomir.compiler.files import save_arrays
from loomir.compiler.profile import BranchCounts, LayerCounts, LoopCounts, Profile, keys
from loomir.dialects.diagnostics import describe_location, layer_name, tensor_names
from loomir.dialects.element_types import dtype_name, storable
from loomir.dialects.interface import main_function, result_names
from loomir.dialects.ov.operators.control_flow import NextOp
from loomir.dialects.profile import BRANCHES, LOOPS
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error, shown
from loomir.tools.arguments import leave_quietly
from loomir.tools.printing import arrays_of

if TYPE_CHECKING:
    from argparse import Namespace

    from rich.console import Console

    from loomir.compiler.model import Model


@dataclass(slots=True)
class Frame:
    """An operation that is running."""

    operation: Operation
    layer: str
    start: float
    inner_seconds: float = 0.0
    inner: bool = False
    trips: int = 0


class Observer(RunListener):
    """Listener that knows the running operations.

    It counts the iterations of the loops among them.
    """

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self._whole: Operation | None = None
        """Running operation of linalg, whose contents are not observed."""

    def begin(self, module: ModuleOp) -> None:
        """Forget an earlier run, which may have failed."""
        self.frames, self._whole = [], None

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        if self._whole is not None:
            return
        if op.name.startswith("linalg."):
            self._whole = op
        name = layer_name(op) or (self.frames[-1].layer if self.frames else op.name)
        self.frames.append(Frame(op, name, 0.0))
        self.entered(self.frames[-1], args)
        self.frames[-1].start = perf_counter()

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        now = perf_counter()
        if self._whole is not None and op is not self._whole:
            return
        self._whole = None
        frame = self.frames.pop()
        around = self.frames[-1] if self.frames else None
        self.left(frame, results, now - frame.start)
        if around is not None:
            around.inner_seconds += now - frame.start
            around.inner |= not op.has_trait(IsTerminator)
            if op.parent_op() is around.operation and _ends_iteration(op):
                around.trips += 1

    def entered(self, frame: Frame, args: PythonValues) -> None:
        """An operation begins."""

    def left(self, frame: Frame, results: PythonValues, seconds: float) -> None:
        """An operation has ended."""

    @property
    def iterations(self) -> str:
        """The iterations of the loops that are running: `Loop_45[3]`."""
        loops = [f for f in self.frames if isinstance(f.operation, LOOPS)]
        return " ".join(f"{f.layer}[{f.trips}]" for f in loops)


def _ends_iteration(op: Operation) -> bool:
    """Return True if the operation is the end of a loop's body."""
    return isinstance(op, NextOp) or (isinstance(op, scf.YieldOp) and isinstance(op.parent_op(), LOOPS))


class Profiler(Observer):
    """Counts what loops, branches and layers do in one run: `profile`."""

    def __init__(self, stage: str, level: str) -> None:
        super().__init__()
        self._stage, self._level = stage, level
        self.profile = Profile("", stage, level)
        self._counts: dict[Operation, LoopCounts | BranchCounts] = {}

    def begin(self, module: ModuleOp) -> None:
        super().begin(module)
        self.profile = Profile.of(module, self._stage, self._level)
        self.profile.runs = 1
        self._counts = {
            op: self.profile.loops[key] if isinstance(op, LOOPS) else self.profile.branches[key]
            for op, key in keys(module).items()
        }

    def entered(self, frame: Frame, args: PythonValues) -> None:
        if isinstance(frame.operation, BRANCHES):
            counts = self._counts.get(frame.operation)
            if isinstance(counts, BranchCounts):
                taken = bool(np.asarray(args[0]).reshape(())[()])
                counts.then += taken
                counts.otherwise += not taken

    def left(self, frame: Frame, results: PythonValues, seconds: float) -> None:
        op = frame.operation
        if isinstance(counts := self._counts.get(op), LoopCounts):
            counts.trips[frame.trips] += 1
        if op.has_trait(IsTerminator):
            return
        layer = self.profile.layers.setdefault(frame.layer, LayerCounts())
        layer.seconds += max(0.0, seconds - frame.inner_seconds)
        if not frame.inner and not isinstance(op, LOOPS + BRANCHES) and not op.has_trait(ConstantLike):
            layer.operations += 1
            layer.bytes += sum(array.nbytes for _, array in _arrays(results))


def _arrays(values: Sequence[Any]) -> Iterator[tuple[str, np.ndarray]]:
    """Generate the arrays among values, those of sequences one by one.

    A number is an array without dimensions.
    """
    named = {str(k): v if v is None or isinstance(v, list) else np.asarray(v) for k, v in enumerate(values)}
    return arrays_of(named)


def print_profile(profile: Profile, console: Console) -> None:
    """Print the tables of loops, branches and layers."""
    from rich.markup import escape
    from rich.table import Table

    for what, title, rows in (("loop", "loops", profile.loops), ("branch", "branches", profile.branches)):
        if not rows:
            continue
        last = "iterations: entries" if what == "loop" else "first arm"
        table = Table(what, "operation", "reached", last, title=f"{profile.stage}: {title}")
        for key, counts in rows.items():
            if isinstance(counts, LoopCounts):
                times, text = counts.trips.total(), _histogram(counts.trips)
            else:
                times = counts.then + counts.otherwise
                text = f"{counts.then / times:.0%}" if times else ""
            table.add_row(escape(key), counts.operation, f"{times:,}", text)
        console.print(table)
    layers = sorted(profile.layers.items(), key=lambda item: -item[1].seconds)
    table = Table("layer", "operations", "bytes", "ms", title=f"{profile.stage}: layers, the slowest first")
    for name, layer in layers[:MOST_LAYERS]:
        numbers = (f"{layer.operations:,}", f"{layer.bytes:,}", f"{1e3 * layer.seconds:.3f}")
        table.add_row(escape(name), *numbers)
    rest = [layer for _, layer in layers[MOST_LAYERS:]]
    if rest:
        sums = sum(r.operations for r in rest), sum(r.bytes for r in rest), sum(r.seconds for r in rest)
        table.add_row(f"{len(rest)} more", f"{sums[0]:,}", f"{sums[1]:,}", f"{1e3 * sums[2]:.3f}")
    console.print(table)


MOST_LAYERS = 20
"""Layers that the table shows; a file holds all."""


def _histogram(trips: Mapping[int, int]) -> str:
    shown_ = [f"{n}: {times:,}" for n, times in sorted(trips.items(), key=lambda item: -item[1])]
    more = f", {len(shown_) - 5} more" if len(shown_) > 5 else ""
    return ", ".join(shown_[:5]) + more


def summary(value: Any) -> str:
    """Return the type and the range of a value on one line."""
    if value is None:
        return "none"
    if isinstance(value, list):
        return f"sequence of {len(value)}" + (f", first {summary(value[0])}" if value else "")
    array = np.asarray(value)
    text = f"{dtype_name(array.dtype)}{list(array.shape)}"
    if array.size == 0 or array.dtype.kind not in "biuf":
        return text
    if array.size == 1:
        return f"{text} {array.reshape(())[()]}"
    real = array.astype(np.float64)
    finite = real[np.isfinite(real)]
    other = real.size - finite.size
    said = f" min {finite.min():.6g} mean {finite.mean():.6g} max {finite.max():.6g}" if finite.size else ""
    return f"{text}{said}" + (f", {other} not finite" if other else "")


def _say(text: str) -> None:
    """Print a text; end the command if nobody reads it any more.

    (An exception in a listener would be one of the operation that runs.)
    """
    try:
        print(text)
    except BrokenPipeError:
        leave_quietly()


class Breaker(Observer):
    """Stop at each operation of a layer, showing inputs and outputs."""

    def __init__(self, layer: str) -> None:
        super().__init__()
        self.layer = layer
        self._inputs: list[tuple[Operation, PythonValues]] = []

    def begin(self, module: ModuleOp) -> None:
        super().begin(module)
        self._inputs = []
        known = dict.fromkeys(n for op in walk(module) if (n := layer_name(op)) is not None)
        check_known("--break", self.layer, "layer", list(known))

    def entered(self, frame: Frame, args: PythonValues) -> None:
        if layer_name(frame.operation) == self.layer:
            self._inputs.append((frame.operation, args))

    def left(self, frame: Frame, results: PythonValues, seconds: float) -> None:
        if not self._inputs or self._inputs[-1][0] is not frame.operation:
            return
        _, inputs = self._inputs.pop()
        if frame.operation.has_trait(IsTerminator):
            return
        _say(f"break at {describe_location(frame.operation)} {self.iterations}".rstrip())
        for what, values in (("input", inputs), ("output", results)):
            for k, value in enumerate(values):
                _say(f"  {what} {k}: {summary(value)}")
                for _, array in _arrays([value]):
                    _say("    " + np.array2string(array, threshold=16, precision=6).replace("\n", "\n    "))
        if sys.stdin.isatty() and sys.stdout.isatty():
            import code

            names = {"operation": frame.operation, "inputs": inputs, "outputs": results, "np": np}
            code.interact("names: operation, inputs, outputs, np; Ctrl-D goes on", local=names, exitmsg="")


class Tracer(Observer):
    """Print a value each time that it is computed.

    `kept` has its arrays if `keep` is set. The value is that of a layer, of a tensor of the model, or of an SSA name such as `%12`.
    """

    def __init__(self, value: str, *, keep: bool = False) -> None:
        super().__init__()
        self.value = value
        self.kept: dict[str, np.ndarray] = {}
        self._keep = keep
        self._times = 0
        self._traced: dict[SSAValue, str] = {}

    def begin(self, module: ModuleOp) -> None:
        super().begin(module)
        self.kept, self._times, self._traced = {}, 0, {}
        names = {value: labels for op in walk(module) for value, labels in _labels(op)}
        main = main_function(module)
        returned = main.get_return_op()
        for name, value in zip(result_names(main), returned.operands if returned else ()):
            if value in names:  # (Else it is an argument, which nothing computes.)
                names[value].add(name)
        self._traced = {v: self.value for v, labels in names.items() if self.value in labels}
        if not self._traced:
            known = dict.fromkeys(label for labels in names.values() for label in labels)
            check_known("--trace", self.value, "value", list(known))

    def left(self, frame: Frame, results: PythonValues, seconds: float) -> None:
        for value, result in zip(frame.operation.results, results):
            if value not in self._traced:
                continue
            which = f"#{value.index}" if len(frame.operation.results) > 1 else ""
            _say(f"{self.value}{which} {self.iterations}".rstrip() + f": {summary(result)}")
            if self._keep:
                for part, array in _arrays([result]):
                    self.kept[f"{self.value}{which}/{self._times}{part[1:]}"] = np.array(array)
            self._times += 1


def observed(model: Model, feed: Mapping[str, Any], options: Namespace) -> dict[str, Any]:
    """Run a model with the listeners that the options request.

    Errors: those of `Model.observe`; `bad-option`, `file-unwritable`.
    """
    from rich.console import Console

    engine = options.engine or ("graph" if model.stage == "graph" else model.stage)
    profiler = Profiler(engine, options.level)
    tracers = [Tracer(value, keep=options.trace_output is not None) for value in options.trace]
    listeners = [*([] if options.profile is None else [profiler]), *map(Breaker, options.breaks), *tracers]
    outputs = model.observe(feed, listeners, engine=engine)
    if options.trace_output is not None:
        kept = {name: storable(array) for tracer in tracers for name, array in tracer.kept.items()}
        save_arrays(options.trace_output, kept)
    if options.profile is not None:
        print_profile(profiler.profile, Console(highlight=False))
        if options.profile:
            profiler.profile.write(Path(options.profile))
    return outputs


def _labels(op: Operation) -> Iterator[tuple[SSAValue, set[str]]]:
    """Generate the results of an operation with their names for users."""
    layer, tensors = layer_name(op), tensor_names(op)
    for k, result in enumerate(op.results):
        labels = set(tensors[k]) if k < len(tensors) else set()
        if layer is not None:
            labels.add(layer)
        if result.name_hint is not None:
            labels.add(f"%{result.name_hint}")
        yield result, labels


def check_known(option: str, name: str, what: str, known: Sequence[str]) -> None:
    """Raise `bad-option` if a name is none of those that are known."""
    if name in known:
        return
    near = get_close_matches(name[:200], known, n=3) if len(known) <= 10_000 else []
    hint = f"near: {', '.join(near)}" if near else "loomir inspect MODEL --mlir shows the program"
    raise Error("bad-option", f"{option}: the program has no {what} {shown(name)}", hint=hint)
