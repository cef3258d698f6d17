"""One damaged model: which one a seed and a number mean, and its files."""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import onnx
from lxml import etree

import loomir
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.levels import LEVELS
from loomir.dialects.interface import with_full_constants
from tests.hostile import damage_onnx, damage_openvino, damage_text
from tests.hostile.corpus import Model, corpus
from tests.hostile.mutations import mutated_bytes
from tests.hostile.routes import STEPS, Route, attempt, route_of

KINDS: Mapping[str, tuple[str, int]] = {
    "xml": ("xml", 30),
    "xml-bytes": ("xml", 3),
    "onnx": ("onnx", 25),
    "onnx-bytes": ("onnx", 4),
    "onnxtxt": ("onnxtxt", 12),
    "front": ("onnx", 8),
    "graph": ("graph", 13),
    "structured": ("structured", 6),
    "loops": ("loops", 7),
}
"""Kind of damage → kind of model, and how often it is tried."""

ENDINGS = {"xml": ".xml", "onnx": ".onnx", "onnxtxt": ".onnxtxt"}


@dataclass(frozen=True)
class Case:
    """A case of an attack."""

    seed: int
    number: int
    kind: str
    model: Model

    @property
    def name(self) -> str:
        return f"{self.seed}-{self.number}-{self.kind}"

    @property
    def route(self) -> Route:
        return route_of(self.seed, self.number, self.kind)

    def write(self, folder: Path) -> Path:
        """Write its files; the one to load."""
        rng = random.Random(f"damage {self.seed} {self.number}")
        path = folder / f"m{ENDINGS.get(self.kind.split('-')[0], '.mlir')}"
        data, weights = _damaged(self.kind, self.model, rng)
        path.write_bytes(data)
        if path.suffix == ".xml" and weights is not None:
            path.with_suffix(".bin").write_bytes(weights)
        return path


def case_of(seed: int, number: int, kinds: list[str]) -> Case:
    """A case by its seed and number."""
    rng = random.Random(f"case {seed} {number}")
    kind = rng.choices(kinds, [KINDS[k][1] for k in kinds])[0]
    models = corpus()[KINDS[kind][0]]
    model = rng.choice(models)
    while kind == "front" and not _has_front(model):
        model = rng.choice(models)
    return Case(seed, number, kind, model)


def _damaged(kind: str, model: Model, rng: random.Random) -> tuple[bytes, bytes | None]:
    if kind == "xml":
        return damage_openvino.damaged(model.data, model.weights, rng)
    if kind == "onnx":
        return damage_onnx.damaged(onnx.load_model_from_string(model.data), rng).SerializeToString(), b""
    if kind == "front":
        return damage_text.damaged(_front(model), rng), b""
    if kind.endswith("-bytes"):
        return mutated_bytes(model.data, rng), model.weights
    return damage_text.damaged(model.data, rng), b""


@cache
def _front(model: Model) -> bytes:
    """An ONNX model in FRONT. Errors: those of the importer, for the few that other tools alone take."""
    return str(with_full_constants(load_front(onnx.load_model_from_string(model.data)))).encode()


def _has_front(model: Model) -> bool:
    try:
        return bool(_front(model))
    except loomir.Error:
        return False


def warm(folder: Path) -> None:
    """Import what cases need and fill caches, so that no case pays for it."""
    damage_openvino.OPERATORS[:] = sorted(
        {e.get("type", "") for m in corpus()["xml"] for e in etree.fromstring(m.data).findall(".//layer")}
    )
    damage_onnx.OPERATORS[:] = sorted(
        {n.op_type for m in corpus()["onnx"] for n in onnx.load_model_from_string(m.data).graph.node}
    )
    ways = list(zip(LEVELS, STEPS, strict=True))
    for kind, models in corpus().items():
        for number, model in enumerate(models[:: max(1, len(models) // 12)]):
            path = folder / f"m{ENDINGS.get(kind, '.mlir')}"
            path.write_bytes(model.data)
            path.with_suffix(".bin").write_bytes(model.weights)
            level, step = ways[number % len(ways)]
            passes = () if kind in ("structured", "loops") else None
            with suppress(Exception):  # An attack counts it, not this.
                attempt(path, kind, Route(level, step, "generic", passes))
