"""OpenVINO as an oracle, in a process of its own: it can crash or hang.

As a program: `python openvino_process.py run MODEL.xml FEEDS.npz OUT.npz` runs every feed (keys
`<call>/<input index>`), in floats between FakeQuantize operations too, as these say;
`… names MODEL.xml` prints what inputs and outputs are called once the model is compiled;
`… save MODEL.xml OUT.xml` writes the model again;
`… cut MODEL.xml OUT.xml TYPE` saves the model with the input of its only layer of that type as its output;
`… open MODEL.xml OUT.xml TYPE SHAPE` cuts it open at each layer of that type that does not only see constants: what goes in becomes
an output, what comes out an input of the model.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from loomir.compiler.files import write_arrays
from loomir.tools.fuzz.openvino_oracle import EXACT

SECONDS = 120


def run_openvino(model: Path, feeds: Sequence[Sequence[np.ndarray]], folder: Path) -> list[list[np.ndarray]]:
    """The outputs in order for each call's inputs in order (CPU, the same on every processor)."""
    given, result = folder / "feeds.npz", folder / "results.npz"
    write_arrays(given, {f"{c}/{i}": a for c, feed in enumerate(feeds) for i, a in enumerate(feed)})
    _call("run", str(model), str(given), str(result))
    with np.load(result) as stored:
        return [
            [stored[f"{c}/{i}"] for i in range(sum(key.startswith(f"{c}/") for key in stored.files))]
            for c in range(len(feeds))
        ]


def names_in_openvino(model: Path) -> tuple[list[set[str]], list[set[str]]]:
    """All names of each input and each output of the compiled model."""
    inputs, outputs = json.loads(_call("names", str(model)))
    return [set(names) for names in inputs], [set(names) for names in outputs]


def saved_by_openvino(model: Path, output: Path) -> None:
    """Read the model, and write it."""
    _call("save", str(model), str(output))


def cut_before(model: Path, layer_type: str, output: Path) -> None:
    """Save the model so that it gives what goes into its only layer of this type."""
    _call("cut", str(model), str(output), layer_type)


def open_at(model: Path, layer_type: str, shape: Sequence[int], output: Path) -> None:
    """Save the model, its input of this shape, opened at the layers of a type: each one's operand is an output, its result an
    input, in one order and behind those of the model. So each part between two of them can be looked at alone.
    """
    _call("open", str(model), str(output), layer_type, ",".join(map(str, shape)))


def _call(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, __file__, *arguments], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, f"OpenVINO failed:\n{done.stderr}"
    return done.stdout


def _main(command: str, model_path: str, *rest: str) -> None:
    import openvino as ov

    core = ov.Core()
    model = core.read_model(model_path)
    if command == "names":
        made = core.compile_model(model, "CPU", EXACT)
        print(
            json.dumps(
                [[sorted(port.get_names()) for port in ports] for ports in (made.inputs, made.outputs)]
            )
        )
        return
    if command == "save":
        ov.serialize(model, rest[0], str(Path(rest[0]).with_suffix(".bin")))
        return
    if command == "cut":
        output, wanted = rest
        (layer,) = [o for o in model.get_ordered_ops() if o.get_type_name() == wanted]
        cut = ov.Model([layer.input_value(0)], model.get_parameters(), "cut")
        ov.serialize(cut, output, str(Path(output).with_suffix(".bin")))
        return
    if command == "open":
        output, wanted, shape = rest
        model.reshape([int(e) for e in shape.split(",")])
        ov.serialize(_opened(model, wanted), output, str(Path(output).with_suffix(".bin")))
        return
    given, result = rest
    compiled = core.compile_model(model, "CPU", EXACT)
    outputs: dict[str, np.ndarray] = {}
    with np.load(given) as feeds:
        calls = sorted({int(key.split("/")[0]) for key in feeds.files})
        for call in calls:
            count = sum(key.startswith(f"{call}/") for key in feeds.files)
            values = compiled([feeds[f"{call}/{i}"] for i in range(count)])
            for index, value in enumerate(values.values()):
                outputs[f"{call}/{index}"] = np.array(value)
    write_arrays(result, outputs)


def _opened(model, wanted: str):
    import openvino as ov

    varying = {p.get_name() for p in model.get_parameters()}
    parameters, results = list(model.get_parameters()), [r.input_value(0) for r in model.get_results()]
    for layer in model.get_ordered_ops():
        if any(v.get_node().get_name() in varying for v in layer.input_values()):
            varying.add(layer.get_name())
        if layer.get_type_name() != wanted or layer.get_name() not in varying:
            continue
        results.append(layer.input_value(0))
        whole = layer.output(0)
        parameter = ov.opset13.parameter(
            whole.get_partial_shape(), whole.get_element_type(), name=f"open{len(parameters)}"
        )
        for consumer in whole.get_target_inputs():
            consumer.replace_source_output(parameter.output(0))
        parameters.append(parameter)
        varying.add(parameter.get_name())
    return ov.Model(results, parameters, "opened")


if __name__ == "__main__":
    _main(*sys.argv[1:])
