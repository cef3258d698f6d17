"""Einsum: products of elements, summed over the labels that the result lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, prop_def, result_def, traits_def, var_operand_def

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.shape_rules import broadcast_dim, check_element, is_number, may_equal, same_element
from loomir.dialects.speculation import FailsOnShapes
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error

Labels = tuple[str, ...]
"""Label of each dimension: a letter, or `.k` for an ellipsis dimension.

`.k` is the dimension of the ellipsis that is k-th from its end.
"""


def _subscript(text: str, rank: int | None) -> Labels | None:
    """Return the labels of an operand, or None.

    None if the number of dimensions of its ellipsis is unknown. Raises `Error("einsum-equation")`.
    """
    before, dots, after = text.partition("...")
    letters = before + after
    if not all(c.isascii() and c.isalpha() for c in letters):
        raise Error("einsum-equation", f"'{text}' does not consist of letters and at most one ellipsis")
    if rank is None:
        return None if dots else tuple(letters)
    covered = rank - len(letters)
    if covered < 0 or (covered and not dots):
        raise Error("einsum-equation", f"'{text}' does not fit an operand of rank {rank}")
    return (*before, *(f".{k}" for k in reversed(range(covered))), *after)


def explicit(equation: str) -> tuple[list[str], str]:
    """The texts of the operands' labels and of the result's.

    Without `->` the result has the labels that occur once, in the order of ASCII, behind the ellipsis.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    if not arrow:
        letters = Counter(c for c in left if c.isalpha())
        right = "..." if "..." in left else ""
        right += "".join(sorted(c for c, count in letters.items() if count == 1))
    return left.split(","), right


def parse(equation: str, ranks: Sequence[int | None]) -> tuple[list[Labels], Labels] | None:
    """Return the labels of the operands and of the result, or None.

    None if an unknown rank prevents it. Raises `Error("einsum-equation")`.
    """
    subscripts, right = explicit(equation)
    if len(subscripts) != len(ranks):
        raise Error(
            "einsum-equation", f"'{equation}' is for {len(subscripts)} operands, not for {len(ranks)}"
        )
    operands = [_subscript(text, rank) for text, rank in zip(subscripts, ranks)]
    known = [labels for labels in operands if labels is not None]
    letters = {c for text in subscripts for c in text if c != "."}
    wanted = right.replace("...", "", 1)
    if not all(c.isascii() and c.isalpha() for c in wanted) or len(set(wanted)) != len(wanted):
        raise Error("einsum-equation", f"the result '{right}' names a label twice, or is no list of labels")
    if missing := sorted(set(wanted) - letters):
        raise Error("einsum-equation", f"no operand has the label '{missing[0]}' of the result")
    if len(known) < len(operands):
        return None
    dots = max((int(label[1:]) + 1 for labels in known for label in labels if label[0] == "."), default=0)
    before, ellipsis, after = right.partition("...")
    covered = [f".{k}" for k in reversed(range(dots))] if ellipsis else []
    return known, (*before, *covered, *after)


@irdl_op_definition
class EinsumOp(OvOperation):
    """Einstein's summation convention: OpenVINO Einsum-7; ONNX Einsum.

    `equation` has a list of labels (letters) for each operand, which may hold an ellipsis, and perhaps `->` and the
    labels of the result. A label that stands twice in one operand means its diagonal; labels that the result lacks are
    summed over (those of an ellipsis too). Extents of one label are broadcast, and the ellipses are aligned at their
    ends. Errors: `einsum-equation`, `einsum-extents`, `element-type`, `element-types-differ`.
    """

    name = "ov.einsum"
    COMPOSITE: ClassVar[bool] = True

    inputs = var_operand_def(TENSOR)
    equation = prop_def(StringAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        if not facts:
            raise Error("einsum-equation", "there is no operand")
        element = same_element(facts)
        check_element(facts[0], "operand 0", is_number, "a number")
        found = parse(self.equation.data, [f.rank for f in facts])
        if found is None:
            return [Fact(element, None)]
        operands, result = found
        extents = label_extents(operands, [f.shape for f in facts])
        return [Fact(element, tuple(extents[label] for label in result))]


def label_extents(operands: Sequence[Labels], shapes: Sequence[Shape | None]) -> dict[str, Dim]:
    """Return the extent of each label.

    Raises `Error("einsum-extents")` if the extents of one label do not match.
    """
    extents: dict[str, Dim] = {}
    for labels, shape in zip(operands, shapes):
        own: dict[str, Dim] = {}
        for label, d in zip(labels, (Dim(),) * len(labels) if shape is None else shape):
            if label in own and not may_equal(own[label], d):
                raise Error("einsum-extents", f"the diagonal of '{label}' has extents {own[label]} and {d}")
            own[label] = own[label].meet(d) or d if label in own else d
        for label, d in own.items():
            both = broadcast_dim(extents[label], d) if label in extents else d
            if both is None:
                raise Error("einsum-extents", f"the label '{label}' has the extents {extents[label]} and {d}")
            extents[label] = both
    return extents
