"""Many layers in one model that OpenVINO's API builds: imported, run in GRAPH and as C, compared with OpenVINO."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import loomir
from loomir.compiler.model import Engine
from tests.openvino_process import run_openvino
from tests.support import assert_agree

Layers = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""From the parameters by name to the layers whose first outputs are compared."""


def compare_layers(
    folder: Path,
    inputs: Mapping[str, np.ndarray],
    layers: Layers,
    *,
    dynamic: Sequence[str] = (),
    engines: Sequence[Engine] = ("graph", "native"),
    expected: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Every layer gives what OpenVINO gives, or what is `expected` by name.

    Inputs named in `dynamic` have no extents in the model that loomir reads, and are bounded by those of the arrays.
    """
    made, path = _saved(folder / "static.xml", inputs, layers)
    theirs = dict(zip(made, run_openvino(path, [list(inputs.values())], folder)[0], strict=True))
    theirs.update(expected or {})
    shapes = {name: list(inputs[name].shape) for name in dynamic}
    if dynamic:
        made, path = _saved(folder / "dynamic.xml", inputs, layers, dynamic)
    for engine in engines:
        bounded = dynamic and engine != "graph"
        ours = (loomir.load(path, max_shapes=shapes) if bounded else loomir.load(path)).run(
            dict(inputs), engine=engine
        )
        for (name, wanted), value in zip(theirs.items(), ours.values(), strict=True):
            assert_agree(value, wanted, f"{name} ({engine})")


def _saved(
    path: Path, inputs: Mapping[str, np.ndarray], layers: Layers, dynamic: Sequence[str] = ()
) -> tuple[list[str], Path]:
    """The names of the layers of a model that was written, and where to."""
    import openvino
    from openvino import opset13 as op

    parameters = {
        name: op.parameter([-1] * a.ndim if name in dynamic else list(a.shape), a.dtype, name=name)
        for name, a in inputs.items()
    }
    for name, parameter in parameters.items():
        parameter.output(0).get_tensor().set_names({name})
    made = layers(parameters)
    results = [op.result(layer.output(0)) for layer in made.values()]
    # Typed by hand: the stubs of openvino.Model contradict each other.
    make_model: Any = openvino.Model
    openvino.serialize(
        make_model(results, list(parameters.values()), "layers"), path, path.with_suffix(".bin")
    )
    return list(made), path
