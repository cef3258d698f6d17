"""Programs of the corpus: an ONNX model, inputs, and a truth computed apart from any runtime.

A module of this package has a function for each program. It returns `Parts`; `@program` makes a `Program` of them, under the
function's name, with the first line of its docstring as the description.

Models are written in ONNX's text form. Weights, and the constants of `COMMON` that the text names, become initializers. The truth
is computed by numpy from the same inputs and weights, in float64 and Python's integers, as a textbook writes it, not as the model does.

An output is right if it has the truth's shape, and

    max |output - truth| ≤ roundings · 2⁻²⁴ · max(max |truth|, scale)

A float32 operation has a relative error of at most 2⁻²⁴ (its result is rounded to nearest). `roundings` is thus the length of the
longest chain of operations that the output depends on, as far as their errors do not die out; a program's comment says how it is counted.
`scale` is the size of terms that cancel in the output; integers and booleans have no roundings and are equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import numpy_helper, parser

OPSET = 20
UNIT = 2.0**-24
"""Largest relative error of an operation on float32."""
COMMON: Mapping[str, np.ndarray] = {
    "yes": np.array(True),
    "no": np.array(False),
    **{f"i{value}": np.array(value, np.int64) for value in range(10)},
    **{f"f{value}": np.array(value, np.float32) for value in range(5)},
    **{f"at{value}": np.array([value], np.int64) for value in range(5)},
    "last": np.array([-1], np.int64),
    "half": np.array(0.5, np.float32),
}
"""Constants that programs name: booleans, integers `i2`, floats `f2`, vectors of one integer `at2`."""

Feed = Mapping[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Parts of a program that its function returns.

    - `text`: the graph in ONNX's text form, without the header; `weights`: its initializers;
    - `feeds`: inputs, the typical ones first, then those at the edges;
    - `truth`: outputs of a feed whose floats are float64;
    - `roundings`, `scale`: the tolerance (see the module), of all outputs or by name.
    """

    text: str
    weights: Feed = field(default_factory=dict)
    feeds: Sequence[Feed]
    truth: Callable[..., Mapping[str, object]]
    roundings: float | Mapping[str, float] = 0
    scale: float = 0.0


@dataclass(frozen=True)
class Program:
    """A program of the corpus; `source` names where the algorithm is published, `domain` the module."""

    name: str
    domain: str
    what: str
    source: str
    parts: Parts

    @property
    def feeds(self) -> Sequence[Feed]:
        """Return the inputs."""
        return self.parts.feeds

    def model(self) -> onnx.ModelProto:
        """Return the model; `onnx.checker` accepts it, with full inference of shapes."""
        header = f'<ir_version: 10, opset_import: ["" : {OPSET}]>'
        model = parser.parse_model(f"{header}\n{self.name} {self.parts.text}")
        named = set(re.findall(r"\w+", self.parts.text))
        constants = {**COMMON, **self.parts.weights}
        model.graph.initializer.extend(
            numpy_helper.from_array(value, name) for name, value in constants.items() if name in named
        )
        onnx.checker.check_model(model, full_check=True)
        return model

    def expected(self, feed: Feed) -> dict[str, tuple[np.ndarray, float]]:
        """Return the truth of each output, in float64 or integers, with the largest error that is allowed."""
        exact = {n: v.astype(np.float64) if v.dtype.kind == "f" else v for n, v in feed.items()}
        found: dict[str, tuple[np.ndarray, float]] = {}
        for name, value in self.parts.truth(**exact).items():
            truth = np.asarray(value)
            error = 0.0
            if truth.dtype.kind == "f":
                count = self.parts.roundings
                size = max(float(np.abs(truth).max(initial=0.0)), self.parts.scale)
                error = (count if isinstance(count, int | float) else count[name]) * UNIT * size
            found[name] = truth, error
        return found


PROGRAMS: dict[str, Program] = {}
"""All programs by name; importing a module of the package adds its own."""


def program(source: str) -> Callable[[Callable[[], Parts]], Callable[[], Parts]]:
    """Register a function as a program; `source` names where the algorithm is published."""

    def register(make: Callable[[], Parts]) -> Callable[[], Parts]:
        name = make.__name__
        assert name not in PROGRAMS, name
        what = (make.__doc__ or "").strip().partition("\n")[0].rstrip(".")
        PROGRAMS[name] = Program(name, make.__module__.rpartition(".")[2], what, source, make())
        return make

    return register


def floats(seed: int, *shape: int, scale: float = 1.0) -> np.ndarray:
    """Return normal float32 numbers of a seed."""
    return (scale * np.random.default_rng(seed).standard_normal(shape)).astype(np.float32)


def integers(seed: int, low: int, high: int, *shape: int) -> np.ndarray:
    """Return int64 numbers of a seed, from `low` to `high - 1`."""
    return np.random.default_rng(seed).integers(low, high, shape, dtype=np.int64)


def int64(value: object) -> np.ndarray:
    """Return integers as ONNX has them."""
    return np.array(value, np.int64)


def float32(value: object) -> np.ndarray:
    """Return floats as ONNX has them."""
    return np.array(value, np.float32)
