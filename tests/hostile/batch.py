"""`python -m tests.hostile.batch KIND FIRST COUNT`: a batch of damaged models, in bounds of time and memory.

KIND is `xml`, `xml-bytes`, `onnx` or `onnx-bytes`. Prints what happened how often; exits with 1 and a traceback for a case that
neither succeeds nor raises `loomir.Error`. To see one case again, give its number and a count of 1.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

import onnx

import loomir
from loomir.compiler.fuzz.generator import program_of
from loomir.compiler.fuzz.to_onnx import to_onnx
from loomir.compiler.samples import random_feed
from tests.conformance.onnx_traps import TRAPS
from tests.hostile.mutations import mutated_bytes, mutated_proto, mutated_xml

ROOT = Path(__file__).parents[2]
SECONDS_EACH, MEMORY = 10, 6 << 30
MODELS = [
    ROOT / "examples" / "controlflow.xml",
    ROOT / "examples" / "kws.xml",
    ROOT / "tests" / "fixtures" / "ad01_fp32.xml",
]


def damaged(kind: str, seed: int, folder: Path) -> Path:
    """Write the damaged model of a seed; its file."""
    rng = random.Random(seed)
    if kind.startswith("xml"):
        source = rng.choice(MODELS)
        weights = source.with_suffix(".bin").read_bytes() if source.with_suffix(".bin").exists() else b""
        text = source.read_bytes()
        (folder / "m.xml").write_bytes(mutated_xml(text, rng) if kind == "xml" else mutated_bytes(text, rng))
        cut = rng.randrange(len(weights) + 1) if rng.random() < 0.1 else len(weights)
        (folder / "m.bin").write_bytes(weights[:cut])
        return folder / "m.xml"
    made: onnx.ModelProto = (
        rng.choice(TRAPS).model()
        if rng.random() < 0.5
        else to_onnx(program_of(50, rng.randrange(50), size=4))
    )
    if kind == "onnx":
        data = mutated_proto(made, rng).SerializeToString()
    else:
        data = mutated_bytes(made.SerializeToString(), rng)
    (folder / "m.onnx").write_bytes(data)
    return folder / "m.onnx"


def outcome(path: Path, seed: int) -> str:
    """Load, run and lower a model: what came of it."""
    try:
        model = loomir.load(path, max_iterations=2000, max_bytes=1 << 28)
    except loomir.Error as error:
        return f"load: {error.identifier}"
    said: list[str] = []
    try:
        model.run(random_feed(model, seed), engine="graph")
        said.append("run")
    except loomir.Error as error:
        said.append(f"run: {error.identifier}")
    try:
        model.lowered("loops")
        said.append("lowered")
    except loomir.Error as error:
        said.append(f"lower: {error.identifier}")
    return ", ".join(said)


def main(kind: str, first: int, count: int) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (60 + SECONDS_EACH * count, 60 + SECONDS_EACH * count))
    outcomes: Counter[str] = Counter()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            try:
                outcomes[outcome(damaged(kind, seed, Path(folder)), seed)] += 1
            except Exception:
                failures += 1
                print(f"{kind} {seed}:\n{traceback.format_exc()}")
    for what, times in outcomes.most_common():
        print(f"{times:5} {what}")
    print(f"{count} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
