"""Types of 4 and 2 bits in Loop, If and Scan: which version takes which is in ONNX's schemas; where they are, they pass."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.defs
import onnx.parser
import pytest

import loomir
from tests.support import raises_error

TYPES = ("int4", "uint4", "float4e2m1", "float8e8m0", "int2", "uint2")
VERSIONS = (19, 21, 23, 24, 25)

BODIES = {
    "Loop": """z, w = Loop<body = b (int64 i, bool c, T[2,2] s) => (bool d, T[2,2] t, T[2,2] k) {
        d = Identity(c) t = Identity(s) k = Identity(s) }>(n, "", v)""",
    "If": """c = Cast<to=9>(n)
      z, w = If(c)<then_branch = a () => (T[2,2] p, T[2,2] q) { p = Identity(v) q = Identity(v) },
        else_branch = e () => (T[2,2] r, T[2,2] s) { r = Identity(v) s = Identity(v) }>""",
    "Scan": """z, w = Scan<num_scan_inputs = 1, body = b (T[2,2] s, T[2] r) => (T[2,2] t, T[2] k) {
        t = Identity(s) k = Identity(r) }>(v, v)""",
}


def model(operator: str, type_: str, version: int) -> onnx.ModelProto:
    """x as this type through the operator: carried (or chosen) as y, joined (or chosen) as w."""
    to = onnx.TensorProto.DataType.Value(type_.upper())
    extents = "A,B,C" if operator == "Loop" else "A,B"
    return onnx.parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : {version}]>
        g (int64 n, float[2,2] x) => (float[2,2] y, float[{extents}] u) {{
          v = Cast<to={to}>(x) {BODIES[operator].replace("T[", f"{type_}[")} y = Cast<to=1>(z) u = Cast<to=1>(w) }}"""
    )


def takes(operator: str, type_: str, version: int) -> bool:
    """Return True if ONNX's schemas accept the type.

    The schemas are those of Cast, Identity and the operator.
    """
    schemas = [onnx.defs.get_schema(name, version, "") for name in ("Cast", "Identity", operator)]
    return all(any(f"tensor({type_})" in c.allowed_type_strs for c in s.type_constraints) for s in schemas)


@pytest.mark.parametrize("operator", BODIES)
@pytest.mark.parametrize("type_", TYPES)
def test_as_the_schemas_say(operator: str, type_: str) -> None:
    """Graph for each version that has it, native for the first; a named error before."""
    known = [v for v in VERSIONS if takes(operator, type_, v)]
    assert known
    second = -2 if type_ == "int2" else 2  # values that the type has
    x = np.array([[1, second], [second, 1]], np.float32)
    joined = np.stack([x, x]) if operator == "Loop" else x
    for version in known:
        loaded = loomir.load(model(operator, type_, version))
        for engine in ("graph", "native") if version == known[0] else ("graph",):
            outputs = loaded.run({"n": 2, "x": x}, engine=engine)
            np.testing.assert_array_equal(outputs["y"], x)
            np.testing.assert_array_equal(outputs["u"], joined)
    for version in set(VERSIONS) - set(known):
        with raises_error("invalid-onnx"):
            loomir.load(model(operator, type_, version))
