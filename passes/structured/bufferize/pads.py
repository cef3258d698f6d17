"""`loomir.pads`: a linalg.generic on memrefs that reads padding which is in no buffer.

    %p = tensor.pad %x low[0, 1] high[0, 2] { … tensor.yield %zero }
    linalg.generic ins(%p, %w) outs(%o) …

becomes

    linalg.generic ins(%x, %w, %zero : memref<2x5xf32>, memref<4xf32>, f32) outs(%o : …)
        attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: 0, 1>, high = array<i64: 0, 2>, value = 2
        : i64}]}

Each dictionary speaks of one input operand; an operand has at most one.

- `operand`: position among `ins` of the memref that is read as if it were padded;
- `low`, `high`: elements of padding before and behind, one number per dimension of that memref;
  `-9223372036854775808` (`DYNAMIC_INDEX`) stands for an SSA value;
- `dynamic`: positions among `ins` of those SSA values (scalars of type `index`): first the ones of `low`,
  then of `high`; left out when there are none;
- `value`: position among `ins` of the scalar that the padding holds.

The indexing map of a padded operand gives coordinates of the *padded* shape (`low + size + high` per
dimension), as before bufferization, and a loop's extent that only this operand determines is taken from the
padded shape. An element at the padded coordinate p is `x[p - low]` if `0 <= p - low < size` in every
dimension, and the pad value otherwise. The appended scalars are ordinary scalar inputs: map `(d0, …) -> ()`
and a block argument, which the body never uses. The linalg verifiers, xDSL's and upstream's, know nothing of
this and find the operand too small: between `bufferize` and `lower-linalg-to-loops` a module with padding
does not verify. `read_pads` takes the attribute apart; `PadSpec.encode` puts it together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DenseArrayBase, DictionaryAttr, IntegerAttr, i64
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, SSAValue

PADS_ATTR = "loomir.pads"


@dataclass(frozen=True)
class PadSpec:
    """The padding of an input operand: a number or an SSA `index` per dimension, and the pad value."""

    low: tuple[int | SSAValue, ...]
    high: tuple[int | SSAValue, ...]
    value: SSAValue

    def scalars(self) -> tuple[SSAValue, ...]:
        """The scalars to append to the inputs: the pad value, then the SSA amounts of low and of high."""
        return (self.value, *(amount for amount in (*self.low, *self.high) if isinstance(amount, SSAValue)))

    def encode(self, operand: int, first_scalar: int) -> DictionaryAttr:
        """The dictionary for input `operand`, whose `scalars()` begin at input `first_scalar`."""
        entry: dict[str, Attribute] = {"operand": IntegerAttr(operand, i64)}
        entry["low"] = _static_amounts(self.low)
        entry["high"] = _static_amounts(self.high)
        dynamic = range(first_scalar + 1, first_scalar + len(self.scalars()))
        if dynamic:
            entry["dynamic"] = DenseArrayBase.from_list(i64, list(dynamic))
        entry["value"] = IntegerAttr(first_scalar, i64)
        return DictionaryAttr(entry)


def _static_amounts(amounts: Sequence[int | SSAValue]) -> DenseArrayBase:
    return DenseArrayBase.from_list(
        i64, [amount if isinstance(amount, int) else DYNAMIC_INDEX for amount in amounts]
    )


def read_pads(generic: GenericOp) -> dict[int, PadSpec]:
    """The padding of each padded input operand of `generic`, by its position among the inputs."""
    pads = generic.attributes.get(PADS_ATTR)
    if pads is None:
        return {}
    assert isinstance(pads, ArrayAttr), pads
    result: dict[int, PadSpec] = {}
    for entry in pads:
        assert isinstance(entry, DictionaryAttr), entry
        dynamic = iter(_numbers(entry.data["dynamic"]) if "dynamic" in entry.data else ())
        low, high = (
            tuple(
                generic.inputs[next(dynamic)] if amount == DYNAMIC_INDEX else amount
                for amount in _numbers(entry.data[key])
            )
            for key in ("low", "high")
        )
        value = generic.inputs[_number(entry.data["value"])]
        result[_number(entry.data["operand"])] = PadSpec(low, high, value)
    return result


def _number(attribute: Attribute) -> int:
    assert isinstance(attribute, IntegerAttr), attribute
    return attribute.value.data


def _numbers(attribute: Attribute) -> tuple[int, ...]:
    assert isinstance(attribute, DenseArrayBase), attribute
    values = attribute.get_values()
    return tuple(value for value in values if isinstance(value, int))
