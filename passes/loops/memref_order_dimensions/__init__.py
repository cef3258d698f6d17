"""`memref-order-dimensions`: dimension orders of buffers that make vectors contiguous.

A vector of a convolution computes neighbouring output channels. In a channels-first buffer, these are a whole image
apart; in a channels-last buffer, they are contiguous. No element is moved for this: an allocation gets another shape,
and the maps of its readers and writers another order.

```mlir
%t = memref.alloc() : memref<1x16x5x5xf32>
linalg.generic {indexing_maps = [(n, o, h, w, i) -> (n, i, h, w), …, (n, o, h, w, i) -> (n, o, h, w)], …}
    ins(%x, %weights …) outs(%t : memref<1x16x5x5xf32>)
linalg.generic {indexing_maps = [(n, c, h, w) -> (n, c, h, w), …], …} ins(%t …) outs(%u …)
```
becomes
```mlir
%t = memref.alloc() : memref<1x5x5x16xf32>
linalg.generic {indexing_maps = [(n, o, h, w, i) -> (n, i, h, w), …, (n, o, h, w, i) -> (n, h, w, o)], …}
    ins(%x, %weights …) outs(%t : memref<1x5x5x16xf32>)
linalg.generic {indexing_maps = [(n, c, h, w) -> (n, h, w, c), …], …} ins(%t …) outs(%u …)
```

- `states.py`: outputs that loops work on, which get buffers of their own where that pays off.
- `families.py`: buffers that keep or change their order together, since views or loops tie them, and buffers that must not change.
- `choosing.py`: the order of each family, by the cost of vectors in that order.
- `permuting.py`: types, maps, views and indices in that order.

A linalg.copy between two orders becomes a linalg.generic. Inputs, outputs and constants keep their order, and so does
everything that shares memory with them. An output that a loop works on gets a buffer of its own on a machine with
vectors, where RAM is not the scarcest resource. No loop of a generic changes, so sums keep their order of additions.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from loomir.passes.analysis.machines import machine_of
from loomir.passes.loops.memref_order_dimensions.choosing import chosen_orders
from loomir.passes.loops.memref_order_dimensions.families import Families
from loomir.passes.loops.memref_order_dimensions.permuting import permute
from loomir.passes.loops.memref_order_dimensions.states import put_back, with_buffers

_LANES = 4
"""Vector elements if the C compiler itself vectorizes.

Nearly every processor with vectors supports this number.
"""


@dataclass(frozen=True)
class MemrefOrderDimensionsPass(ModulePass):
    """Gives buffers of static shapes the order that suits vectors.

    See the package's docstring.

    `machine` is the target machine. A machine without vectors counts as one of four lanes: contiguous rows (`rolled.py`)
    are read and written faster on any processor.
    """

    name = "memref-order-dimensions"
    EXACT = True

    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lanes = machine_of(self.machine).lanes
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                states = with_buffers(function) if lanes > 1 else []
                orders = chosen_orders(function, Families(function), max(_LANES, lanes))
                put_back(states, orders)
                if orders:
                    permute(function, orders)
