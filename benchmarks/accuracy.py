"""A small network, trained here on pictures made here, quantised by ONNX Runtime's quantiser: how often each form of it is right.

    python benchmarks/accuracy.py [--pictures 2000] [--seed 0]

The pictures are of 16 × 16 pixels: a disc, a ring, a cross or a triangle of any place and size, under noise. The network has two
convolutions and a product; training is plain stochastic gradient descent with momentum, in numpy, of a fixed seed. `quantised` computes
with floats what QuantizeLinear and DequantizeLinear say, `integers` is the same file with `integers=True`; both forms that the quantiser
writes are there.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from runners import print_markdown

import loomir
from loomir.compiler.feeds import TensorInfo
from loomir.compiler.model import Model

SIZE, CLASSES, CHANNELS = 16, 4, (8, 16)
BATCH, EPOCHS, RATE, MOMENTUM = 50, 25, 0.05, 0.9


def pictures(count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """`[count, 1, 16, 16]` floats, and what is on each."""
    kinds = random.integers(0, CLASSES, count)
    y, x = np.mgrid[:SIZE, :SIZE]
    found = np.zeros((count, 1, SIZE, SIZE), np.float32)
    for k, kind in enumerate(kinds):
        radius = random.uniform(3, 6)
        row, column = random.uniform(radius, SIZE - 1 - radius, 2)
        down, right = y - row, x - column
        away = np.hypot(down, right)
        shape = (
            away < radius,
            np.abs(away - radius + 1) < 1.2,
            ((np.abs(down) < 1.2) | (np.abs(right) < 1.2))
            & (np.maximum(np.abs(down), np.abs(right)) < radius),
            (np.abs(right) < (down + radius) / 2) & (np.abs(down) < radius),
        )[kind]
        found[k, 0] = shape * random.uniform(0.6, 1.4)
    found += random.normal(0, 0.15, found.shape)
    return found.astype(np.float32), kinds


def _windows(x: np.ndarray) -> np.ndarray:
    """Windows of 3 × 3 over a padded picture, `[N, H, W, C · 9]`."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    view = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    return view.transpose(0, 2, 3, 1, 4, 5).reshape(x.shape[0], *x.shape[2:], -1)


class Network:
    """conv 3×3, ReLU, max 2×2, conv 3×3, ReLU, mean, product."""

    def __init__(self, random: np.random.Generator) -> None:
        one, two = CHANNELS
        self.weights = [
            (random.normal(0, np.sqrt(2 / fan), shape)).astype(np.float32)
            for fan, shape in ((9, (9, one)), (9 * one, (9 * one, two)), (two, (two, CLASSES)))
        ]
        self.weights += [np.zeros(n, np.float32) for n in (one, two, CLASSES)]
        self._moving = [np.zeros_like(w) for w in self.weights]

    def step(self, x: np.ndarray, kinds: np.ndarray) -> float:
        """One step of descent; the loss before it."""
        w1, w2, w3, b1, b2, b3 = self.weights
        n = len(x)
        first = _windows(x)
        a1 = np.maximum(first @ w1 + b1, 0)
        half = a1.reshape(n, SIZE // 2, 2, SIZE // 2, 2, -1)
        pooled = half.max((2, 4))
        second = _windows(pooled.transpose(0, 3, 1, 2))
        a2 = np.maximum(second @ w2 + b2, 0)
        mean = a2.mean((1, 2))
        logits = mean @ w3 + b3
        e = np.exp(logits - logits.max(1, keepdims=True))
        share = e / e.sum(1, keepdims=True)
        loss = float(-np.log(share[np.arange(n), kinds] + 1e-9).mean())
        d = share
        d[np.arange(n), kinds] -= 1
        d /= n
        g3, gb3 = mean.T @ d, d.sum(0)
        d2 = (d @ w3.T)[:, None, None, :] / (a2.shape[1] * a2.shape[2]) * (a2 > 0)
        g2 = second.reshape(-1, second.shape[-1]).T @ d2.reshape(-1, d2.shape[-1])
        back = (d2 @ w2.T).reshape(*d2.shape[:3], CHANNELS[0], 3, 3)
        padded = np.zeros((n, SIZE // 2 + 2, SIZE // 2 + 2, CHANNELS[0]), np.float32)
        for i in range(3):
            for j in range(3):
                padded[:, i : i + SIZE // 2, j : j + SIZE // 2] += back[..., i, j]
        inner = padded[:, 1:-1, 1:-1]
        d1 = ((half == pooled[:, :, None, :, None]) * inner[:, :, None, :, None]).reshape(a1.shape) * (a1 > 0)
        g1 = first.reshape(-1, 9).T @ d1.reshape(-1, CHANNELS[0])
        gradients = [g1, g2, g3, d1.sum((0, 1, 2)), d2.sum((0, 1, 2)), gb3]
        for w, m, g in zip(self.weights, self._moving, gradients, strict=True):
            m *= MOMENTUM
            m -= RATE * g
            w += m
        return loss

    def as_onnx(self) -> onnx.ModelProto:
        """For any number of pictures."""
        one, two = CHANNELS
        w1, w2, w3, b1, b2, b3 = self.weights
        constants = {
            "w1": w1.reshape(1, 3, 3, one).transpose(3, 0, 1, 2),
            "w2": w2.reshape(one, 3, 3, two).transpose(3, 0, 1, 2),
            "w3": w3,
            "b1": b1,
            "b2": b2,
            "b3": b3,
        }
        nodes = [
            helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1] * 4),
            helper.make_node("Relu", ["c1"], ["r1"]),
            helper.make_node("MaxPool", ["r1"], ["p1"], kernel_shape=[2, 2], strides=[2, 2]),
            helper.make_node("Conv", ["p1", "w2", "b2"], ["c2"], pads=[1] * 4),
            helper.make_node("Relu", ["c2"], ["r2"]),
            helper.make_node("GlobalAveragePool", ["r2"], ["g"]),
            helper.make_node("Flatten", ["g"], ["f"]),
            helper.make_node("Gemm", ["f", "w3", "b3"], ["y"]),
        ]
        graph = helper.make_graph(
            nodes,
            "pictures",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1, SIZE, SIZE])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", CLASSES])],
            [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in constants.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def trained(seed: int, count: int = 4000, epochs: int = EPOCHS) -> Network:
    """A network that has seen so many pictures so often."""
    random = np.random.default_rng(seed)
    x, kinds = pictures(count, random)
    network = Network(random)
    for _ in range(epochs):
        order = random.permutation(count)
        for k in range(0, count, BATCH):
            network.step(x[order[k : k + BATCH]], kinds[order[k : k + BATCH]])
    return network


def quantised(model: onnx.ModelProto, x: np.ndarray, folder: Path) -> dict[str, onnx.ModelProto]:
    """The model as ONNX Runtime's quantiser leaves it, calibrated with pictures, in both of its forms."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    class Pictures(CalibrationDataReader):
        def __init__(self) -> None:
            self._rest = iter([{"x": part} for part in np.array_split(x, 10)])

        def get_next(self) -> dict[str, np.ndarray]:  # pyright: ignore[reportIncompatibleMethodOverride]
            return next(self._rest, {})

    # (It advises everybody to optimise the model before.)
    logging.getLogger().setLevel(logging.ERROR)
    onnx.save(model, folder / "floats.onnx")
    found: dict[str, onnx.ModelProto] = {}
    for title, form in (("QDQ", QuantFormat.QDQ), ("QOperator", QuantFormat.QOperator)):
        file = folder / f"{title}.onnx"
        types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
        quantize_static(
            folder / "floats.onnx", file, Pictures(), quant_format=form, per_channel=True, **types
        )
        found[title] = onnx.load(file)
    return found


def _fed(form: Model, x: np.ndarray) -> np.ndarray:
    """Return the input of a form: floats, or their quantised integers."""
    info = form.inputs[0]
    assert isinstance(info, TensorInfo)
    return x if info.quantisation is None else info.quantisation.integers(x, info.dtype)


def rows(count: int, seed: int, *, epochs: int = EPOCHS) -> Iterator[list[str]]:
    """A line of the table for each form: how many pictures it is right about, and how many it says the same of as floats."""
    network, random = trained(seed, epochs=epochs).as_onnx(), np.random.default_rng(seed + 1)
    x, kinds = pictures(count, random)
    with tempfile.TemporaryDirectory() as folder:
        models = quantised(network, pictures(500, random)[0], Path(folder))
    forms = {"floats": loomir.load(network)}
    for title, model in models.items():
        forms[f"{title}, quantised"] = loomir.load(model)
        forms[f"{title}, integers"] = loomir.load(model, integers=True)
        forms[f"{title}, integers, int8 in and out"] = loomir.load(model, io="int8")
    said: dict[str, np.ndarray] = {}
    for title, form in forms.items():
        said[title] = form.run({"x": _fed(form, x)}, engine="native")["y"].argmax(1)
        base = said.get(f"{title.partition(',')[0]}, quantised", said["floats"])
        yield [
            title,
            f"{(said[title] == kinds).mean():.2%}",
            f"{(said[title] == said['floats']).mean():.2%}",
            f"{(said[title] == base).mean():.2%}",
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description="How often a quantised network is right.")
    parser.add_argument("--pictures", type=int, default=2000, help="to be told apart (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of pictures and training (default: %(default)s)")
    arguments = parser.parse_args()
    print_markdown(
        f"{arguments.pictures} pictures that the network has not seen",
        ["form", "right", "as floats", "as quantised"],
        rows(arguments.pictures, arguments.seed),
    )


if __name__ == "__main__":
    main()
