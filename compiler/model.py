"""`Model`: what users of the Python interface hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType, UnrankedTensorType
from xdsl.ir import Attribute

from loomir.compiler.frontends import load_module
from loomir.compiler.limits import MAX_BYTES, check_module
from loomir.compiler.pipeline import OPTIMIZE_GRAPH, TO_CORE, History, lower, run_passes
from loomir.compiler.specialise import checked_extents, main_function, set_bounds, set_shapes, tensor_names
from loomir.compiler.stages import verify_stage
from loomir.compiler.states import StateInfo, states_of
from loomir.dialects.blob import constant_array, with_full_constants
from loomir.dialects.element_types import dtype_of
from loomir.errors import Error
from loomir.passes.analysis.inference.arguments import declared_bounds

if TYPE_CHECKING:
    import onnx

Engine = Literal["graph", "structured", "loops", "native"]
ENGINES: tuple[Engine, ...] = ("graph", "structured", "loops", "native")
Stage = Literal["graph", "structured", "loops"]
_NEEDS_SHAPES = {"unbounded-shape", "unbounded-trips", "unresolved-rank", "unknown-length"}
"""Errors of the lowering that shapes which are known may mend."""


@dataclass(frozen=True)
class TensorInfo:
    """An input or output: `shape` has None for an extent that is open, and is None where the rank is.

    `max_shape` has the largest extents of an input that has bounds: None for an open extent without.
    """

    name: str
    dtype: np.dtype
    shape: tuple[int | None, ...] | None
    max_shape: tuple[int | None, ...] | None = None

    @staticmethod
    def of(name: str, type_: Attribute, bounds: tuple[int | None, ...] | None = None) -> TensorInfo:
        """From a tensor type of GRAPH, and the bounds of an argument."""
        assert isinstance(type_, TensorType | UnrankedTensorType)
        dtype = dtype_of(type_.element_type)
        if isinstance(type_, UnrankedTensorType):
            return TensorInfo(name, dtype, None)
        return TensorInfo(name, dtype, tuple(None if e < 0 else e for e in type_.get_shape()), bounds)

    @property
    def bounded(self) -> bool:
        """Whether every extent is a number or has a largest one."""
        if self.shape is None:
            return False
        return all(e is not None or b is not None for e, b in zip(self.shape, self._bounds))

    @property
    def _bounds(self) -> tuple[int | None, ...]:
        return self.max_shape or (None,) * len(self.shape or ())

    def accepts(self, shape: Sequence[int]) -> bool:
        """Whether an array of this shape may be fed."""
        if self.shape is None:
            return True
        return len(shape) == len(self.shape) and all(
            e in (None, x) and (b is None or x <= b) for e, b, x in zip(self.shape, self._bounds, shape)
        )

    def __str__(self) -> str:
        if self.shape is None:
            return f"{self.name}: {self.dtype}[…]"
        extents = (
            str(e) if e is not None else "?" if b is None else f"≤{b}"
            for e, b in zip(self.shape, self._bounds)
        )
        return f"{self.name}: {self.dtype}[{','.join(extents)}]"


class _Runnable(Protocol):
    def __call__(self, feed: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]: ...


class Model:
    """A program in GRAPH, and what follows from it: lowered forms, engines, C.

    A Model does not change: `optimize` gives a new one. Lowered forms and compiled engines are kept, per shapes of the feed where the
    program leaves shapes open.
    """

    def __init__(
        self,
        module: ModuleOp,
        *,
        source: str | None = None,
        max_iterations: int | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.module = module
        self.source = source
        self.history = History()
        self.max_bytes = max_bytes
        self._max_iterations = max_iterations
        self._lowered: dict[str, ModuleOp] = {}
        self._engines: dict[tuple[str, tuple[tuple[str, tuple[int, ...]], ...]], _Runnable] = {}

    @property
    def name(self) -> str:
        """The model's name, from which C identifiers are made."""
        name = self.module.attributes.get("loomir.name")
        return name.data if isinstance(name, StringAttr) else "model"

    @cached_property
    def inputs(self) -> list[TensorInfo]:
        """Name, dtype and shape of each input, in the model's order."""
        function = main_function(self.module)
        names = tensor_names(function)
        return [
            TensorInfo.of(n, a.type, declared_bounds(function, a.index)) for n, a in zip(names, function.args)
        ]

    @cached_property
    def outputs(self) -> list[TensorInfo]:
        """Name, dtype and shape of each output, in the model's order."""
        function = main_function(self.module)
        types = function.function_type.outputs.data
        return [TensorInfo.of(n, t) for n, t in zip(tensor_names(function, results=True), types)]

    @cached_property
    def states(self) -> list[StateInfo]:
        """The model's variables: inputs that are outputs too. The caller keeps them between calls:

        >>> outputs = model.run({"x": x})   # states that are left out are what they are before the first call
        >>> outputs = model.run({"x": x, **{s.name: outputs[s.name] for s in model.states}})
        """
        return states_of(main_function(self.module), self.max_bytes)

    def run(self, feed: Mapping[str, ArrayLike], *, engine: Engine = "native") -> dict[str, np.ndarray]:
        """Outputs by name. Errors: `input-missing`, `input-unknown`, `input-dtype`, `input-shape`, `input-value`,
        `bad-engine`, and the `runtime-…` ones."""
        if engine not in ENGINES:
            raise Error("bad-engine", f"'{engine}' is no engine", hint=f"known: {', '.join(ENGINES)}")
        try:
            return self._run(self._check(feed), engine)
        except Error as error:
            raise error.at(file=self.source) from None

    def _run(self, arrays: dict[str, np.ndarray], engine: Engine) -> dict[str, np.ndarray]:
        open_inputs = [i for i in self.inputs if i.shape is None or None in i.shape]
        shapes = tuple((i.name, arrays[i.name].shape) for i in open_inputs)
        if engine == "graph" or self._takes_every_shape(engine, open_inputs):
            shapes = ()
        key = (engine, shapes)
        if key not in self._engines:
            model = self.with_shapes(dict(shapes)) if shapes else self
            self._engines[key] = model._build(engine)
        outputs = self._engines[key](arrays)
        # Below GRAPH scalars are results and tensors arguments, so an engine may give them in another order.
        return {info.name: outputs[info.name] for info in self.outputs}

    def _derived(self, module: ModuleOp) -> Model:
        """Another program under the same limits."""
        return Model(
            module, source=self.source, max_iterations=self._max_iterations, max_bytes=self.max_bytes
        )

    def _takes_every_shape(self, engine: Engine, open_inputs: Sequence[TensorInfo]) -> bool:
        """Whether one lowered program serves every feed; else each combination of shapes gets one of its own.

        It needs a bound for every open extent, and some programs cannot be lowered even so.
        """
        if not all(i.bounded for i in open_inputs):
            return False
        if (engine, ()) not in self._engines and open_inputs:
            try:
                self.lowered("structured")
            except Error as error:
                if error.identifier not in _NEEDS_SHAPES:
                    raise
                return False
        return True

    def with_shapes(self, shapes: Mapping[str, Sequence[int]]) -> Model:
        """This program with these inputs' shapes fixed and everything that follows folded."""
        module = self.module.clone()
        set_shapes(module, shapes)
        run_passes(module, OPTIMIZE_GRAPH)
        return self._derived(module)

    def lowered(self, stage: Stage) -> ModuleOp:
        """The program at a stage. Not to be changed by the caller."""
        if stage == "graph":
            return self.module
        if stage not in self._lowered:
            try:
                if stage == "loops":
                    structured = self.lowered("structured")
                    self._lowered[stage] = lower(structured, stage, start="structured", history=self.history)
                else:
                    made = lower(self.module, stage, history=self.history)
                    check_module(made, self.max_bytes)
                    self._lowered[stage] = made
            except Error as error:
                raise error.at(file=self.source) from None
        return self._lowered[stage]

    def mlir(self, stage: Stage = "graph", *, full_constants: bool = False) -> str:
        """The program's text at a stage; large constants are left out unless asked for."""
        module = self.lowered(stage)
        return str(with_full_constants(module) if full_constants else module)

    def optimize(self, pipeline: str) -> Model:
        """A new Model with these GRAPH passes run, such as `ov-loop-unroll{max-trips=8},canonicalize`."""
        module = self.module.clone()
        run_passes(module, pipeline)
        verify_stage(module, "graph")
        return self._derived(module)

    def emit_c(self, directory: str | Path, name: str | None = None):
        """Write `<name>.c` and `<name>.h`; returns what they contain and the bytes of arena and weights."""
        from loomir.compiler.backends.c.emit import emit_c, write_c

        name = name or self.name
        code = emit_c(self.lowered("loops"), name)
        write_c(code, directory)
        return code

    def _build(self, engine: Engine) -> _Runnable:
        if engine == "native":
            from loomir.compiler.backends.native import NativeFunction

            if self._max_iterations is None:
                return NativeFunction(self.lowered("loops"))
            # Compiled code counts nothing on its own; the C of `emit_c` stays without the checks.
            return NativeFunction(lower(self.module, "loops", max_iterations=self._max_iterations))
        from loomir.compiler.interpreters.core import DEFAULT_MAX_ITERATIONS
        from loomir.compiler.interpreters.engines import LoopsEngine, StructuredEngine
        from loomir.compiler.interpreters.ov import GraphEngine

        limit = DEFAULT_MAX_ITERATIONS if self._max_iterations is None else self._max_iterations
        if engine == "graph":
            module = self.module.clone()
            run_passes(module, TO_CORE[:1])
            return GraphEngine(module, max_iterations=limit, max_bytes=self.max_bytes)
        if engine == "structured":
            return StructuredEngine(self.lowered("structured"), max_iterations=limit)
        return LoopsEngine(self.lowered("loops"), max_iterations=limit)

    def _check(self, feed: Mapping[str, ArrayLike]) -> dict[str, np.ndarray]:
        """The feed as arrays of the right dtype; inputs fixed by `values=` may be left out, or must be equal."""
        function = main_function(self.module)
        fixed: dict[str, np.ndarray] = {}
        entries = function.arg_attrs.data if function.arg_attrs else ()
        for info, entry in zip(self.inputs, entries):
            if "loomir.value" in entry.data:
                fixed[info.name] = constant_array(entry.data["loomir.value"])
        given = {s.name: s.initial for s in self.states} | fixed
        known = {i.name: i for i in self.inputs}
        for name in feed:
            if name not in known:
                raise Error(
                    "input-unknown",
                    f"the model has no input '{name}'",
                    hint=f"its inputs: {', '.join(known)}",
                )
        arrays: dict[str, np.ndarray] = {}
        for name, info in known.items():
            if name not in feed:
                if name not in given:
                    raise Error("input-missing", f"no value for input '{info}'")
                arrays[name] = given[name]
                continue
            value = np.asarray(feed[name])
            if value.dtype != info.dtype:
                # Python numbers and lists have no dtype of their own; arrays must have the right one.
                if isinstance(feed[name], np.ndarray | np.generic):
                    raise Error("input-dtype", f"input '{info}' was given {value.dtype}{list(value.shape)}")
                value = value.astype(info.dtype)
            if not info.accepts(value.shape):
                raise Error("input-shape", f"input '{info}' was given the shape {list(value.shape)}")
            if name in fixed and not _same(value, fixed[name]):
                raise Error(
                    "input-value",
                    f"input '{name}' was fixed to {fixed[name].tolist()} and is given {value.tolist()}",
                    hint="load the model without this value=, or feed the same",
                )
            arrays[name] = value
        return arrays


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays hold the same: a NaN is the same as itself."""
    return np.array_equal(a, b) or (a.shape == b.shape and a.tobytes() == b.tobytes())


def load(
    model: str | Path | onnx.ModelProto,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    max_shapes: Mapping[str, Sequence[int | None]] | None = None,
    values: Mapping[str, ArrayLike] | None = None,
    max_iterations: int | None = None,
    max_bytes: int = MAX_BYTES,
    optimize: bool = True,
) -> Model:
    """Load a model: a path to `.onnx`, `.onnxtxt`, `.xml` or `.mlir`, or an `onnx.ModelProto`.

    `shapes` fixes shapes of inputs, `max_shapes` bounds extents that stay dynamic (None: no bound), `values` fixes whole inputs,
    `max_iterations` bounds the iterations of all loops together; in the native engine, which is unbounded without it, of each loop
    for itself. `max_bytes` bounds the size of one tensor. With `optimize=False` the program stays as imported, with inferred types.
    """
    source = str(model) if isinstance(model, str | Path) else None
    shapes = {n: checked_extents(n, s) for n, s in (shapes or {}).items()}
    max_shapes = {n: checked_extents(n, s, may_be_open=True) for n, s in (max_shapes or {}).items()}
    if max_bytes < 0:
        raise Error("bad-option", f"max_bytes is {max_bytes}", hint="it is a number of bytes")
    try:
        module = load_module(model, shapes=shapes, values=values)
        set_bounds(module, max_shapes)
        result = Model(module, source=source, max_iterations=max_iterations, max_bytes=max_bytes)
        run_passes(module, OPTIMIZE_GRAPH if optimize else ["ov-infer"], history=result.history)
        verify_stage(module, "graph")
    except Error as error:
        raise error.at(file=source) from None
    return result
