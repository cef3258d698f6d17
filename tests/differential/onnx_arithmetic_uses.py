"""Random legal uses of ONNX operators that compute: quantised, normalising, reducing, elementwise; see `onnx_uses`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.differential.onnx_uses import ALL, INTEGERS, SOME, Random, Use, generates, vector


def _scales(r: Random, shape: list[int]) -> tuple[list[int], dict[str, Any]]:
    """A shape of scales and the attributes that say how they lie: one, one of an axis, or blocks."""
    axis, block = r.axis(len(shape)), r.int(1, 3)
    kind = r.one(("all", "axis", "blocks") if len(shape) > 1 else ("all", "axis"))
    if kind == "all":
        return [], {}
    if kind == "axis":
        return [shape[axis]], {"axis": axis}
    blocks = list(shape)
    blocks[axis] = -(-shape[axis] // block)
    return blocks, {"axis": axis, "block_size": block}


@generates
def quantize(r: Random) -> Use:
    shape, dtype = r.shape(1, 4, 1), r.one(("u1", "i1", "u2", "i2"))
    lying, attributes = _scales(r, shape)
    inputs = [r.array("f4", shape, -60, 60), r.array("f4", lying, 1, 3), r.array(dtype, lying)]
    return Use("QuantizeLinear", 21, inputs, attributes)


@generates
def dequantize(r: Random) -> Use:
    shape, dtype = r.shape(1, 4), r.one(("u1", "i1", "u2", "i2"))
    lying, attributes = _scales(r, shape)
    scale = r.array(r.one(("f4", "f2")), lying, 1, 3)
    return Use(
        "DequantizeLinear", 21, [r.array(dtype, shape, 0, 100), scale, r.array(dtype, lying)], attributes
    )


@generates
def products_of_integers(r: Random) -> Use:
    a, b = r.one(("u1", "i1")), r.one(("u1", "i1"))
    batch, (m, k, n) = r.one(([], [2], [1, 3])), r.ints(3, 1, 4)
    data = [r.array(a, [*batch, m, k], -20, 20), r.array(b, [*batch, k, n], -20, 20)]
    if r.chance():
        return Use("MatMulInteger", 10, [*data, r.array(a), r.array(b)])
    left = [data[0], np.float32(0.05), r.array(a)]
    right = [data[1], np.float32(0.1), r.array("u1" if a == "u1" else b)]
    if a == "i1" and b == "u1":
        right = [r.array("i1", [*batch, k, n], -20, 20), np.float32(0.1), r.array("i1")]
    elif right[2].dtype != data[1].dtype:
        right[2] = r.array(b)
    inputs = [np.asarray(v) for v in (*left, *right, np.float32(0.4), r.array(a))]
    return Use("QLinearMatMul", 10, inputs, {}, frozenset({1, 2, 4, 5, 6, 7}))


@generates
def normalisation(r: Random) -> Use:
    shape = r.shape(2, 4, 1)
    data, axis = r.array("f4", shape), r.axis(len(shape))
    channels = [r.array("f4", shape[1:2]) for _ in range(3)]
    variance, behind = r.array("f4", shape[1:2], 1, 3), shape[axis % len(shape) :]
    weights = [r.array("f4", behind) for _ in range(r.int(1, 2))]
    epsilon = {"epsilon": 1e-2}
    uses = [
        Use("LayerNormalization", 17, [data, *weights], {"axis": axis, **epsilon}, outputs=r.int(1, 3)),
        Use("RMSNormalization", 23, [data, weights[0]], {"axis": axis, **epsilon}),
        Use("LpNormalization", 22, [data], {"axis": axis, "p": r.int(1, 2)}),
        Use("BatchNormalization", 15, [data, *channels, variance], epsilon),
    ]
    if len(shape) > 2:
        uses += [Use("InstanceNormalization", 22, [data, *channels[:2]], epsilon)]
    if len(shape) == 4:
        uses += [Use("LRN", 13, [data], {"size": r.one((1, 3, 5)), **r.some(alpha=0.5, beta=0.6, bias=2.0)})]
    return r.one(uses)


@generates
def reduction(r: Random) -> Use:
    """Without extents of 0, where ONNX Runtime takes a negative axis for another one."""
    names = ("L1", "L2", "LogSum", "Max", "Min", "Mean", "Prod", "Sum", "SumSquare")
    name, shape = r.one(names), r.shape(0, 4, 1)
    axes = [
        a - len(shape) if r.chance() else a for a in r.rng.permutation(len(shape))[: r.int(0, len(shape))]
    ]
    data = r.array(r.one(("f4", "f8", "i4")), shape, 1 if name == "LogSum" else -4, 4)
    attributes = r.some(keepdims=0, noop_with_empty_axes=1)
    return Use(f"Reduce{name}", 18, [data, vector(*axes)], attributes, frozenset({1}))


@generates
def cumulative_sum(r: Random) -> Use:
    shape = r.shape(1, 4)
    inputs = [r.array(r.one(SOME), shape), np.array(r.axis(len(shape)), np.int32)]
    return Use("CumSum", 14, inputs, r.some(exclusive=1, reverse=1), frozenset({1}))


@generates
def einsum(r: Random) -> Use:
    """Each letter once in a term: of diagonals under an ellipsis ONNX Runtime dies."""
    extents, terms, inputs = dict(zip("ijkl", r.ints(4, 1, 3))), [], []
    for _ in range(r.int(1, 3)):
        letters = "".join(r.rng.permutation(list("ijkl"))[: r.int(1, 3)])
        dots = r.int(0, len(letters)) if r.chance(0.3) else None
        shape = [extents[c] for c in letters]
        if dots is not None:
            shape[dots:dots] = [r.one((1, 2))]
            letters = f"{letters[:dots]}...{letters[dots:]}"
        terms.append(letters)
        inputs.append(r.array("f4", shape))
    letters = [c for c in sorted(set("".join(terms)) - {"."}) if r.chance(0.6)]
    result = ("..." if any("." in t for t in terms) else "") + "".join(r.rng.permutation(letters))
    return Use("Einsum", 12, inputs, {"equation": f"{','.join(terms)}->{result}"})


@generates
def pad(r: Random) -> Use:
    mode = r.one(("constant", "reflect", "edge", "wrap"))
    shape = [r.int(2, 5) for _ in range(r.int(1, 4))]
    axes = sorted(r.rng.permutation(len(shape))[: r.int(1, len(shape))].tolist())
    most = [shape[a] - 1 for a in axes]
    pads = [-1 if mode == "constant" and r.chance(0.2) else r.int(0, m) for m in most + most]
    named = vector(*(a - len(shape) if r.chance() else a for a in axes))
    data = r.array(r.one((*SOME, "u1", "i1", "?")), shape)
    value = r.array(data.dtype.str[1:] if data.dtype != np.bool_ else "?") if mode == "constant" else None
    return Use("Pad", 19, [data, vector(*pads), value, named], {"mode": mode}, frozenset({1, 2, 3}))


@generates
def triangle(r: Random) -> Use:
    data = r.array(r.one((*SOME, "?")), [*r.shape(0, 2), *r.ints(2, 1, 4)])
    return Use("Trilu", 14, [data, np.array(r.int(-6, 6))], r.some(upper=0))


@generates
def blocks(r: Random) -> Use:
    size, (n, c, h, w) = r.int(1, 3), r.ints(4, 1, 3)
    attributes: dict[str, Any] = {"blocksize": size}
    if r.chance():
        return Use("SpaceToDepth", 13, [r.array("f4", [n, c, h * size, w * size])], attributes)
    data = r.array(r.one(("f4", "f8")), [n, c * size * size, h, w])
    return Use("DepthToSpace", 13, [data], {**attributes, "mode": r.one(("DCR", "CRD"))})


@generates
def activation(r: Random) -> Use:
    operators: dict[str, tuple[int, dict[str, Any]]] = {
        "Gelu": (20, {"approximate": r.one(("none", "tanh"))}),
        "Mish": (18, {}),
        "Celu": (12, {"alpha": r.one((1.0, 0.5))}),
        "Selu": (22, {}),
        "IsInf": (20, {"detect_negative": r.int(0, 1), "detect_positive": r.int(0, 1)}),
        "Shrink": (9, {"lambd": 1.0, "bias": 0.5}),
    }
    name = r.one(tuple(operators))
    opset, attributes = operators[name]
    dtype = r.one(("f4", "f8", "u1", "i1", "i8")) if name == "Shrink" else "f4"
    data = r.array(dtype, r.shape())
    if data.dtype.kind == "f":
        data = np.where(r.rng.random(data.shape) < 0.1, np.array(np.inf, data.dtype), data)
    return Use(name, opset, [data], attributes)


@generates
def elementwise(r: Random) -> Use:
    shape = r.shape(0, 4)
    other = [1 if r.chance(0.3) else e for e in shape][r.int(0, len(shape)) :]
    operator = r.one(("BitShift", "BitwiseAnd", "BitwiseXor", "Mod", "PRelu", "Max", "Div"))
    if operator == "BitShift":
        dtype = r.one(("u1", "u4", "u8"))
        by = r.array(dtype, other, 0, 8 * np.dtype(dtype).itemsize - 1)
        return Use(operator, 11, [r.array(dtype, shape, 0, 127), by], {"direction": r.one(("LEFT", "RIGHT"))})
    dtype = r.one(INTEGERS if operator[0] in "BM" and operator != "Max" else SOME)
    second = r.array(dtype, other)
    if operator in ("Mod", "Div"):
        second = np.where(second == 0, np.array(3, second.dtype), second)
    return Use(operator, 18, [r.array(dtype, shape, -100, 100), second])


@generates
def cast(r: Random) -> Use:
    """Floats in the range of the integers: beyond it, each runtime has its own result."""
    source, target = r.one((*ALL, "?")), r.one((*ALL, "?"))
    low, high = (-100, 100) if target not in ("u1", "u2", "u4", "u8") or source[0] != "f" else (0, 100)
    codes = {"f4": 1, "u1": 2, "i1": 3, "u2": 4, "i2": 5, "i4": 6, "i8": 7, "?": 9, "f2": 10, "f8": 11}
    return Use(
        "Cast", 19, [r.array(source, r.shape(), low, high)], {"to": {**codes, "u4": 12, "u8": 13}[target]}
    )
