"""OpenVINO for many small models, in a process of its own: it can crash or hang.

Reads a folder's path per line, converts `model.onnx` there (if there is one) to `model.xml`, runs that on `feed.npz`, and writes
`results.npz`. Answers each line with one line of JSON: what went wrong, or which array of the feed each Parameter takes; `layers` has the
attributes that OpenVINO knows of each layer by its name.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from loomir.compiler.files import write_arrays
from loomir.tools.fuzz.openvino_oracle import EXACT

TYPES = {
    "bfloat16": "bf16", "float8_e4m3fn": "f8e4m3", "float8_e5m2": "f8e5m2", "float8_e8m0fnu": "f8e8m0", "int4": "i4", "uint4": "u4",
    "uint2": "u2", "float4_e2m1fn": "f4e2m1",
}  # fmt: skip
"""OpenVINO's name of each type that numpy does not have itself. npz files hold such arrays as bytes, with the type's name behind the
tensor's."""

DTYPES = {name: np.dtype(getattr(ml_dtypes, name)) for name in TYPES}
PACKED = {"int4": 4, "uint4": 4, "uint2": 2, "float4_e2m1fn": 4}
"""Bits of the types of which several elements share a byte in OpenVINO, the first one lowest."""


def store(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays of any type."""
    raw: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        known = array.dtype.name in DTYPES
        width = np.dtype(f"u{array.dtype.itemsize}") if known else array.dtype
        view = np.ascontiguousarray(array).view(width).reshape(array.shape)
        raw[f"{name}|{array.dtype.name if known else ''}"] = view
    write_arrays(path, raw)


def stored(path: Path) -> dict[str, np.ndarray]:
    """Read the arrays that `store` wrote, in its order."""
    arrays: dict[str, np.ndarray] = {}
    with np.load(path, allow_pickle=False) as file:
        for key in file.files:
            name, _, kind = key.rpartition("|")
            arrays[name] = file[key].view(DTYPES[kind]) if kind else file[key]
    return arrays


def _tensor(array: np.ndarray) -> Any:
    """An OpenVINO tensor of an array; types that it shows to numpy as others are written as bytes."""
    import openvino as ov

    array = np.ascontiguousarray(array).reshape(array.shape)
    name = array.dtype.name
    if name not in TYPES:
        return ov.Tensor(array)
    tensor = ov.Tensor(getattr(ov.Type, TYPES[name]), ov.Shape(array.shape))
    raw = array.reshape(-1).view(np.uint8)
    if name in PACKED:
        bits, per_byte = PACKED[name], 8 // PACKED[name]
        raw = np.pad(raw & (2**bits - 1), (0, -raw.size % per_byte)).reshape(-1, per_byte)
        raw = np.bitwise_or.reduce(raw << (np.arange(per_byte) * bits).astype(np.uint8), axis=1)
    tensor.data.reshape(-1).view(np.uint8)[...] = raw
    return tensor


def _array(tensor: Any) -> np.ndarray:
    """The contents of an OpenVINO tensor in their own type."""
    names = {short: name for name, short in TYPES.items()}
    name = names.get(tensor.element_type.get_type_name())
    shape = tuple(tensor.shape)
    data = np.array(tensor.data)
    if name is None:
        return data.reshape(shape)
    raw = data.reshape(-1).view(np.uint8)
    if name in PACKED:
        bits, per_byte = PACKED[name], 8 // PACKED[name]
        raw = (raw[:, None] >> (np.arange(per_byte) * bits).astype(np.uint8)) & (2**bits - 1)
        raw = raw.reshape(-1)[: int(np.prod(shape))]
        if name == "int4":
            # ml_dtypes looks at the low bits, but writes all: the sign is in each of them.
            raw = (raw ^ 8) - 8 & 255
        raw = raw.astype(np.uint8)
    return raw.view(DTYPES[name]).reshape(shape)


def _convert(folder: Path) -> list[str] | None:
    """Make `model.xml` of `model.onnx`; the ONNX input that each Parameter is."""
    import openvino as ov
    from openvino._offline_transformations import apply_moc_transformations

    if not (folder / "model.onnx").exists():
        return None
    # What `ovc` does, but for its telemetry, which starts processes and waits for the network.
    model = ov.Core().read_model(folder / "model.onnx")
    # Where the operator is gone, its input may have the output's name; the order stays.
    feed = list(stored(folder / "feed.npz"))
    names = [p.get_friendly_name() for p in model.get_parameters()]
    apply_moc_transformations(model, False, False)
    ov.serialize(model, folder / "model.xml", folder / "model.bin")
    return [n if n in feed else feed[k] for k, n in enumerate(names)]


def _run(folder: Path, names: list[str]) -> None:
    """Run `model.xml`: what was saved counts, not what was converted."""
    import openvino as ov

    core = ov.Core()
    model = core.read_model(folder / "model.xml")
    feed = stored(folder / "feed.npz")
    request = core.compile_model(model, "CPU", EXACT).create_infer_request()
    for index, name in enumerate(names):
        request.set_input_tensor(index, _tensor(feed[name]))
    request.infer()
    results = {str(k): _array(request.get_output_tensor(k)) for k in range(len(model.outputs))}
    store(folder / "results.npz", results)


def _layers(folder: Path) -> dict[str, list[str]]:
    import openvino as ov

    model = ov.Core().read_model(folder / "model.xml")
    return {op.get_friendly_name(): sorted(op.get_attributes()) for op in model.get_ops()}


def _answer(folder: Path) -> dict[str, object]:
    try:
        names = _convert(folder) or list(stored(folder / "feed.npz"))
    except Exception as error:
        return {"convert": f"{type(error).__name__}: {error}"}
    answer: dict[str, object] = {"inputs": names}
    try:
        answer["layers"] = _layers(folder)
    except Exception as error:
        return {
            **answer,
            "read": f"{type(error).__name__}: {error}",
            "run": f"{type(error).__name__}: {error}",
        }
    try:
        _run(folder, names)
    except Exception as error:
        answer["run"] = f"{type(error).__name__}: {error}"
    return answer


def main() -> None:
    """Answer requests until there are none."""
    # What libraries print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    logging.disable(logging.CRITICAL)
    for line in sys.stdin:
        answers.write(json.dumps(_answer(Path(line.strip()))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
