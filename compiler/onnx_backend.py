"""ONNX's `Backend` interface.

loomir takes the place of another runtime, for ONNX's own test runner and other users of the interface.

```python
from loomir.compiler import onnx_backend

rep = onnx_backend.prepare(onnx.load("model.onnx"), engine="graph")
y = rep.run([x])["y"]

class Tests(onnx_backend.LoomirBackend):          # ONNX's runner knows classes only
    ENGINE = "graph"
globals().update(onnx.backend.test.BackendTest(Tests, __name__).test_cases)
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import onnx
import onnx.checker
import onnx.shape_inference
from numpy.typing import ArrayLike
from onnx import helper
from onnx.backend.base import Backend, BackendRep, Device, DeviceType, namedtupledict

from loomir.compiler.loading import load
from loomir.compiler.model import Engine, Model
from loomir.errors import Error


class LoomirRep(BackendRep):
    """A model that is ready to run."""

    def __init__(self, model: Model, engine: Engine) -> None:
        self.model = model
        self.engine: Engine = engine
        self._results = namedtupledict("Outputs", [o.name for o in model.outputs])

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Outputs in the model's order, by index or by name.

        `inputs`: a mapping by name; a sequence in the order of the model's inputs (without those that are
        initialisers); or the only input. Errors: `input-count` and those of `Model.run`.
        """
        outputs = self.model.run(self._feed(inputs), engine=self.engine)
        return self._results(*outputs.values())

    def _feed(self, inputs: Any) -> Mapping[str, ArrayLike]:
        if isinstance(inputs, Mapping):
            return inputs
        values = [inputs] if isinstance(inputs, np.ndarray | np.generic) else list(inputs)
        names = [i.name for i in self.model.inputs]
        if len(values) != len(names):
            raise Error(
                "input-count",
                f"{len(values)} inputs for a model of {len(names)}",
                hint=f"its inputs: {', '.join(names) or 'none'}",
            )
        return dict(zip(names, values))


class LoomirBackend(Backend):
    """Backend for ONNX models.

    `ENGINE` runs models prepared without `engine=`; a subclass may choose another.
    """

    ENGINE: ClassVar[Engine] = "native"

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Return True if the model can be loaded and lowered.

        It is lowered to the program that the engine runs, if its inputs have static shapes.

        Properties that a feed decides are not checked: open shapes, values that have to be known.
        """
        if not cls.supports_device(device):
            return False
        try:
            rep = cls.prepare(model, device, **kwargs)
            open_ = any(i.is_dynamic for i in rep.model.inputs) or rep.model.specialised.refusal is not None
            if rep.engine != "graph" and not open_:
                rep.model.lowered("structured" if rep.engine == "structured" else "loops")
        except Error:
            return False
        return True

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> LoomirRep:
        """Load a model.

        `engine=`, `shapes=`, `values=` and `max_iterations=` are those of `loomir.load` and `run`; other arguments (the runner
        passes its tolerances) have no meaning here.

        Errors: `bad-device` and those of `loomir.load`.
        """
        if not cls.supports_device(device):
            raise Error("bad-device", f"unknown device '{device}'", hint="known: CPU")
        loaded = load(
            model,
            shapes=kwargs.get("shapes"),
            values=kwargs.get("values"),
            max_iterations=kwargs.get("max_iterations"),
        )
        return LoomirRep(loaded, kwargs.get("engine", cls.ENGINE))

    @classmethod
    def run_model(
        cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any
    ) -> tuple[Any, ...]:
        """Load a model and run it once."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[np.dtype, tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Run one operator of the domain `ai.onnx`.

        The operator set is `opset_version=`, by default the newest.

        `inputs` are those that the node names, in order; a list of arrays is a sequence if the operator takes one.
        Errors: `input-count` and those of `run_model`.
        """
        version = int(kwargs.pop("opset_version", onnx.defs.onnx_opset_version()))
        names = [name for name in node.input if name]
        taken = _takes_sequences(node, version)
        given = [list(v) if takes and _is_sequence(v) else np.asarray(v) for v, takes in zip(inputs, taken)]
        if len(inputs) != len(names):
            raise Error("input-count", f"{len(inputs)} inputs for {node.op_type} with {len(names)}")
        types = {name: _type_of(value) for name, value in zip(names, given)}
        outputs = [name for name in node.output if name]
        if outputs_info is not None:
            results = [
                helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(np.dtype(d)), s)
                for d, s in outputs_info
            ]
        else:
            results = _result_types(node, types, outputs, version)
        graph = helper.make_graph(
            [node],
            "node",
            [helper.make_value_info(n, t) for n, t in types.items()],
            [helper.make_value_info(n, t) for n, t in zip(outputs, results)],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)])
        return cls.run_model(model, dict(zip(names, given)), device, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Only the CPU."""
        try:
            return Device(device).type == DeviceType.CPU
        except (AttributeError, ValueError):
            return False


def _is_sequence(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(v, np.ndarray) for v in value)


def _takes_sequences(node: onnx.NodeProto, version: int) -> list[bool]:
    """Return for each named input whether the operator takes sequences there.

    Error: `invalid-onnx`.
    """
    parameters: Any = _schema(node, version).inputs
    if not parameters:
        return [False] * len(node.input)
    return [
        any("seq(" in t for t in parameters[min(index, len(parameters) - 1)].types)
        for index, name in enumerate(node.input)
        if name
    ]


def _type_of(value: np.ndarray | list[np.ndarray]) -> onnx.TypeProto:
    """Return ONNX's type of a value.

    The type of an empty sequence is a sequence of floats.
    """
    if isinstance(value, np.ndarray):
        return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
    dtype = value[0].dtype if value else np.dtype(np.float32)
    return helper.make_sequence_type_proto(
        helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(dtype), None)
    )


def _schema(node: onnx.NodeProto, version: int) -> onnx.defs.OpSchema:
    """`Error("invalid-onnx")` for an operator that ONNX has not."""
    try:
        return onnx.defs.get_schema(node.op_type, version, node.domain)
    except onnx.defs.SchemaError as error:
        raise Error(
            "invalid-onnx", " ".join(str(error).split()), layer=node.name or None, op=node.op_type
        ) from error


def _result_types(
    node: onnx.NodeProto, types: Mapping[str, onnx.TypeProto], outputs: Sequence[str], version: int
) -> list[onnx.TypeProto]:
    """Return the types of a node's outputs by ONNX's own shape inference.

    A model must declare them. Error: `invalid-onnx`.
    """
    schema = _schema(node, version)
    try:
        inferred = onnx.shape_inference.infer_node_outputs(
            schema, node, dict(types), opset_imports=[helper.make_opsetid("", version)]
        )
    except (onnx.shape_inference.InferenceError, onnx.checker.ValidationError) as error:
        raise Error(
            "invalid-onnx", " ".join(str(error).split()), layer=node.name or None, op=node.op_type
        ) from error
    return [inferred[name] for name in outputs]


is_compatible = LoomirBackend.is_compatible
prepare = LoomirBackend.prepare
run_model = LoomirBackend.run_model
run_node = LoomirBackend.run_node
supports_device = LoomirBackend.supports_device
