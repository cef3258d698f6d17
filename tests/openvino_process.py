"""OpenVINO as an oracle, in a process of its own: it can crash or hang.

As a program: `python openvino_process.py run MODEL.xml FEEDS.npz OUT.npz YES` runs every feed (keys
`<call>/<input index>`), in integers where quantised; `… NO` computes in floats all the same;
`… cut MODEL.xml OUT.xml TYPE` saves the model with the input of its only layer of that type as its output;
`… end MODEL.xml OUT.xml NAME` saves it with the output of the layer of that name as its output.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

SECONDS = 120


def run_openvino(
    model: Path, feeds: Sequence[Sequence[np.ndarray]], folder: Path, *, low_precision: bool = True
) -> list[list[np.ndarray]]:
    """The outputs in order for each call's inputs in order (f32 precision, CPU).

    Between FakeQuantize operations OpenVINO computes in integers; without `low_precision` in floats, as the operations
    say.
    """
    given, result = folder / "feeds.npz", folder / "results.npz"
    np.savez(given, **{f"{c}/{i}": a for c, feed in enumerate(feeds) for i, a in enumerate(feed)})  # pyright: ignore[reportArgumentType]
    _call("run", str(model), str(given), str(result), "YES" if low_precision else "NO")
    with np.load(result) as stored:
        return [
            [stored[f"{c}/{i}"] for i in range(sum(key.startswith(f"{c}/") for key in stored.files))]
            for c in range(len(feeds))
        ]


def cut_before(model: Path, layer_type: str, output: Path) -> None:
    """Save the model so that it gives what goes into its only layer of this type."""
    _call("cut", str(model), str(output), layer_type)


def end_at(model: Path, layer: str, output: Path) -> None:
    """Save the model so that it gives the first output of the layer of this name."""
    _call("end", str(model), str(output), layer)


def _call(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, __file__, *arguments], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, f"OpenVINO failed:\n{done.stderr}"


def _main(command: str, model_path: str, *rest: str) -> None:
    import openvino as ov

    core = ov.Core()
    model = core.read_model(model_path)
    if command in ("cut", "end"):
        output, wanted = rest
        layers = model.get_ordered_ops()
        if command == "cut":
            (layer,) = [o for o in layers if o.get_type_name() == wanted]
            source = layer.input_value(0)
        else:
            (layer,) = [o for o in layers if o.get_friendly_name() == wanted]
            source = layer.output(0)
        cut = ov.Model([source], model.get_parameters(), "cut")
        ov.serialize(cut, output, str(Path(output).with_suffix(".bin")))
        return
    given, result, low_precision = rest
    options = {"INFERENCE_PRECISION_HINT": "f32", "LP_TRANSFORMS_MODE": low_precision}
    compiled = core.compile_model(model, "CPU", options)
    outputs: dict[str, np.ndarray] = {}
    with np.load(given) as feeds:
        calls = sorted({int(key.split("/")[0]) for key in feeds.files})
        for call in calls:
            count = sum(key.startswith(f"{call}/") for key in feeds.files)
            values = compiled([feeds[f"{call}/{i}"] for i in range(count)])
            for index, value in enumerate(values.values()):
                outputs[f"{call}/{index}"] = np.array(value)
    np.savez(result, **outputs)  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    _main(*sys.argv[1:])
