"""Attention: a composite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def

from loomir.dialects.element_types import i1, is_float
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact, Shape, fact_of
from loomir.dialects.ov.named_extents import ANY, Named, NamedExtents
from loomir.dialects.ov.shape_rules import broadcast_shapes, check_element, same_element, show_shapes
from loomir.dialects.speculation import FailsOnShapes
from loomir.dialects.tensors import TENSOR
from loomir.errors import Error


@irdl_op_definition
class ScaledDotProductAttentionOp(OvOperation):
    """Scaled dot-product attention, `softmax(query · keyᵀ · scale + mask) · value`. OpenVINO ScaledDotProductAttention-13.

    Mask and scale are optional.

    query is `[…, L, E]`, key `[…, S, E]`, value `[…, S, Ev]`; the dimensions before are broadcast. `scale`, a tensor of
    one element, is `1 / sqrt(E)` where it is not given. With `causal`, position i sees the positions up to i of
    key only, and the mask does not count; else a mask broadcast to `[…, L, S]` is added, or where it is boolean, only
    what it is true for is seen. A scalar mask says that there is none. A position that sees nothing gives NaN.

    Errors: `element-type`, `element-types-differ`, `attention-shapes`, `broadcast-shapes`.
    """

    COMPOSITE: ClassVar[bool] = True

    name = "ov.scaled_dot_product_attention"
    query = operand_def(TENSOR)
    key = operand_def(TENSOR)
    value = operand_def(TENSOR)
    options = var_operand_def(TENSOR)
    causal = prop_def(BoolAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    @property
    def attention_mask(self) -> SSAValue | None:
        """The mask, where one is given that counts."""
        mask = self.options[0] if self.options and not to_bool(self.causal) else None
        return None if mask is None or fact_of(mask).rank == 0 else mask

    @property
    def scale(self) -> SSAValue | None:
        """The factor, where it is given."""
        return self.options[1] if len(self.options) > 1 else None

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        query, key, value, *options = facts
        if len(options) > 2:
            raise Error("attention-shapes", f"{len(options)} options, expected a mask and a scale at most")
        check_element(query, "query", is_float, "a float")
        same_element([query, key, value, *options[1:]], ("query", "key", "value", "scale"))
        if options and options[0].element not in (i1, query.element):
            raise Error(
                "element-types-differ",
                f"the mask has elements of type {options[0].element}, query {query.element}",
            )
        if len(options) > 1 and any(d.static not in (None, 1) for d in options[1].shape or ()):
            raise Error(
                "attention-shapes",
                f"the scale has shape {show_shapes([options[1].shape])}, expected one element",
            )
        if query.shape is None or key.shape is None or value.shape is None:
            return [Fact(query.element, None)]
        shapes = [query.shape, key.shape, value.shape]
        if any(len(s) < 2 for s in shapes):
            raise Error("attention-shapes", f"query, key and value have shapes {show_shapes(shapes)}")
        self.agreed_extents(facts)
        batch: Shape | None = broadcast_shapes([s[:-2] for s in shapes])
        if options and not to_bool(self.causal):
            # The mask may have fewer dimensions than the scores, or more.
            scores = broadcast_shapes([query.shape[:-2], key.shape[:-2]])
            assert scores is not None
            masked = broadcast_shapes([(*scores, query.shape[-2], key.shape[-2]), options[0].shape])
            batch = None if masked is None else broadcast_shapes([masked[:-2], value.shape[:-2]])
        if batch is None:
            return [Fact(query.element, None)]
        return [Fact(query.element, (*batch, query.shape[-2], value.shape[-1]))]

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        """Return the named extents of the last two dimensions.

        The dimensions before them are broadcast. The mask is broadcast to the scores' rows and columns.
        """
        last = [("query", "LE"), ("key", "SE"), ("value", ["S", ANY])]
        if len(facts) > 3 and not to_bool(self.causal):
            last.append(("the mask", ["L?", "S?"]))
        operands: list[Named] = []
        for index, ((what, names), fact) in enumerate(zip(last, facts)):
            if fact.rank is not None:
                operands.append(
                    Named(index, what, [*[ANY] * (fact.rank - 2), *names[max(0, 2 - fact.rank) :]])
                )
        return NamedExtents("attention-shapes", operands)
