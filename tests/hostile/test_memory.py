"""How much memory a few lines can make loomir take: models that fold to large constants, each loaded in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

DOUBLINGS = 27
"""2²⁷ floats of the last Concat are half a GiB; all before it make as much again."""

DOUBLING = "\n".join(f"c{n + 1} = Concat <axis = 0> (c{n}, c{n})" for n in range(DOUBLINGS))

MODELS = {
    "doubling Concats": (
        f"c0 = Constant <value_floats = [1.0, 2.0]> ()\n{DOUBLING}\nh = Slice (c{DOUBLINGS}, zero, one)\ny = Add (x, h)"
    ),
    "Tile": "c = Constant <value_floats = [1.0, 2.0]> ()\nt = Tile (c, many)\nh = Slice (t, zero, one)\ny = Add (x, h)",
    "Expand": "c = Constant <value_floats = [1.0]> ()\nt = Expand (c, many)\nh = Slice (t, zero, one)\ny = Add (x, h)",
    "ConstantOfShape": "t = ConstantOfShape (many)\nh = Slice (t, zero, one)\ny = Add (x, h)",
    "Range": "b = Constant <value_float = 0.0> ()\ne = Constant <value_float = 100000000.0> ()\n"
    "s = Constant <value_float = 1.0> ()\nt = Range (b, e, s)\nh = Slice (t, zero, one)\ny = Add (x, h)",
}

LIMIT = 256 << 20

CHILD = """
import resource, sys
import onnx.parser
import loomir

model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 18]> ' + sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    loomir.load(model, max_bytes=int(sys.argv[2])).lowered("loops")
    said = "loaded"
except loomir.Error as error:
    said = error.identifier
print(said, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.parametrize("name", MODELS)
def test_folding_keeps_to_the_limit(name: str) -> None:
    constants = "\n".join(
        f"{v} = Constant <value_ints = [{n}]> ()" for v, n in (("zero", 0), ("one", 1), ("many", 100_000_000))
    )
    text = f"main (float[1] x) => (float[1] y) {{ {constants}\n{MODELS[name]} }}"
    done = subprocess.run(
        [sys.executable, "-c", CHILD, text, str(LIMIT)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    said, grown = done.stdout.split()
    assert said in ("loaded", "limit-bytes")
    # Beside what is made: the operands of the last one, and a temporary array of an evaluation.
    assert int(grown) < 2.5 * LIMIT, f"{name} took {int(grown) >> 20} MiB ({said})"
