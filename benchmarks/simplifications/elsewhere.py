"""Results of other optimisers for the rows.

The optimisers are ONNX Runtime, onnxscript's optimiser and OpenVINO's CPU plugin.

All get a row's program as ONNX (`as_onnx.py`). What comes back as ONNX is imported, and then what the row asks is asked of it as of ours;
of OpenVINO's text the features are counted as they stand there (`openvino_text.py`): it has operators that only the plugin knows.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import onnx
import onnxruntime
from simplifications.as_onnx import as_onnx
from simplifications.features import features
from simplifications.measure import Form
from simplifications.openvino_text import UNKNOWN, features_of_text
from simplifications.rows import Row
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats.onnx.importer import load_onnx
from loomir.compiler.pipeline import run_passes
from loomir.errors import Error

OPENVINO = Path(__file__).parents[1] / "openvino_optimiser.py"


@dataclass(frozen=True)
class Verdict:
    """Verdict on a row, and numbers of operations.

    `holds` is True if the row's requirements hold; `operations` and `executed` are the numbers of operations present
    and executed. None means unknown.
    """

    holds: bool | None
    operations: int | None = None
    executed: int | None = None


def by_onnxruntime(model: onnx.ModelProto) -> onnx.ModelProto:
    """All optimisations of ONNX Runtime."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.optimized_model_filepath = str(path)
        options.log_severity_level = 4
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return onnx.load(path)


def by_onnxscript(model: onnx.ModelProto) -> onnx.ModelProto:
    """onnxscript's optimiser, which folds constants and rewrites patterns."""
    from onnxscript import optimizer

    return optimizer.optimize(model)


def verdicts(rows: tuple[Row, ...]) -> Iterator[tuple[Row, Verdict, dict[str, Verdict]]]:
    """For each row what its program is like as ONNX, untouched, and what the tools make of it."""
    models = {row.name: as_onnx(row.programs()[0]) for row in rows}
    texts = _by_openvino(models)
    for row in rows:
        model = models[row.name]
        found = {
            "ONNX Runtime": _verdict(row, model, by_onnxruntime),
            "onnxscript": _verdict(row, model, by_onnxscript),
            "OpenVINO": _verdict_of_text(row, texts[row.name]),
        }
        yield row, _verdict(row, model, lambda same: same), found


def _verdict(
    row: Row, model: onnx.ModelProto, optimise: Callable[[onnx.ModelProto], onnx.ModelProto]
) -> Verdict:
    try:
        module = _imported(optimise(model))
    except Error:
        return Verdict(None)  # an operator that only this tool has
    form = Form.of(module, row.feeds(row.programs()[0]))
    return Verdict(_holds(row, features(module)), form.operations, form.executed)


def _imported(model: onnx.ModelProto) -> ModuleOp:
    """The program as it stands there: with types, and with what nobody needs."""
    module = load_onnx(model)
    run_passes(module, "ov-infer")
    return module


def _holds(row: Row, counts: Mapping[str, int]) -> bool | None:
    """Return True if no count exceeds the row's limit.

    Return None if the row asks for a share of the iterations.
    """
    if "iterations in %" in row.asks:
        return None
    return all(counts.get(name, 0) <= most for name, most in row.asks.items())


def _by_openvino(models: Mapping[str, onnx.ModelProto]) -> dict[str, str]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        for row, model in models.items():
            onnx.save(model, folder / f"{row}.onnx")
        subprocess.run([sys.executable, OPENVINO, folder], check=True)
        return {row: (folder / f"{row}.xml").read_text() for row in models}


def _verdict_of_text(row: Row, text: str) -> Verdict:
    if not text:
        return Verdict(None)
    counts = features_of_text(text)
    holds = None if UNKNOWN & row.asks.keys() else _holds(row, counts)
    return Verdict(holds, counts["operations"])
