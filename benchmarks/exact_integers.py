"""Exactness of integers in the int8 networks of MLPerf Tiny.

Every quantised tensor is compared with exact arithmetic, on many inputs.

    python benchmarks/exact_integers.py [--inputs 1000] [--models kws_int8,ad01_int8]

What is right is computed here from the network as ONNX (`quantised_as_onnx.py`, form `qlinear`): sums of integers, and for each of them the
rational number that its scales give, rounded once, halves to even. Nothing of loomir is used for it. Compared are the native engine, with
the number of values that the pass has proved, ONNX Runtime on the same model (which saturates sums of 16 bits on processors without VNNI
unless `session.x64quantprecision` is 1), and of OpenVINO on the network itself. A softmax is no rational
number: its integers are those of double precision.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from engines.process import Process
from onnx import helper, numpy_helper
from quantised_as_onnx import quantised_network
from real_models import MODELS
from runners import print_markdown, some_of

import loomir
from loomir.dialects.diagnostics import Remark, listening

NETWORKS = ("kws_int8", "ad01_int8", "resnet8_int8", "vww_int8")
BATCH = 50
"""How many inputs are computed at once."""
NEAR = 1e-6
"""How near to the middle of two integers a double may be, so that exact arithmetic decides. Of a number below 1,000 it
is wrong by less than 1e-12."""


LAST = "the last tensor"


def exactly_rounded(total: np.ndarray, ratios: Sequence[Fraction], axis: int = 1) -> np.ndarray:
    """round(ratio · total) with a ratio for each index of an axis, or one for all."""
    shape = [-1 if k == axis else 1 for k in range(total.ndim)] if len(ratios) > 1 else [1] * total.ndim
    real = total * np.array([float(ratio) for ratio in ratios]).reshape(shape)
    result = np.rint(real).astype(np.int64)
    doubtful = (np.abs(np.abs(real - np.floor(real)) - 0.5) < NEAR) & (np.abs(real) < 1000)
    for place in zip(*np.nonzero(doubtful)):
        ratio = ratios[place[axis] if len(ratios) > 1 else 0]
        result[place] = round(ratio * int(total[place]))
    return result


def _fractions(scales: np.ndarray) -> list[Fraction]:
    return [Fraction(float(scale)) for scale in np.asarray(scales).reshape(-1)]


class Reference:
    """The integers of a network of QLinear operators, by exact arithmetic."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._nodes = list(model.graph.node)
        self._input = model.graph.input[0].name

    def run(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """All tensors."""
        values: dict[str, Any] = {self._input: x, "": None}
        for node in self._nodes:
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            if node.op_type == "Constant":
                values[node.output[0]] = numpy_helper.to_array(attributes["value"])
                continue
            compute: Callable[..., Any] = getattr(self, f"_{node.op_type.lower()}")
            values[node.output[0]] = compute(*(values[name] for name in node.input), **attributes)
        return values

    @staticmethod
    def _onto(total: np.ndarray, ratios: Sequence[Fraction], zero: np.ndarray, axis: int = 1) -> np.ndarray:
        return np.clip(exactly_rounded(total, ratios, axis) + int(zero), -128, 127).astype(np.int8)

    @staticmethod
    def _transpose(x: np.ndarray, perm: Sequence[int]) -> np.ndarray:
        return x.transpose(perm)

    @staticmethod
    def _reshape(x: np.ndarray, shape: np.ndarray) -> np.ndarray:
        return x.reshape(shape)

    @staticmethod
    def _identity(x: np.ndarray) -> np.ndarray:
        return x

    @staticmethod
    def _dequantizelinear(q: np.ndarray, scale: np.ndarray, zero: np.ndarray) -> tuple[np.ndarray, Fraction]:
        """Integers and their scale: between two quantisations, and at the border of the network."""
        return q.astype(np.int64) - int(zero), Fraction(float(scale))

    def _quantizelinear(
        self, x: tuple[np.ndarray, Fraction], scale: np.ndarray, zero: np.ndarray
    ) -> np.ndarray:
        integers, step = x
        return self._onto(integers, [step / Fraction(float(scale))], zero)

    def _qlinearconv(
        self,
        x: np.ndarray,
        xs: np.ndarray,
        xz: np.ndarray,
        w: np.ndarray,
        ws: np.ndarray,
        wz: np.ndarray,
        ys: np.ndarray,
        yz: np.ndarray,
        bias: np.ndarray,
        *,
        group: int,
        strides: Sequence[int],
        dilations: Sequence[int],
        pads: Sequence[int],
    ) -> np.ndarray:
        assert not wz.any()
        assert tuple(dilations) == (1, 1)
        top, left, bottom, right = pads
        centred = np.pad(x.astype(np.float64) - int(xz), ((0, 0), (0, 0), (top, bottom), (left, right)))
        windows = np.lib.stride_tricks.sliding_window_view(centred, w.shape[2:], (2, 3))
        windows = windows[:, :, :: strides[0], :: strides[1]]
        # (Sums below 2^53: doubles are exact.)
        parts = [
            np.einsum("nchwij,ocij->nohw", a, b.astype(np.float64), optimize=True)
            for a, b in zip(np.split(windows, group, 1), np.split(w, group, 0), strict=True)
        ]
        total = np.concatenate(parts, 1).astype(np.int64) + bias.astype(np.int64).reshape(1, -1, 1, 1)
        ratio = Fraction(float(xs)) / Fraction(float(ys))
        return self._onto(total, [ratio * scale for scale in _fractions(ws)], yz)

    def _qgemm(
        self,
        a: np.ndarray,
        s: np.ndarray,
        az: np.ndarray,
        b: np.ndarray,
        bs: np.ndarray,
        bz: np.ndarray,
        bias: np.ndarray,
        ys: np.ndarray,
        yz: np.ndarray,
        *,
        transB: int,
    ) -> np.ndarray:
        assert transB
        assert not bz.any()
        product = (a.astype(np.float64) - int(az)) @ b.astype(np.float64).T
        ratio = Fraction(float(s)) / Fraction(float(ys))
        total = product.astype(np.int64) + bias.astype(np.int64)
        return self._onto(total, [ratio * scale for scale in _fractions(bs)], yz)

    def _qlinearadd(
        self,
        a: np.ndarray,
        s: np.ndarray,
        az: np.ndarray,
        b: np.ndarray,
        bs: np.ndarray,
        bz: np.ndarray,
        ys: np.ndarray,
        yz: np.ndarray,
    ) -> np.ndarray:
        # Both as multiples of what divides both scales: floats, whose common denominator is a power of two.
        first, second = Fraction(float(s)), Fraction(float(bs))
        unit = Fraction(1, max(first.denominator, second.denominator))
        total = (a.astype(np.int64) - int(az)) * int(first / unit) + (b.astype(np.int64) - int(bz)) * int(
            second / unit
        )
        return self._onto(total, [unit / Fraction(float(ys))], yz)

    def _qlinearglobalaveragepool(
        self, x: np.ndarray, s: np.ndarray, z: np.ndarray, ys: np.ndarray, yz: np.ndarray
    ) -> np.ndarray:
        total = (x.astype(np.int64) - int(z)).sum((2, 3), keepdims=True)
        count = x.shape[2] * x.shape[3]
        return self._onto(total, [Fraction(float(s)) / (Fraction(float(ys)) * count)], yz)

    @staticmethod
    def _qlinearsoftmax(
        x: np.ndarray, s: np.ndarray, z: np.ndarray, ys: np.ndarray, yz: np.ndarray, *, axis: int, opset: int
    ) -> np.ndarray:
        """In double precision."""
        logits = (x.astype(np.float64) - int(z)) * float(s)
        exponentials = np.exp(logits - logits.max(axis, keepdims=True))
        real = exponentials / exponentials.sum(axis, keepdims=True) / float(ys)
        return np.clip(np.rint(real) + int(yz), -128, 127).astype(np.int8)


def with_all_outputs(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with every quantised tensor as an output."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    made.graph.output.extend(
        info for info in model.graph.value_info if any(info.name in node.output for node in model.graph.node)
    )
    return made


def inputs_of(model: onnx.ModelProto, count: int) -> Iterator[np.ndarray]:
    """Random inputs: of all integers, and such that neighbours are near to each other."""
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    random = np.random.default_rng(0)
    for k in range(0, count, shape[0]):
        x = random.integers(-128, 128, shape)
        if k // shape[0] % 2:
            x = np.clip(np.cumsum(x, 1) // 4, -128, 127)
        yield x.astype(np.int8)


def differing(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> tuple[int, int]:
    """How many integers there are, and how many differ."""
    pairs = [(array, wanted[name]) for name, array in found.items()]
    return sum(a.size for a, _ in pairs), sum(int((a != b).sum()) for a, b in pairs)


def rows(names: Sequence[str], count: int, batch: int = BATCH, *, others: bool = True) -> Iterator[list[str]]:
    """A line of the table for each network and engine."""
    for name in names:
        (file,) = [model.file for model in MODELS if model.name == name]
        model = with_all_outputs(quantised_network(file, "qlinear", batch))
        (read,) = [info.name for info in model.graph.input]
        remarks: list[Remark] = []
        with listening(remarks.append):
            program = loomir.load(model, integers=True)
        proofs = [remark.numbers for remark in remarks if "wrong" in remark.numbers]
        proved = (
            f"{sum(p['values'] for p in proofs):,} values proved, {sum(p['wrong'] for p in proofs)} wrong"
        )
        engines: dict[str, Callable[[np.ndarray], dict[str, np.ndarray]]] = {
            "loomir": lambda x, run=program.run, read=read: run({read: x}, engine="native")
        }
        if others:
            for title, precision in ((f"ONNX Runtime, {LAST}", "0"), ("with x64quantprecision", "1")):
                engines[title] = onnxruntime_of(quantised_network(file, "qdq", batch), precision)
        reference, counts = Reference(model), {title: np.zeros(2, np.int64) for title in engines}
        last, given = model.graph.output[0].name, list[np.ndarray]()
        wanted_last: list[np.ndarray] = []
        for x in inputs_of(model, count):
            wanted = reference.run(x)
            wanted[LAST] = wanted[last]
            for title, run in engines.items():
                counts[title] += differing(run(x), wanted)
            given.append(x)
            wanted_last.append(wanted[last])
        for title, (compared, differ) in counts.items():
            yield [name, title, f"{compared:,}", f"{differ:,}", proved if title == "loomir" else ""]
        if others:
            found = openvino_of(file, np.concatenate(given))
            compared, differ = differing({last: found}, {last: np.concatenate(wanted_last)})
            yield [name, f"OpenVINO, {LAST}", f"{compared:,}", f"{differ:,}", ""]


def onnxruntime_of(model: onnx.ModelProto, precision: str) -> Callable[[np.ndarray], dict[str, np.ndarray]]:
    """ONNX Runtime, with sums of 16 bits that saturate or without."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", precision)
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    read, names = session.get_inputs()[0].name, [output.name for output in session.get_outputs()]
    assert len(names) == 1
    return lambda x: {LAST: np.asarray(session.run(None, {read: x})[0])}


def openvino_of(file: Path, x: np.ndarray) -> np.ndarray:
    """OpenVINO's output of the network itself."""
    (info,) = loomir.load(file, optimize=False).inputs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for suffix in (".xml", ".bin"):
            shutil.copy(file.with_suffix(suffix), folder / f"model{suffix}")
        np.savez(folder / "feed.npz", **{info.name: x})  # pyright: ignore[reportArgumentType]
        runner = Process("openvino", folder)
        runner.close()
        found = next(iter(runner.outputs.values()))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Whether integers are those of exact arithmetic.")
    parser.add_argument(
        "--models",
        type=some_of(NETWORKS),
        default=",".join(NETWORKS),
        metavar="NAMES",
        help="some of %(default)s",
    )
    parser.add_argument("--inputs", type=int, default=1000, help="how many (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.inputs < 1:
        parser.error("--inputs: at least one")
    print_markdown(
        f"Integers of {arguments.inputs} inputs against exact arithmetic",
        ["network", "", "integers", "differing", "proof"],
        rows(arguments.models, arguments.inputs),
    )


if __name__ == "__main__":
    main()
