"""emx-onnx-cgen: its C, compiled for this processor and called by a pointer to the function.

Extents are those of the feed, temporaries on the heap where they are large, as by default. Weights are in the C.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnx

from engines.protocol import Prepared, Refused, serve

FLAGS = ("-O2", "-march=native", "-fno-math-errno", "-shared", "-fPIC")
DTYPES = {"float": "float32", "double": "float64", "bool": "bool", "_Bool": "bool"}
"""Types of C whose names are not those of numpy with `_t` behind them."""


def prepare(model: Path, feed: Mapping[str, np.ndarray]) -> Prepared:
    """Parameters are arrays: the inputs in order, then the outputs."""
    # A library that is loaded stays what its path means: each feed has files of its own.
    folder = Path(tempfile.mkdtemp(dir=model.parent))
    source, library = folder / "model.c", folder / "model.so"
    graph = onnx.load(model).graph
    constant = {tensor.name for tensor in graph.initializer}
    inputs = [port for port in graph.input if port.name not in constant]
    extents = [
        f"{port.name}:{axis}={feed[port.name].shape[axis]}"
        for port in inputs
        for axis, extent in enumerate(port.type.tensor_type.shape.dim)
        if not extent.HasField("dim_value")
    ]
    command = [sys.executable, "-m", "emx_onnx_cgen", "compile", str(model), str(source)]
    command += ["--model-name", "model", "--large-weight-threshold", "0"]
    command += [word for extent in extents for word in ("--input-dim", extent)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        said = (made.stdout + made.stderr).rpartition("Result: ")[2].strip()
        raise Refused(said)
    subprocess.run(["cc", *FLAGS, str(source), "-o", str(library), "-lm"], check=True, capture_output=True)
    function = ctypes.CDLL(str(library)).model
    function.restype = None
    parameters = _parameters(source.read_text())
    if len(parameters) != len(inputs) + len(graph.output):
        raise Refused(f"the function has {len(parameters)} parameters")
    given = [np.ascontiguousarray(feed[port.name]) for port in inputs]
    found = [np.zeros(shape, dtype) for dtype, shape in parameters[len(given) :]]
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (*given, *found)]
    shaped = {
        port.name: array.reshape(()) if not port.type.tensor_type.shape.dim else array
        for port, array in zip(graph.output, found)
    }
    return Prepared(lambda: function(*pointers), lambda _: {name: a.copy() for name, a in shaped.items()})


def _parameters(source: str) -> list[tuple[str, tuple[int, ...]]]:
    """The element type and extents of each parameter, from `void model(const float x[restrict 5][3], …) {`."""
    (signature,) = re.findall(r"^void model\((.*?)\) \{$", source, re.M)
    found: list[tuple[str, tuple[int, ...]]] = []
    for parameter in signature.split(", "):
        matched = re.fullmatch(r"(?:const )?(\w+) \w+((?:\[(?:restrict )?\d+\])+)", parameter)
        if not matched:
            raise Refused(f"a parameter that is no array: {parameter}")
        extents = tuple(map(int, re.findall(r"\d+", matched[2])))
        found.append((DTYPES.get(matched[1], matched[1].removesuffix("_t")), extents))
    return found


if __name__ == "__main__":
    serve(f"emx-onnx-cgen {version('emx-onnx-cgen')}", prepare)
