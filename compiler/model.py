"""`Model`: what users of the Python interface hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict

from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.calls import CallChecker, CompiledModel, Out
from loomir.compiler.feeds import (
    CheckedFeed,
    StateInfo,
    ValueInfo,
    assembled_infos,
    assembling,
    info_of,
    states_of,
)
from loomir.compiler.feeds.specialising import NEEDS_VALUES, Growing, Specialised, naming_inputs
from loomir.compiler.feeds.values import set_shapes
from loomir.compiler.levels import UNROLL_DECIDING
from loomir.compiler.limits import check_arena, check_module
from loomir.compiler.lowering import lower
from loomir.compiler.option_names import DEFAULT_MAX_ITERATIONS, ENGINES, Engine, checked_engine
from loomir.compiler.options import (
    MACHINE_VARIABLE,
    Options,
    checked_capacity,
    checked_file,
    checked_folder,
    checked_name,
    checked_shapes,
    integer,
)
from loomir.compiler.pass_options import limited
from loomir.compiler.pipeline import (
    History,
    Instrumentation,
    StageName,
    checked_stage,
    parse_pipeline,
    run_passes,
)
from loomir.compiler.shared_state import Built
from loomir.compiler.stages import verify_stage
from loomir.dialects.diagnostics import as_of_a_run
from loomir.dialects.interface import (
    BOUNDS,
    argument_names,
    arguments_of,
    main_function,
    program_name,
    result_names,
    results_of,
    with_full_constants,
)
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error, boundary

if TYPE_CHECKING:
    from loomir.compiler.drawings.svg import Svg
    from loomir.compiler.engines import RunListener

__all__ = ["ENGINES", "Engine", "Feed", "Model", "StageName"]

Feed = Mapping[str, ArrayLike | Sequence[ArrayLike] | None]
"""Inputs by name.

The value is an array, a list of arrays for a sequence, the value of an optional, or None.
"""


SHOWN = 8
"""Inputs, and outputs, that `repr` shows."""


class _Checks(TypedDict):
    """Arguments of `run_passes` and `lower`."""

    verify_each: bool
    instrumentation: Instrumentation | None


_Runnable = Callable[[Mapping[str, Any]], dict[str, Any]]


class Model:
    """Program in GRAPH and its derived forms: lowered forms, engines, C.

    A Model is immutable: `optimize` returns a new one. Lowered forms and compiled engines are cached: per shapes of the
    feed if the program leaves shapes open, per values of small inputs if these decide axes, lengths or ranks
    (`specialised`). Several threads may use one Model: each cached object is built once, and a call does not share its own
    state.
    """

    stage: StageName = "graph"
    """Stage of `module`.

    It is a later one than GRAPH if the module was read from text of that stage (`loading.LoweredModel`).
    """

    default_engine: Engine = "native"
    """Engine of a call that names none."""

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
        self._runners = Built[Engine, Callable[[Feed, Out | None], dict[str, Any]]]()
        self._of_machine = Built[str, Model]()
        self.specialised: Specialised[Model] = Specialised(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Model holds compiled code and cannot be copied or pickled; load it again")

    def __repr__(self) -> str:
        from loomir.compiler.summary import summarise

        lines = [f"<{type(self).__name__} '{self.name}' in {self.stage.upper()}: {summarise(self.module)}"]
        for what, infos in (("input", self.inputs), ("output", self.outputs)):
            lines += [f"{what} {info}" for info in infos[:SHOWN]]
            if len(infos) > SHOWN:
                lines.append(f"… {len(infos) - SHOWN} more {what}s")
        return "\n  ".join(lines) + ">"

    @property
    def name(self) -> str:
        """The model's name, from which C identifiers are made."""
        return program_name(self.module) or "model"

    @cached_property
    def inputs(self) -> list[ValueInfo]:
        """Name, dtype and shape of each input, in the model's order.

        A sequence or an optional is marked as such.
        """
        function = main_function(self.module)
        named = zip(argument_names(function), function.args, arguments_of(function))
        return [info_of(name, argument.type, entry) for name, argument, entry in named]

    @cached_property
    def outputs(self) -> list[ValueInfo]:
        """Name, dtype and shape of each output, in the model's order.

        A sequence or an optional is marked as such.
        """
        function = main_function(self.module)
        named = zip(result_names(function), function.function_type.outputs.data, results_of(function))
        infos = [(info_of(name, type_, entry.without(BOUNDS)), entry.part) for name, type_, entry in named]
        return assembled_infos(infos)

    @cached_property
    def states(self) -> list[StateInfo]:
        """Variables of the model: inputs that are also outputs.

        The caller keeps them between calls:

        >>> outputs = model.run({"x": x})   # states that are left out are what they are before the first call
        >>> outputs = model.run({"x": x, **{s.name: outputs[s.name] for s in model.states}})
        """
        return states_of(main_function(self.module), self.options.max_bytes)

    def __call__(self, /, *arrays: Any, out: Out | None = None, **named: Any) -> Any:
        """Run the model with inputs by position or name.

        Positions are those of `inputs`; the engine is that of `run`. Returns the only output, or a dict of several outputs by name as
        `run` does. A dict as the only argument is a feed. `out` and errors: those of `run`, and `input-count`.
        """
        return self._callable(*arrays, out=out, **named)

    @cached_property
    def _callable(self) -> CompiledModel:
        return self._compiled(self.default_engine)

    def _compiled(self, engine: Engine) -> CompiledModel:
        return CompiledModel(self.name, engine, self.inputs, self.outputs, self.runner(engine))

    @boundary
    def compile(self, engine: Engine | None = None) -> CompiledModel:
        """Prepare the model for many calls in one engine.

        The default is the engine of `run`. Everything is done that does not depend on a feed: the program is lowered and
        compiled, unless it needs the shapes or values of a feed; then the first call with them does it. Errors: `bad-engine`, and those
        of the lowering and of the engine.
        """
        chosen = self._chosen(engine)
        try:
            self._prepare(chosen)
        except Error as error:
            error.at(file=self.source)
            raise
        return self._compiled(chosen)

    def _chosen(self, engine: Engine | None) -> Engine:
        return self.default_engine if engine is None else checked_engine(engine)

    def _prepare(self, engine: Engine) -> None:
        """Build the engine's program if it is the same for all feeds."""
        if engine == "graph" or self.specialised.serves_all:
            self._engine(engine)

    @boundary
    def run(self, feed: Feed, *, engine: Engine | None = None, out: Out | None = None) -> dict[str, Any]:
        """Run the model and return the outputs by name.

        An output is a new array for a tensor, a list of arrays for a sequence, and for an optional its value or None. Inputs are
        fed in the same way.

        `engine` is `native` if none is given. `out` has arrays that outputs are written to: by name, one for each output in their order,
        or one for the only output. They have the dtype and the shape of the output and are C-contiguous; they may be inputs, too. After
        an error their contents are undefined.

        Errors: `input-missing`, `input-unknown`, `input-dtype`, `input-shape`, `input-sequence`, `input-value`, `bad-engine`,
        `bad-option` (for `out`), and the `runtime-…` ones.
        """
        return self.runner(self._chosen(engine))(feed, out)

    @boundary
    def observe(
        self, feed: Feed, listeners: Sequence[RunListener], *, engine: Engine = "graph"
    ) -> dict[str, Any]:
        """Run the model as `run` does, with listeners of each operation.

        `listeners` are those of xDSL's interpreter. No loop is compiled, so that they see every operation: below GRAPH this is
        slow. Error: `bad-option` for the engine `native`, which interprets nothing.
        """
        if checked_engine(engine) == "native":
            raise Error(
                "bad-option",
                "the engine native runs compiled code: nothing in it can be observed",
                hint=f"choose another engine: {', '.join(e for e in ENGINES if e != 'native')}",
            )
        return self._make_runner(engine, tuple(listeners))(feed, None)

    def runner(self, engine: Engine) -> Callable[[Feed, Out | None], dict[str, Any]]:
        """Return the function that runs the model in an engine.

        Its parameters are a feed, and arrays for outputs or None.
        """
        return self._runners.of(engine, lambda: self._make_runner(engine))

    def _make_runner(
        self, engine: Engine, listeners: Sequence[RunListener] = ()
    ) -> Callable[[Feed, Out | None], dict[str, Any]]:
        checker = self._calls

        def run(feed: CheckedFeed) -> Mapping[str, Any]:
            return self._run(feed, engine, listeners)

        @boundary
        def called(feed: Feed, out: Out | None) -> dict[str, Any]:
            try:
                return checker.run(feed, out, run)
            except Error as error:
                raise self._as_of_a_run(error) from error.__cause__

        return called

    def _as_of_a_run(self, error: Error) -> Error:
        """Convert an error about a feed.

        Errors of inference about its shapes are reported as a run reports them (see `diagnostics.KINDS`).
        """
        return (as_of_a_run(error) if error.inferred else error).at(file=self.source)

    def _run(self, feed: CheckedFeed, engine: Engine, listeners: Sequence[RunListener]) -> dict[str, Any]:
        program, feed = (self, feed) if engine == "graph" else self.specialised.program(feed)
        return (program._build(engine, listeners) if listeners else program._engine(engine))(feed)

    def _engine(self, engine: Engine) -> _Runnable:
        return self._engines.of(engine, lambda: self._build(engine))

    @cached_property
    def _calls(self) -> CallChecker:
        main = main_function(self.module)
        entries = zip(argument_names(main), arguments_of(main))
        fixed = {name: entry.value for name, entry in entries if entry.value is not None}
        return CallChecker(self.inputs, self.outputs, {s.name: s.initial for s in self.states}, fixed)

    @boundary
    def for_feed(self, feed: Feed) -> Model:
        """Return the program that engines below GRAPH run for this feed.

        It is this program, or one for the feed's shapes or values (which is cached).

        Errors: those of a feed that does not fit.
        """
        try:
            return self.specialised.program(self._calls.feed(feed))[0]
        except Error as error:
            raise self._as_of_a_run(error) from error.__cause__

    def changed(self, change: Callable[[ModuleOp], None]) -> Model:
        """Return a copy of this program with a change applied.

        The change is, for example, of its inputs' shapes. Everything that follows from it is folded.
        """
        module = self.module.clone()
        change(module)
        run_passes(module, self.options.pipelines["graph"], **self.checks())
        return self._derived(module)

    def optimized(self) -> Model:
        """Return this program after the passes of its level on GRAPH.

        `load` runs these passes by itself, `convert` does not.
        """
        return self.changed(lambda module: None)

    def _derived(self, module: ModuleOp) -> Model:
        """Another program with the same options."""
        return Model(module, source=self.source, options=self.options)

    def checks(self) -> _Checks:
        """Return the checks to perform while passes run."""
        check, verify_each = self.options.check, self.options.verify_each
        if check is None:
            return {"verify_each": verify_each, "instrumentation": None}
        from loomir.compiler.checking.checker import PassChecker

        return {"verify_each": verify_each, "instrumentation": PassChecker(check)}

    @boundary
    def with_shapes(self, shapes: Mapping[str, Sequence[int]]) -> Model:
        """Return this program with fixed shapes of these inputs.

        Everything that follows from the shapes is folded. Errors: those of `shapes` in `load`.
        """
        checked = checked_shapes("shapes", shapes)
        return self.changed(lambda module: set_shapes(module, checked))

    @boundary
    def lowered(self, stage: StageName, *, capacity: int | None = None) -> ModuleOp:
        """Return the program at a stage.

        The caller must not change it. `capacity` is the largest extent of dimensions without any other bound.

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

    def _lower(self, stage: StageName, capacity: int | None) -> ModuleOp:
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
        """Return the program in STRUCTURED.

        If an operation needs a value that a loop's iteration number decides, such as axes, the loop is unrolled.
        """
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
        self, stage: StageName | None = None, *, full_constants: bool = False, capacity: int | None = None
    ) -> str:
        """Return the program's text at a stage.

        By default it is the model's own: GRAPH, or that of its text.
        Large constants are left out unless `full_constants` is set.
        """
        module = self.lowered(stage or self.stage, capacity=capacity)
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
        """Write `<name>.c` and `<name>.h`.

        Returns their contents and the bytes of arena and weights.

        `capacity` is the largest extent of dimensions without any other bound, such as the output of a loop that runs until a
        condition ends it: a larger extent is `…_ERROR_CAPACITY` when the C runs. Without it such programs are refused
        (`unbounded-shape`, `unbounded-trips`). With `max_trips`, a loop that exceeds so many iterations in one run is
        `…_ERROR_LIMIT` when the C runs; without it iterations are not counted, and a loop that its data never end does not
        return. A C identifier is derived from `name`, or from the model's name.
        Errors: `bad-option`, `file-unwritable`, and those of the lowering.
        """
        from loomir.compiler.formats.c.emit import emit_c, write_c

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
        """Write the program as OpenVINO IR v11.

        The files are `path`, which ends in `.xml`, and the `.bin` beside it. Either both or none are written.

        The options are those of `SaveOptions` (compiler/formats/openvino/writer.py). Errors: `bad-option`, `file-unwritable`,
        `not-in-openvino`, `unsupported-type`.
        """
        from loomir.compiler.formats.openvino.writer import SaveOptions, save_openvino

        options = SaveOptions(compress_to_fp16=compress_to_fp16, checks=checks, target=target)
        try:
            save_openvino(self.module, checked_file(path), options)
        except Error as error:
            error.at(file=self.source)
            raise

    @boundary
    def plot_loops(self, stage: StageName | None = None, *, capacity: int | None = None) -> Svg:
        """Draw the loops and branches at a stage.

        By default it is the model's own: GRAPH, or that of its text. Each loop and branch has its trip count, results and operations.
        The result is the text of an SVG, which Jupyter shows. Errors: as of `lowered`.
        """
        from loomir.compiler.drawings.loops import draw_loops
        from loomir.compiler.summary import control_flow_tree

        return draw_loops(control_flow_tree(self.lowered(stage or self.stage, capacity=capacity)))

    @boundary
    def plot_memory(self, *, capacity: int | None = None) -> Svg:
        """Draw the buffers of the arena in LOOPS.

        Time goes across, addresses go up, and the peak is marked. The result is the text of an SVG, which Jupyter shows.
        Errors: as of `lowered`.
        """
        from loomir.compiler.drawings.memory import arena_use, draw_memory

        return draw_memory(arena_use(self.lowered("loops", capacity=capacity)))

    def _repr_html_(self) -> str:
        """Inputs, outputs, loops and branches in a Jupyter notebook."""
        from loomir.compiler.drawings.html import model_html

        return model_html(self.name, self.stage, self.module, self.inputs, self.outputs)

    def _build(self, engine: Engine, listeners: Sequence[RunListener] = ()) -> _Runnable:
        limit = DEFAULT_MAX_ITERATIONS if self.options.max_iterations is None else self.options.max_iterations
        if engine == "graph":
            from loomir.compiler.engines.graph import GraphEngine

            module = self.module
            if not listeners:  # (Those see the composite operations, and the loops of the program itself.)
                module = module.clone()
                run_passes(module, "ov-decompose{keep-refused=true}")
            runs = GraphEngine(
                module, max_iterations=limit, max_bytes=self.options.max_bytes, listeners=listeners
            )
            return assembling(module, runs)
        build = partial(self._build_lowered, engine, limit, listeners=listeners)
        return Growing(build, self.options.max_capacity)

    def _build_lowered(
        self,
        engine: Engine,
        max_iterations: int,
        capacity: int | None,
        listeners: Sequence[RunListener] = (),
    ) -> tuple[ModuleOp, _Runnable]:
        """Build an engine below GRAPH and return it with its program.

        Its buffers have the given capacity.
        """
        if engine == "native":
            from loomir.compiler.engines.native import NativeFunction

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
        from loomir.compiler.engines.lowered import LoopsEngine, StructuredEngine

        program = self._program("structured" if engine == "structured" else "loops", capacity)
        if engine == "structured":
            runs = StructuredEngine(program, max_iterations=max_iterations, listeners=listeners)
        else:
            pure = engine == "interpreter"
            runs = LoopsEngine(program, pure=pure, max_iterations=max_iterations, listeners=listeners)
        return program, assembling(program, runs)

    def _program(self, stage: StageName, capacity: int | None) -> ModuleOp:
        """Return the program that a Python engine runs."""
        return self.lowered(stage, capacity=capacity)

    def _with(self, options: Options) -> Model:
        """The same program with other options."""
        return Model(self.module, source=self.source, options=options)

    def for_machine(self, machine: str) -> Model:
        """Return this model lowered for a machine.

        This model must not have a machine yet. The GRAPH module is shared; only the lowering differs.

        Error: `bad-option`.
        """
        options = replace(self.options, machine=machine)
        return self._of_machine.of(machine, lambda: self._with(options))

    def _counting(self, capacity: int | None, limit: int) -> ModuleOp:
        """Return the program in LOOPS with checks of the iteration limit.

        The program itself checks that no loop runs for more than `limit` iterations.

        Compiled code counts nothing by itself. Loops that are known to end before the limit have no check.
        """
        structured = self._structured(capacity, limit)
        made = lower(
            structured, "loops", start="structured", pipelines=self.options.pipelines, **self.checks()
        )
        check_arena(made, self.options.max_bytes)
        return made


def _loops(module: ModuleOp) -> int:
    return sum(isinstance(op, LoopOp) for op in walk(module))
