"""Runs of programs in any form, and the effects of passes.

The checks and the reducer share these functions. Programs are of a stage or between passes, and may fail. Float feeds of programs whose
inputs a pass has quantised are converted to integers.

A stage's own engine knows the operations of its stage. Between stages there are more: `ov` beside `scf` and `tensor`
after `convert-ov-loop-to-scf`, `linalg` on memrefs after `bufferize`, composite operations before `ov-decompose`. The
engine here registers all implementations at once, and the signature of `main` determines how it is called: with whole values
(GRAPH), or in the boundary form that `compiler/feeds/signature.py` reads.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    TensorType,
    UnrealizedConversionCastOp,
)
from xdsl.dialects.func import FuncOp
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from loomir.compiler.checking.agreement import Difference, Outcome, is_narrow_integer
from loomir.compiler.engines import InterpreterError, LoomirInterpreter, Run, Semantics
from loomir.compiler.engines.arrays import MemrefFunctions, TensorFunctions
from loomir.compiler.engines.computations import ScalarFunctions, ScfFunctions
from loomir.compiler.engines.generics import LinalgFunctions
from loomir.compiler.engines.graph import GraphEngine, ov_functions
from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.feeds import Boundary
from loomir.compiler.feeds.signature import ARENA_FILL
from loomir.compiler.option_names import DEFAULT_MAX_ITERATIONS, MAX_BYTES
from loomir.compiler.stages import StageError, verify_module
from loomir.dialects.element_types import dtype_of, stored, zeros
from loomir.dialects.interface import (
    BLOB,
    DIM,
    ROLE,
    TYPE,
    Entry,
    Quantisation,
    argument_names,
    arguments_of,
    main_function,
    result_names,
    results_of,
)
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error

GRAPH_DIALECTS = ("ov", "ovseq")


class ProgramEngine:
    """Runs `main` of a module in whatever form it is: `ProgramEngine(module)({"x": array}) -> {"y": array}`.

    - `max_iterations`: bound on the iterations of all loops of one run (`limit-iterations`);
    - `max_bytes`: bound on the size of one tensor (`limit-bytes`);
    - `interpreted`: run one operation after the other, so that a listener sees each;
    - `fill`: the byte that buffers hold at the beginning, where the program takes any;
    - `watch`: see `LoomirInterpreter`.

    Errors are those of the stages' engines. The module must not change between calls.
    """

    def __init__(
        self,
        module: ModuleOp,
        *,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        max_bytes: int = MAX_BYTES,
        interpreted: bool = False,
        fill: int = ARENA_FILL,
        watch: Callable[[Operation, Semantics], Semantics] | None = None,
    ) -> None:
        if has_boundary_form(main_function(module)):
            # Generated Python is for the lowered dialects: where `ov` is left, everything is interpreted.
            mixed = any(op.dialect_name() in GRAPH_DIALECTS for op in walk(module))
            self._engine = LoopsEngine(module, pure=mixed or interpreted, max_iterations=max_iterations)
            self._engine.fill = fill
            others: tuple[InterpreterFunctions, ...] = ()
        else:
            self._engine = GraphEngine(module, max_iterations=max_iterations, max_bytes=max_bytes)
            others = (
                ScalarFunctions(),
                TensorFunctions(),
                MemrefFunctions(),
                ScfFunctions(),
                LinalgFunctions(),
            )
        self.interpreter: LoomirInterpreter = self._engine.interpreter
        self.interpreter.watch = watch
        for functions in (*others, ov_functions()(max_bytes), _CastFunctions()):
            self.interpreter.register_implementations(functions, override=True)
        # Sequences and optionals are themselves to the user, whatever the program holds them in.
        self._boundary = Boundary.of(module)

    def __call__(self, feed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outputs for a feed.

        Each has its true shape and the element type that the user sees.
        """
        return self.run(feed).outputs

    def run(self, feed: Mapping[str, Any]) -> Run:
        """The outputs for a feed, and how many iterations the loops had."""
        run = self._engine.run(feed)
        return replace(run, outputs=self._boundary.assemble(run.outputs))


def has_boundary_form(main: FuncOp) -> bool:
    """Return True if `main` takes scalars, flat tensors and buffers.

    This is the form of STRUCTURED and LOOPS; in GRAPH, `main` takes whole values. A `main` that could be both, with static
    tensors only, is called in the same way in either form.
    """
    types = (*main.function_type.inputs.data, *main.function_type.outputs.data)
    if any(isinstance(t, IntegerType | IndexType | AnyFloat | MemRefType) for t in types):
        return True
    return any(entry.has(BLOB, DIM, ROLE, TYPE) for entry in (*arguments_of(main), *results_of(main)))


@register_impls
class _CastFunctions(InterpreterFunctions):
    """Materialization casts between unsigned or storage elements and signless ones.

    On memrefs it is the one of `loomir.pads`.
    """

    @impl(UnrealizedConversionCastOp)
    def run_cast(
        self, interpreter: Interpreter, op: UnrealizedConversionCastOp, args: PythonValues
    ) -> PythonValues:
        (value,) = args
        type_ = op.outputs[0].type
        if not isinstance(type_, TensorType) or not isinstance(value, np.ndarray):
            return args
        dtype = dtype_of(type_.element_type)
        value = stored(value)
        if dtype == value.dtype:
            return (value,)
        # Integers of 2 and 4 bits are widened below GRAPH; everything else is the same bits.
        return (value.astype(dtype) if is_narrow_integer(dtype) else value.view(dtype),)


@dataclass(frozen=True)
class Quantisations:
    """Quantisations and user-visible types of inputs or outputs, by name.

    A quantisation defines the real numbers that integers stand for.
    """

    by_name: Mapping[str, Quantisation]
    types: Mapping[str, np.dtype]

    @staticmethod
    def of(module: ModuleOp) -> tuple[Quantisations, Quantisations]:
        """Those of the inputs, and those of the outputs."""
        main = main_function(module)
        types = main.function_type
        return (
            _quantisations_of(argument_names(main), types.inputs.data, arguments_of(main)),
            _quantisations_of(result_names(main), types.outputs.data, results_of(main)),
        )

    def of_floats(self, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the feed, quantised where the program takes integers.

        Only inputs that are given as floats are converted.
        """
        if not self.by_name:
            return feed
        return {name: self._fed(name, value) for name, value in feed.items()}

    def _fed(self, name: str, value: Any) -> Any:
        quantisation = self.by_name.get(name)
        if quantisation is None or np.asarray(value).dtype.kind != "f":
            return value
        return quantisation.integers(np.asarray(value), self.types[name])


def _quantisations_of(
    names: Iterable[str], types: Iterable[Attribute], entries: Iterable[Entry]
) -> Quantisations:
    found = [
        (name, quantisation, dtype_of(getattr(entry.type or type_, "element_type", type_)))
        for name, type_, entry in zip(names, types, entries)
        if (quantisation := entry.quantisation) is not None
    ]
    return Quantisations({n: q for n, q, _ in found}, {n: t for n, _, t in found})


Watch = Callable[[Operation, Semantics], Semantics]
"""See `LoomirInterpreter.watch`."""


def run_program(
    module: ModuleOp,
    feeds: Sequence[Mapping[str, Any]],
    *,
    max_iterations: int = DEFAULT_MAX_ITERATIONS,
    bounded: bool = False,
    fill: int = ARENA_FILL,
    watch: Watch | None = None,
) -> list[Outcome]:
    """Run a module and return the outcome for each feed.

    The module may be in any form. `bounded` means that a capacity was set, which may be too small; `fill` is the initial
    content of uninitialised buffers; `watch` observes operations while they run.
    """
    try:
        engine = ProgramEngine(module, max_iterations=max_iterations, fill=fill, watch=watch)
    except (ValueError, InterpreterError) as error:
        return [Outcome(crash=error) for _ in feeds]
    inputs, outputs = Quantisations.of(module)
    return [
        replace(_run(engine, inputs.of_floats(feed)), bounded=bounded, quantisations=outputs.by_name)
        for feed in feeds
    ]


def endless(module: ModuleOp, feeds: Sequence[Mapping[str, Any]]) -> list[Outcome | None]:
    """Return the outcomes of sample inputs that loop too long.

    The result has one entry for each sample input of a GRAPH program: the outcome if a loop runs too long for the input to
    be a sample, else None.

    A negative trip count is no limit, and samples contain such numbers. (Below GRAPH, loops also run over elements; all
    entries are then None.)
    """
    if has_boundary_form(main_function(module)):
        return [None] * len(feeds)
    outcomes = run_program(module, feeds, max_iterations=SAMPLE_ITERATIONS)
    return [outcome if outcome.is_limited else None for outcome in outcomes]


def _run(engine: ProgramEngine, feed: Mapping[str, Any]) -> Outcome:
    try:
        run = engine.run(feed)
    except Error as error:
        return Outcome(error=error)
    except (InterpreterError, ValueError) as error:
        # A program that does what no correct one does: the pass before is to blame, or the engine.
        return Outcome(crash=error)
    return Outcome(run.outputs, iterations=run.iterations)


SAMPLE_ITERATIONS = 10_000
"""Maximum total loop iterations of a GRAPH program for a sample input."""

OTHER_FILL = 0x3F


def only_defined(before: Outcome, other: Outcome, after: Outcome) -> tuple[Outcome, Outcome]:
    """Return two outcomes without elements that the program did not define.

    These are the elements where `before` and `other` are not the same number; `other` is a run with other bytes in fresh
    buffers. Such elements become zero in both outcomes.
    """
    if before.outputs is None or other.outputs is None or after.outputs is None:
        return before, after
    pairs: list[tuple[Any, Any]] = []
    for name, value in before.outputs.items():
        pairs.append(_defined(value, other.outputs.get(name), after.outputs.get(name)))
    names = list(before.outputs)
    return (
        replace(before, outputs={n: a for n, (a, _) in zip(names, pairs)}),
        replace(
            after,
            outputs={**after.outputs, **{n: b for n, (_, b) in zip(names, pairs) if n in after.outputs}},
        ),
    )


def _defined(before: Any, other: Any, after: Any) -> tuple[Any, Any]:
    arrays = (before, other, after)
    if not all(isinstance(a, np.ndarray) for a in arrays) or len({(a.shape, a.dtype) for a in arrays}) > 1:
        return before, after
    with np.errstate(all="ignore"):
        # A NaN is not the same as itself.
        same = np.asarray(before == other)
    if same.all():
        return before, after
    before, after = before.copy(), after.copy()
    for array in (before, after):
        array[~same] = zeros((), array.dtype)
    return before, after


def is_exact(instance: ModulePass) -> bool:
    """Return True if a pass claims bit-identical results.

    A loomir pass claims this with `EXACT = True`; those of xDSL only move operations or fold integers.
    """
    claimed = getattr(type(instance), "EXACT", None)
    return type(instance).__module__.startswith("xdsl.") if claimed is None else bool(claimed)


def claims_of(instance: ModulePass) -> dict[str, Any]:
    """Return the requirements of `compare` on the results after a pass."""
    return {"exact": is_exact(instance), "steps": getattr(type(instance), "STEPS", 0)}


def gives_capacity(instance: ModulePass) -> bool:
    """Return True if a pass was given a size limit.

    With such a limit (`capacity`, `max-trips`), the program may run out of capacity.
    """
    return any(getattr(instance, name, None) is not None for name in ("capacity", "max_trips"))


def invalid(module: ModuleOp) -> Difference | None:
    """How a module breaks the rules of IR, if it does."""
    try:
        verify_module(module)
    except StageError as error:
        return Difference("invalid", f"is no longer a valid program: {error}")
    return None


def crash_of(error: Exception) -> Difference:
    """Return the difference for an exception that a pass raised.

    The exception's class and the function that raised it identify the difference.
    """
    frames = traceback.extract_tb(error.__traceback__)
    where = (
        f"{frames[-1].name} ({frames[-1].filename.rpartition('loomir/')[2]}:{frames[-1].lineno})"
        if frames
        else "?"
    )
    words = str(error).strip().splitlines()
    return Difference(
        f"exception {type(error).__name__} {frames[-1].name if frames else ''}",
        f"ends with {type(error).__name__}: {words[0] if words else ''} in {where}",
    )
