"""`Model`: what users of the Python interface hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.built import Built
from loomir.compiler.default_limits import DEFAULT_MAX_ITERATIONS
from loomir.compiler.engine_names import ENGINES, Engine, checked_engine
from loomir.compiler.feeds.checks import CheckedFeed, checked_feed
from loomir.compiler.feeds.fixing import set_shapes
from loomir.compiler.feeds.growing import Growing
from loomir.compiler.feeds.infos import ValueInfo, info_of
from loomir.compiler.feeds.sequences import assembled_infos, assembling
from loomir.compiler.feeds.specialising import NEEDS_VALUES, Specialised, naming_inputs
from loomir.compiler.feeds.states import StateInfo, states_of
from loomir.compiler.levels import UNROLL_DECIDING
from loomir.compiler.limits import check_arena, check_module
from loomir.compiler.option_values import (
    checked_capacity,
    checked_file,
    checked_folder,
    checked_name,
    checked_shapes,
    integer,
)
from loomir.compiler.options import MACHINE_VARIABLE, Options
from loomir.compiler.pipeline import (
    History,
    Instrumentation,
    Stage,
    checked_stage,
    limited,
    lower,
    parse_pipeline,
    run_passes,
)
from loomir.compiler.stages.verify import verify_stage
from loomir.dialects.element_types import same_contents
from loomir.dialects.full_constants import with_full_constants
from loomir.dialects.interface import (
    BOUNDS,
    argument_names,
    arguments_of,
    main_function,
    program_name,
    result_names,
    results_of,
)
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.run_errors import as_of_a_run
from loomir.dialects.walking import walk
from loomir.errors import Error, boundary

__all__ = ["ENGINES", "Engine", "Feed", "Model", "Stage"]

Feed = Mapping[str, ArrayLike | Sequence[ArrayLike] | None]
"""Inputs by name: an array, a list of arrays for a sequence, the value of an optional or None."""


class _Checks(TypedDict):
    """Arguments of `run_passes` and `lower`."""

    verify_each: bool
    instrumentation: Instrumentation | None


_Runnable = Callable[[Mapping[str, Any]], dict[str, Any]]


class Model:
    """A program in GRAPH, and what follows from it: lowered forms, engines, C.

    A Model does not change: `optimize` gives a new one. Lowered forms and compiled engines are kept: per shapes of the feed where the
    program leaves shapes open, per values of small inputs where they decide axes, lengths or ranks (`specialised`). Several threads may
    use one: what is kept is built once, and a call keeps what is its own to itself.
    """

    stage: Stage = "graph"
    """In which stage `module` is: a later one where it was read from text of that stage (`lowered_model.py`)."""

    def __init__(
        self,
        module: ModuleOp,
        *,
        source: str | None = None,
        options: Options | None = None,
    ) -> None:
        self.module = module
        self.source = source
        self.options = options or Options()
        self.history = History(counting=self.options.count_operations)
        self._lowered = Built[tuple[str, int | None], ModuleOp]()
        self._engines = Built[Engine, _Runnable]()
        self._of_machine = Built[str, Model]()
        self.specialised: Specialised[Model] = Specialised(self)

    @property
    def name(self) -> str:
        """The model's name, from which C identifiers are made."""
        return program_name(self.module) or "model"

    @cached_property
    def inputs(self) -> list[ValueInfo]:
        """Name, dtype and shape of each input, in the model's order; a sequence or an optional says so."""
        function = main_function(self.module)
        named = zip(argument_names(function), function.args, arguments_of(function))
        return [info_of(name, argument.type, entry) for name, argument, entry in named]

    @cached_property
    def outputs(self) -> list[ValueInfo]:
        """Name, dtype and shape of each output, in the model's order; a sequence or an optional says so."""
        function = main_function(self.module)
        named = zip(result_names(function), function.function_type.outputs.data, results_of(function))
        infos = [(info_of(name, type_, entry.without(BOUNDS)), entry.part) for name, type_, entry in named]
        return assembled_infos(infos)

    @cached_property
    def states(self) -> list[StateInfo]:
        """The model's variables: inputs that are outputs too. The caller keeps them between calls:

        >>> outputs = model.run({"x": x})   # states that are left out are what they are before the first call
        >>> outputs = model.run({"x": x, **{s.name: outputs[s.name] for s in model.states}})
        """
        return states_of(main_function(self.module), self.options.max_bytes)

    @boundary
    def run(self, feed: Feed, *, engine: Engine = "native") -> dict[str, Any]:
        """Outputs by name: an array for a tensor, a list of arrays for a sequence, for an optional its value or None.

        Inputs are fed in the same way. Errors: `input-missing`, `input-unknown`, `input-dtype`, `input-shape`, `input-sequence`,
        `input-value`, `bad-engine`, and the `runtime-…` ones.
        """
        with self._fed():
            return self._run(self._check(feed), checked_engine(engine))

    @contextmanager
    def _fed(self) -> Iterator[None]:
        """Around what is done for a feed: what inference says of its shapes is said as a run says it (see `run_errors`)."""
        try:
            yield
        except Error as error:
            if error.inferred:
                raise as_of_a_run(error).at(file=self.source) from None
            error.at(file=self.source)
            raise

    def _run(self, feed: CheckedFeed, engine: Engine) -> dict[str, Any]:
        program, feed = (self, feed) if engine == "graph" else self.specialised.program(feed)
        outputs = program._engines.of(engine, lambda: program._build(engine))(feed)
        # Below GRAPH scalars are results and tensors arguments, so an engine may give them in another order.
        return {info.name: outputs[info.name] for info in self.outputs}

    @boundary
    def for_feed(self, feed: Feed) -> Model:
        """The program that the engines below GRAPH run for this feed: this one, or one for the feed's shapes or values (which is kept).

        Errors: those of a feed that does not fit.
        """
        with self._fed():
            return self.specialised.program(self._check(feed))[0]

    def changed(self, change: Callable[[ModuleOp], None]) -> Model:
        """A copy of this program with something changed, such as its inputs' shapes, and everything that follows folded."""
        module = self.module.clone()
        change(module)
        run_passes(module, self.options.pipelines["graph"], **self.checks())
        return self._derived(module)

    def optimized(self) -> Model:
        """This program after the passes of its level on GRAPH, which `load` runs by itself and `convert` does not."""
        return self.changed(lambda module: None)

    def _derived(self, module: ModuleOp) -> Model:
        """Another program with the same options."""
        return Model(module, source=self.source, options=self.options)

    def checks(self) -> _Checks:
        """What is to be checked while passes run."""
        check, verify_each = self.options.check, self.options.verify_each
        if check is None:
            return {"verify_each": verify_each, "instrumentation": None}
        from loomir.compiler.checking.checker import PassChecker

        return {"verify_each": verify_each, "instrumentation": PassChecker(check)}

    @boundary
    def with_shapes(self, shapes: Mapping[str, Sequence[int]]) -> Model:
        """This program with these inputs' shapes fixed and everything that follows folded. Errors: those of `shapes` in `load`."""
        checked = checked_shapes("shapes", shapes)
        return self.changed(lambda module: set_shapes(module, checked))

    @boundary
    def lowered(self, stage: Stage, *, capacity: int | None = None) -> ModuleOp:
        """The program at a stage. Not to be changed by the caller. `capacity` is the largest extent of what nothing else bounds.

        Errors: `bad-stage`, `bad-option`, and those of the lowering.
        """
        stage, capacity = checked_stage(stage), checked_capacity(capacity)
        if stage == "graph":
            return self.module
        try:
            return self._lowered.of((stage, capacity), lambda: self._lower(stage, capacity))
        except Error as error:
            naming_inputs(error, self.module).at(file=self.source)
            raise

    def _lower(self, stage: Stage, capacity: int | None) -> ModuleOp:
        if stage == "loops":
            made = lower(
                self.lowered("structured", capacity=capacity),
                stage,
                start="structured",
                history=self.history,
                pipelines=self.options.pipelines,
                **self.checks(),
            )
            check_arena(made, self.options.max_bytes)
            return made
        return self._structured(capacity)

    def _structured(self, capacity: int | None, max_iterations: int | None = None) -> ModuleOp:
        """The program in STRUCTURED. Where an operation has to know what a loop's iteration decides, such as axes, the loop is unrolled."""
        # As the graph engine does, and before lowering makes tables of what only constants go into.
        check_module(self.module, self.options.max_bytes)
        try:
            made = self._lowered_from(self.module, capacity, max_iterations)
        except Error as error:
            if error.identifier not in NEEDS_VALUES:
                raise
            unrolled = self.module.clone()
            run_passes(unrolled, UNROLL_DECIDING, **self.checks())
            if _loops(unrolled) == _loops(self.module):
                raise
            made = self._lowered_from(unrolled, capacity, max_iterations)
        check_module(made, self.options.max_bytes)
        return made

    def _lowered_from(self, module: ModuleOp, capacity: int | None, max_iterations: int | None) -> ModuleOp:
        return lower(
            module,
            "structured",
            capacity=capacity,
            max_iterations=max_iterations,
            history=self.history if max_iterations is None else None,
            pipelines=self.options.pipelines,
            **self.checks(),
        )

    @boundary
    def mlir(
        self, stage: Stage = "graph", *, full_constants: bool = False, capacity: int | None = None
    ) -> str:
        """The program's text at a stage; large constants are left out unless asked for."""
        module = self.lowered(stage, capacity=capacity)
        return str(with_full_constants(module) if full_constants else module)

    @boundary
    def optimize(self, pipeline: str) -> Model:
        """A new Model with these GRAPH passes run, such as `ov-loop-unroll{max-trips=8},canonicalize`.

        Errors: `bad-pipeline`, and those of the passes.
        """
        passes = limited(parse_pipeline(pipeline).passes, max_iterations=self.options.max_iterations)
        module = self.module.clone()
        run_passes(module, passes, **self.checks())
        verify_stage(module, "graph")
        return self._derived(module)

    @boundary
    def emit_c(
        self,
        directory: str | Path,
        name: str | None = None,
        *,
        capacity: int | None = None,
        max_trips: int | None = None,
    ):
        """Write `<name>.c` and `<name>.h`; returns what they contain and the bytes of arena and weights.

        `capacity` is the largest extent of what nothing else bounds, such as the output of a loop that runs until a condition ends
        it: more is `…_ERROR_CAPACITY` when the C runs. Without it such programs are refused (`unbounded-shape`, `unbounded-trips`).
        With `max_trips` one run of a loop that exceeds so many iterations is `…_ERROR_LIMIT` when the C runs; without it nothing counts,
        and a loop that its data never end does not return. Of `name`, or the model's, a C identifier is made.
        Errors: `bad-option`, `file-unwritable`, and those of the lowering.
        """
        from loomir.compiler.backends.c.emit import emit_c, write_c

        folder, name = checked_folder(directory), checked_name(name)
        if max_trips is None:
            program = self.lowered("loops", capacity=capacity)
        else:
            limit = integer("max_trips", max_trips)
            program = self._counting(checked_capacity(capacity), limit)
        code = emit_c(program, name or self.name)
        write_c(code, folder)
        return code

    @boundary
    def save(
        self,
        path: str | Path,
        *,
        compress_to_fp16: bool = False,
        checks: str = "keep",
        target: str | None = None,
    ) -> None:
        """Write the program as OpenVINO IR v11: `path`, which ends in `.xml`, and the `.bin` beside it, both or none.

        The options are those of `SaveOptions` (compiler/backends/openvino/export.py). Errors: `bad-option`, `file-unwritable`,
        `not-in-openvino`, `unsupported-type`.
        """
        from loomir.compiler.backends.openvino.export import SaveOptions, save_openvino

        options = SaveOptions(compress_to_fp16=compress_to_fp16, checks=checks, target=target)
        try:
            save_openvino(self.module, checked_file(path), options)
        except Error as error:
            error.at(file=self.source)
            raise

    def _build(self, engine: Engine) -> _Runnable:
        limit = DEFAULT_MAX_ITERATIONS if self.options.max_iterations is None else self.options.max_iterations
        if engine == "graph":
            from loomir.compiler.interpreters.ov import GraphEngine

            module = self.module.clone()
            run_passes(module, "ov-decompose{keep-refused=true}")
            runs = GraphEngine(module, max_iterations=limit, max_bytes=self.options.max_bytes)
            return assembling(module, runs)
        return Growing(partial(self._build_lowered, engine, limit), self.options.max_capacity)

    def _build_lowered(
        self, engine: Engine, max_iterations: int, capacity: int | None
    ) -> tuple[ModuleOp, _Runnable]:
        """An engine below GRAPH for buffers of a capacity, and the program that it runs."""
        if engine == "native":
            from loomir.compiler.backends.native import NativeFunction

            if self.options.machine is None:
                here = self.for_machine(os.environ.get(MACHINE_VARIABLE, "native"))
                return here._build_lowered(engine, max_iterations, capacity)
            loops = any(isinstance(op, LoopOp) for op in walk(self.module))
            program = (
                self._counting(capacity, max_iterations)
                if loops
                else self.lowered("loops", capacity=capacity)
            )
            return program, assembling(program, NativeFunction(program, machine=self.options.machine))
        from loomir.compiler.interpreters.engines import LoopsEngine, StructuredEngine

        program = self._program("structured" if engine == "structured" else "loops", capacity)
        if engine == "structured":
            runs = StructuredEngine(program, max_iterations=max_iterations)
        else:
            runs = LoopsEngine(program, pure=engine == "interpreter", max_iterations=max_iterations)
        return program, assembling(program, runs)

    def _program(self, stage: Stage, capacity: int | None) -> ModuleOp:
        """What an engine in Python runs."""
        return self.lowered(stage, capacity=capacity)

    def _with(self, options: Options) -> Model:
        """The same program with other options."""
        return Model(self.module, source=self.source, options=options)

    def for_machine(self, machine: str) -> Model:
        """The same program for a machine, where it is for none yet. The graph stays as it is; its lowering is another one.

        Error: `bad-option`.
        """
        options = replace(self.options, machine=machine)
        return self._of_machine.of(machine, lambda: self._with(options))

    def _counting(self, capacity: int | None, limit: int) -> ModuleOp:
        """The program in LOOPS with checks of its own that no loop runs for more than `limit` iterations.

        Compiled code counts nothing by itself. Loops that are known to end before are as without.
        """
        structured = self._structured(capacity, limit)
        made = lower(
            structured, "loops", start="structured", pipelines=self.options.pipelines, **self.checks()
        )
        check_arena(made, self.options.max_bytes)
        return made

    def _check(self, feed: Feed) -> CheckedFeed:
        """The feed as arrays of the right dtype; inputs fixed by `values=` may be left out, or must be equal."""
        main = main_function(self.module)
        entries = zip(argument_names(main), arguments_of(main))
        fixed = {name: entry.value for name, entry in entries if entry.value is not None}
        values = checked_feed(feed, self.inputs, {s.name: s.initial for s in self.states} | fixed)
        for name, wanted in fixed.items():
            value = values[name]
            assert isinstance(value, np.ndarray)
            if not _same(value, wanted):
                raise Error(
                    "input-value",
                    f"input '{name}' was fixed to {wanted.tolist()} and is given {value.tolist()}",
                    hint="load the model without this value=, or feed the same",
                )
        return values


def _loops(module: ModuleOp) -> int:
    return sum(isinstance(op, LoopOp) for op in walk(module))


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays hold the same: a NaN is the same as itself."""
    return np.array_equal(a, b) or same_contents(a, b)
