"""torch's two exporters, each of which makes a fixture of a module and of calls that the module itself answers."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from tests.producers.fixtures import Made, Value, integers, normal

Arguments = tuple[Any, ...]
logging.getLogger("torch.onnx").setLevel(logging.ERROR)


def tensor(*shape: int, seed: str = "") -> Tensor:
    """Standard normal f32 of a shape; the same each time."""
    return torch.from_numpy(normal(*shape, seed=seed))


def whole(low: int, high: int, *shape: int, seed: str = "") -> Tensor:
    """i64 of a shape in [low, high); the same each time."""
    return torch.from_numpy(integers(low, high, *shape, seed=seed))


def initialised(module: nn.Module, scale: float = 0.4) -> nn.Module:
    """The module ready for inference, its parameters and statistics the same each time."""
    module.eval()
    for name, value in [*module.named_parameters(), *module.named_buffers()]:
        if value.is_floating_point():
            drawn = normal(*value.shape, seed=name) * scale
            value.data = torch.from_numpy(abs(drawn) + 0.5 if name.endswith("running_var") else drawn).to(
                value.dtype
            )
    return module


class Function(nn.Module):
    """A module that is one function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *arguments: Any) -> Any:
        return self.function(*arguments)


def dynamo(
    program: Callable[..., Any],
    calls: Sequence[Arguments],
    shapes: Sequence[Any] | None = None,
    *,
    opset: int | None = None,
    optimize: bool = True,
    **remarks: str,
) -> Made:
    """By `torch.export`. `shapes` has the dynamic dimensions of each argument; the first call is the example.

    Without `optimize` the exporter's own functions stay functions.
    """
    module = program if isinstance(program, nn.Module) else Function(program)
    initialised(module)
    # A function takes its arguments as one tuple.
    dynamic = None if shapes is None else (tuple(shapes) if module is program else (tuple(shapes),))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = torch.onnx.export(
            module,
            calls[0],
            dynamo=True,
            dynamic_shapes=dynamic,
            verbose=False,
            opset_version=opset,
            optimize=optimize,
        )
    assert made is not None
    return _made(made.model_proto, module, calls, **remarks)


def script(
    module: nn.Module,
    calls: Sequence[Arguments],
    axes: Mapping[str, Sequence[int]] | None = None,
    *,
    names: Sequence[str] | None = None,
    opset: int = 17,
    traced: bool = False,
    **remarks: str,
) -> Made:
    """By TorchScript: a module that is compiled with its loops and branches, or `traced` along the first call."""
    initialised(module)
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module if traced else torch.jit.script(module),
            calls[0],
            file,
            dynamo=False,
            opset_version=opset,
            input_names=None if names is None else list(names),
            dynamic_axes={n: {d: f"{n}_{d}" for d in places} for n, places in (axes or {}).items()},
        )
    return _made(onnx.load_from_string(file.getvalue()), module, calls, **remarks)


def _made(model: onnx.ModelProto, module: nn.Module, calls: Sequence[Arguments], **remarks: str) -> Made:
    feeds: list[dict[str, Value]] = []
    expected: list[list[Value]] = []
    names = [i.name for i in model.graph.input]
    listed = any(i.type.HasField("sequence_type") for i in model.graph.input)
    for call in calls:
        leaves = list(call) if listed else [leaf for leaf in pytree.tree_leaves(call) if leaf is not None]
        feeds.append(dict(zip(names, map(array, leaves), strict=True)))
        with torch.no_grad():
            outputs = module(*pytree.tree_map(lambda v: v.clone() if isinstance(v, Tensor) else v, call))
        expected.append(_outputs(model, outputs))
    return Made(model, feeds, expected, **remarks)


def _outputs(model: onnx.ModelProto, outputs: Any) -> list[Value]:
    """Return the module's results in the order of the model's outputs.

    Lists stay whole if the model gives sequences.
    """
    if any(o.type.HasField("sequence_type") for o in model.graph.output):
        return [array(v) for v in (outputs if isinstance(outputs, tuple) else (outputs,))]
    return [array(v) for v in pytree.tree_leaves(outputs)]


def array(value: Any) -> Value:
    """torch's tensors and Python's numbers as they are fed."""
    if isinstance(value, list):
        return [np.asarray(array(v)) for v in value]
    if isinstance(value, Tensor):
        value = value.detach().contiguous()
        if value.dtype == torch.bfloat16:
            import ml_dtypes

            return value.view(torch.uint16).numpy().view(ml_dtypes.bfloat16)
        return value.numpy()
    return np.asarray(value, np.float32 if isinstance(value, float) else None)
