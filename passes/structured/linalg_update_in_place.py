"""`linalg-update-in-place`: in-place computation of a loop-carried tensor's next value.

The next value is computed in the tensor itself, where this is possible.

```mlir
%r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<16xf32>) {
  %b = scf.if %c -> (tensor<16xf32>) {
    %e = tensor.empty() : tensor<16xf32>
    %g = linalg.generic … ins(%v, %w) outs(%e) …        elementwise
    scf.yield %g
  } else { … }
  scf.yield %b
}
```
becomes
```mlir
    %g = linalg.generic … ins(%v, %w) outs(%v) …
```

so that `bufferize` needs no second buffer that changes places with the first. This is possible if every element of the
result depends only on the same element of the carried value, if nothing reads the carried value afterwards, and if the
result is handed on only once: other operations of the iteration may read it. Between the generic and the loop there may
be branches, and inside the loop another loop that carries the value on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.region_flow import exclusive, predecessor_values, region_flow
from loomir.dialects.upstream.walking import walk


@dataclass(frozen=True)
class LinalgUpdateInPlacePass(ModulePass):
    """Overwrite carried tensors by their next values (see the module's docstring)."""

    name = "linalg-update-in-place"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks = Remarks(self.name)
        numbers = {inner: number for number, inner in enumerate(walk(op))}
        for loop in numbers:
            for number, carried in enumerate([] if (flow := region_flow(loop)) is None else flow.carried):
                values = filter(handed_on_once, values_handed_on(carried.following))
                generics = [value.owner for value in values if isinstance(value.owner, GenericOp)]
                if not generics and isinstance(carried.initial.type, TensorType):
                    remarks.missed(
                        loop,
                        f"carried tensor {number} is not computed by a linalg.generic, or is handed on twice",
                    )
                for generic in generics:
                    if (why := _update(generic, carried.arguments[-1], numbers)) is None:
                        remarks.passed(generic, f"overwrites carried tensor {number}", carried=number)
                    else:
                        remarks.missed(generic, why)


def values_handed_on(value: SSAValue) -> Iterator[SSAValue]:
    """Yield the values, one per branch, that become a value.

    A result of a branch that is handed on twice is not looked into: it belongs to two places.
    """
    flow = region_flow(value.op) if isinstance(value, OpResult) and handed_on_once(value) else None
    if flow is None or flow.repeats:
        yield value
    else:
        for yielded in predecessor_values(value):
            yield from values_handed_on(yielded)


def handed_on_once(value: SSAValue) -> bool:
    """Return True if just one terminator hands a value on."""
    return sum(use.operation.has_trait(IsTerminator) for use in value.uses) == 1


def _update(generic: GenericOp, argument: SSAValue, numbers: dict[Operation, int]) -> str | None:
    """Write a generic's result over the carried value that it reads.

    This is done if it changes nothing; otherwise return why the generic stays unchanged.
    """
    value = overwritable_input(generic, argument, numbers)
    if isinstance(value, str):
        return value
    generic.operands[len(generic.inputs)] = value
    return None


def overwritable_input(
    generic: GenericOp, argument: SSAValue, numbers: dict[Operation, int]
) -> SSAValue | str:
    """Return the input over which a generic's result may be written.

    It holds `argument`. Otherwise return why there is none.
    """
    inputs = len(generic.inputs)
    if len(generic.outputs) != 1 or not isinstance(generic.outputs[0].owner, tensor.EmptyOp):
        return "it already has a destination"
    if generic.body.block.args[inputs].uses:
        return "it reads its own output"
    if any(iterator.data is not IteratorType.PARALLEL for iterator in generic.iterator_types):
        return "it reduces"
    target = generic.indexing_maps.data[inputs]
    if target.data != AffineMap.identity(target.data.num_dims):
        return "it writes its elements in another order"
    why = "it does not read the carried value"
    for value in generic.inputs:
        if value.type != generic.outputs[0].type or not _holds(value, argument):
            continue
        reads = [m for v, m in zip(generic.inputs, generic.indexing_maps.data) if v is value]
        if not all(m == target for m in reads):
            why = "it reads other elements of the carried value than the one that it writes"
        elif not is_last(value, generic, numbers):
            why = "the carried value is read afterwards"
        else:
            return value
    return why


def _holds(value: SSAValue, argument: SSAValue) -> bool:
    """Return True if a value holds the carried value.

    It is the carried value itself, or what an inner loop has computed from it.
    """
    while value is not argument and isinstance(value, OpResult):
        if (flow := region_flow(value.op)) is None or not flow.repeats:
            break
        value = flow.entry.operands[value.index]
    return value is argument


def is_last(value: SSAValue, reader: Operation, numbers: dict[Operation, int]) -> bool:
    """Return True if an operation is the last use of a value.

    All other uses come before it, or are in a branch that is not taken when the operation's is.
    """
    here = numbers[reader]
    return all(
        use.operation is reader or numbers[use.operation] < here or exclusive(use.operation, reader)
        for use in value.uses
    )
