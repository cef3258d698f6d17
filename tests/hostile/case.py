"""One damaged model: which one a seed and a number mean, its files, and what loomir makes of them."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import onnx
from lxml import etree

import loomir
from loomir.compiler.frontends.onnx import load_front
from loomir.dialects.full_constants import with_full_constants
from tests.hostile import damage_onnx, damage_openvino, damage_text
from tests.hostile.corpus import Model, corpus
from tests.hostile.mutations import mutated_bytes

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
LOWERED_EACH = 10
"""Of so many cases one is lowered to C."""
MAX_ITERATIONS, MAX_BYTES = 2000, 1 << 28
"""Limits that a user would set for files of a stranger."""


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


def attempt(path: Path, kind: str, *, lower: bool) -> str:
    """What loomir makes of a file: loads and runs it, sometimes lowers it to C. Any exception but `loomir.Error` leaves this function."""
    if kind in ("structured", "loops"):
        return _optimised(path, kind, lower=lower)
    try:
        model = loomir.load(path, max_iterations=MAX_ITERATIONS, max_bytes=MAX_BYTES)
    except loomir.Error as error:
        return f"load: {told(error)}"
    said = [_said("run", lambda: run(model))]
    if lower:
        said.append(_said("C", lambda: emit(model, path.parent)))
    return ", ".join(said)


def told(error: loomir.Error) -> str:
    """The identifier. What loomir did not foresee, and answered so at its boundary, counts as what it is."""
    if error.identifier in ("internal-error", "limit-memory"):
        raise error.__cause__ or error
    lines = str(error).splitlines()
    if len(lines) > 3 or not error.what or max(map(len, lines)) > 2000:
        raise AssertionError(
            f"an error of {len(lines)} lines, the longest of {max(map(len, lines))} characters"
        ) from error
    return error.identifier


def run(model: loomir.Model) -> None:
    """Run in GRAPH, on a sample."""
    from loomir.compiler.feeds.samples import random_feed

    model.run(random_feed(model, 0), engine="graph")


def emit(model: loomir.Model, folder: Path) -> None:
    """Write C, which a compiler accepts."""
    model.emit_c(folder, "m")
    result = subprocess.run(
        ["cc", "-fsyntax-only", "-w", str(folder / "m.c")], capture_output=True, text=True
    )
    if result.returncode and "virtual memory" not in result.stderr:
        raise AssertionError(f"the C does not compile: {result.stderr[:2000]}")


def _said(what: str, step: Callable[[], None]) -> str:
    try:
        step()
    except loomir.Error as error:
        return f"{what}: {told(error)}"
    return what


def _optimised(path: Path, stage: str, *, lower: bool) -> str:
    """`loomir-opt` on the text of a stage below GRAPH."""
    import io
    from contextlib import redirect_stderr

    from loomir.compiler.pipeline import PIPELINES
    from loomir.tools.loomir_opt import main

    below = PIPELINES["loops"] if stage == "structured" else ()
    passes = [*(p.name for p in below), "canonicalize"]
    options = ["-t", "c"] if lower and stage == "loops" else ["--verify-stage", "loops"]
    old, sys.argv = sys.argv, ["loomir-opt", str(path), "-p", ",".join(passes), *options]
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            main()
    except SystemExit as error:
        if error.code not in (0, 1):
            raise AssertionError(f"exit status {error.code}: {said.getvalue()[:500]}") from error
        if "internal-error" in said.getvalue() or "limit-memory" in said.getvalue():
            raise error.__cause__ or error.__context__ or error from None
        return f"loomir-opt: {'fine' if not error.code else 'refused'}"
    finally:
        sys.argv = old
    return "loomir-opt: fine"


def warm(folder: Path) -> None:
    """Import what cases need and fill caches, so that no case pays for it."""
    damage_openvino.OPERATORS[:] = sorted(
        {e.get("type", "") for m in corpus()["xml"] for e in etree.fromstring(m.data).findall(".//layer")}
    )
    damage_onnx.OPERATORS[:] = sorted(
        {n.op_type for m in corpus()["onnx"] for n in onnx.load_model_from_string(m.data).graph.node}
    )
    for kind, models in corpus().items():
        for model in models[:: max(1, len(models) // 12)]:
            path = folder / f"m{ENDINGS.get(kind, '.mlir')}"
            path.write_bytes(model.data)
            path.with_suffix(".bin").write_bytes(model.weights)
            try:
                attempt(path, kind, lower=True)
            except Exception:
                continue  # An attack counts it, not this.
