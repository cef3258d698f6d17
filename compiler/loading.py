"""`load`: a file becomes what users of the Python interface hold.

That is a `Model`, or a `LoweredModel` for a program read from text below GRAPH: the pipelines continue from the stage of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.calls import Out
from loomir.compiler.extensions.loading import load_installed
from loomir.compiler.feeds import CheckedFeed, ValueInfo, assembled_infos
from loomir.compiler.feeds.signature import Signature
from loomir.compiler.feeds.values import set_bounds
from loomir.compiler.files import printable
from loomir.compiler.formats import load_module
from loomir.compiler.formats.mlir.programs import is_within, stage_of
from loomir.compiler.formats.sources import Source, model_source
from loomir.compiler.levels import UNOPTIMIZED_GRAPH
from loomir.compiler.limits import check_arena, check_module
from loomir.compiler.lowering import lower
from loomir.compiler.model import Feed, Model
from loomir.compiler.option_names import DEFAULT_MAX_ITERATIONS, Engine
from loomir.compiler.options import LoadOptions, Options, checked_capacity, taking
from loomir.compiler.pass_options import limited
from loomir.compiler.pipeline import STAGES, StageName, checked_stage, run_passes
from loomir.compiler.profile import Profile
from loomir.compiler.shared_state import with_rare_collections
from loomir.compiler.stages import verify_stage
from loomir.dialects.interface import main_function
from loomir.errors import Error, boundary

if TYPE_CHECKING:
    from loomir.compiler.engines import RunListener

_RUN_BY: Mapping[Engine, StageName] = {
    "graph": "graph",
    "structured": "structured",
    "loops": "loops",
    "interpreter": "loops",
    "native": "loops",
}
"""Stage that each engine runs."""

_OWN_ENGINES: Mapping[StageName, Engine] = {"structured": "structured", "loops": "loops"}


class LoweredModel(Model):
    """A program in STRUCTURED or LOOPS, or on its way there.

    What is only possible in GRAPH is `stage-passed`: other shapes, passes on GRAPH, OpenVINO IR, the engine `graph`. By default it is
    run by the Python engine of its stage, which checks every access: nothing says that a text is what a compiler made.
    """

    def __init__(self, module: ModuleOp, stage: StageName, *, source: str | None, options: Options) -> None:
        super().__init__(module, source=source, options=options)
        self.stage = stage
        self.default_engine = _OWN_ENGINES[stage]
        self._signature = Signature.of(main_function(module))

    @cached_property
    def inputs(self) -> list[ValueInfo]:
        return [port.info for port in self._signature.inputs]

    @cached_property
    def outputs(self) -> list[ValueInfo]:
        return assembled_infos(
            [(replace(port.info, max_shape=None), port.part) for port in self._signature.outputs]
        )

    def _prepare(self, engine: Engine) -> None:
        self._require_engine(engine)
        self._engine(engine)

    def runner(self, engine: Engine) -> Callable[[Feed, Out | None], dict[str, Any]]:
        """Return the function that runs the program. Error: `stage-passed`."""
        self._require_engine(engine)
        return super().runner(engine)

    def _run(self, feed: CheckedFeed, engine: Engine, listeners: Sequence[RunListener]) -> dict[str, Any]:
        """Run the program itself: it is for any feed that it takes.

        Error: `runtime-program` for an access outside of a buffer and the like.
        """
        from loomir.compiler.engines import InterpreterError

        try:
            return (self._build(engine, listeners) if listeners else self._engine(engine))(feed)
        except InterpreterError as error:
            raise Error("runtime-program", f"the program has undefined behaviour: {error}") from error

    @boundary
    def for_feed(self, feed: Feed) -> LoweredModel:
        """The program itself: it is for any feed that it takes."""
        self._calls.feed(feed)
        return self

    @boundary
    def lowered(self, stage: StageName, *, capacity: int | None = None) -> ModuleOp:
        """Return the program at its own stage or a later one.

        All passes of that stage have run. Errors: as of a `Model`; `stage-passed`.
        """
        stage, capacity = checked_stage(stage), checked_capacity(capacity)
        try:
            self._require(stage, f"{stage.upper()} is an earlier stage")
            return self._lowered.of((stage, capacity), lambda: self._lower(stage, capacity))
        except Error as error:
            error.at(file=self.source)
            raise

    def _lower(self, stage: StageName, capacity: int | None) -> ModuleOp:
        check_module(self.module, self.options.max_bytes)
        made = lower(
            self.module,
            stage,
            start=self.stage,
            resume=True,
            capacity=capacity,
            history=self.history,
            pipelines=self.options.pipelines,
            **self.checks(),
        )
        check_arena(made, self.options.max_bytes)
        return made

    @boundary
    def observe(
        self, feed: Feed, listeners: Sequence[RunListener], *, engine: Engine | None = None
    ) -> dict[str, Any]:
        """Run the program with listeners.

        The default engine is the Python engine of its stage.
        """
        chosen = self._chosen(engine)
        self._require_engine(chosen)
        return super().observe(feed, listeners, engine=chosen)

    def _build(
        self, engine: Engine, listeners: Sequence[RunListener] = ()
    ) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
        if engine == "native" and self.options.max_iterations is not None:
            raise Error(
                "stage-passed",
                f"compiled code does not count iterations, and no pass on {self.stage.upper()} adds it",
                hint="the engines 'loops' and 'interpreter' count them",
            )
        limit = DEFAULT_MAX_ITERATIONS if self.options.max_iterations is None else self.options.max_iterations
        return self._build_lowered(engine, limit, None, listeners)[1]

    def _counting(self, capacity: int | None, limit: int) -> NoReturn:
        self._refuse("a pass on GRAPH adds the count of iterations")

    def _program(self, stage: StageName, capacity: int | None) -> ModuleOp:
        # The text itself is run where an engine can run it.
        if stage == self.stage and is_within(self.module, stage):
            check_module(self.module, self.options.max_bytes)
            return self.module
        return self.lowered(stage, capacity=capacity)

    def _with(self, options: Options) -> LoweredModel:
        return LoweredModel(self.module, self.stage, source=self.source, options=options)

    def changed(self, change: Callable[[ModuleOp], None]) -> NoReturn:
        """Not of a text below GRAPH. Error: `stage-passed`."""
        self._refuse("a model is changed in GRAPH")

    @boundary
    def with_shapes(self, shapes: Mapping[str, Sequence[int]]) -> NoReturn:
        """Not of a text below GRAPH. Error: `stage-passed`."""
        self._refuse("shapes are fixed in GRAPH")

    @boundary
    def optimize(self, pipeline: str) -> NoReturn:
        """Not of a text below GRAPH. Error: `stage-passed`."""
        self._refuse("this runs passes on GRAPH", "loomir-opt runs passes on text of any stage")

    @boundary
    def save(self, path: str | Path, **options: object) -> NoReturn:
        """Not of a text below GRAPH. Error: `stage-passed`."""
        self._refuse("OpenVINO IR is written from GRAPH")

    def _require_engine(self, engine: Engine) -> None:
        self._require(_RUN_BY[engine], f"the engine '{engine}' runs {_RUN_BY[engine].upper()}")

    def _require(self, stage: StageName, what: str) -> None:
        own = STAGES.index(self.stage)
        if STAGES.index(stage) < own:
            engines = [engine for engine, of in _RUN_BY.items() if STAGES.index(of) >= own]
            later = " and ".join(each.upper() for each in STAGES[own:])
            self._refuse(what, f"stages from here: {later}; engines for them: {', '.join(engines)}")

    def _refuse(self, what: str, hint: str = "load the model that the text was made from") -> NoReturn:
        what = f"the text is in {self.stage.upper()}: {what}"
        raise Error("stage-passed", what, file=self.source, hint=hint)


_OF_GRAPH = {
    "shapes": "--shape",
    "max_shapes": "--max-shape",
    "values": "--value",
    "integers": "--integers",
    "profile": "--profile-use",
}
"""Options of `load` for passes on GRAPH, with their command-line options."""


def load_lowered(
    module: ModuleOp, stage: StageName, source: str | None, options: LoadOptions
) -> LoweredModel:
    """Return the model of a text below GRAPH.

    Error: `stage-passed` for options that concern the model at GRAPH.
    """
    model = LoweredModel(module, stage, source=source, options=options)
    for name, option in _OF_GRAPH.items():
        if getattr(options, name):
            model._refuse(f"{name}= ({option}) applies to GRAPH")
    return model


def _attach_profile(files: Sequence[Path], module: ModuleOp) -> None:
    """Attach the sums of one or more profiles to a program.

    Errors: `bad-profile`, and those of reading a file.
    """
    file = files[0]
    try:
        profile = Profile.read(file)
        for file in files[1:]:
            profile.add(Profile.read(file))
        profile.attach_to(module)
    except Error as error:
        raise error.at(file=str(file)) from None


@boundary
@with_rare_collections
@taking(LoadOptions)
def load(model: Source, options: LoadOptions) -> Model:
    """Load a model: `.onnx`, `.onnxtxt`, `.xml`, `.mlir` or an `onnx.ModelProto`.

    A file is given by its path (`str` or `os.PathLike`) or, unless it is `.xml`, as a file that is open in binary mode; `bytes` are the
    contents of a file. A function of onnxscript, or anything else that has a method `to_model_proto`, is loaded as what that returns.

    The options are the fields of `LoadOptions` (compiler/options.py), each by its name:
    `load("model.onnx", shapes={"x": [1, 3]})`.
    Errors: those of `LoadOptions`, of the importer and of the passes.
    """
    load_installed()
    found = model_source(model)
    source = printable(str(found)) if isinstance(found, Path) else None
    try:
        module = load_module(
            found,
            shapes=options.shapes,
            values=options.values,
            semantics=options.semantics,
            external_data_root=options.external_data_root,
        )
        if (stage := stage_of(module)) != "graph":
            return load_lowered(module, stage, source, options)
        set_bounds(module, options.max_shapes or {})
        result = Model(module, source=source, options=options)
        if options.profile:
            # (It was recorded after these passes.)
            run_passes(module, UNOPTIMIZED_GRAPH)
            _attach_profile(cast("Sequence[Path]", options.profile), module)
        passes = options.pipelines["graph"] if options.optimize else UNOPTIMIZED_GRAPH
        run_passes(
            module,
            limited(passes, max_bytes=options.max_bytes),
            history=result.history,
            **result.checks(),
        )
        verify_stage(module, "graph")
    except Error as error:
        error.at(file=source)
        raise
    return result
