"""`bufferize`: from tensors to buffers (STRUCTURED to the memref form of docs/ir.md).

The result is not yet LOOPS: it still has `linalg.generic`, `linalg.fill` and `linalg.copy`, on memrefs, and a generic may
carry `loomir.pads` (documented in `passes/structured/bufferize/pads.py`, which also has the reader, `read_pads`).
What `lower-linalg-to-loops` can rely on:

- memref types: identity layout where the memory is contiguous from offset 0 of its buffer, `strided<…>` otherwise;
- the extent of a `?` dimension is an operand of the `memref.subview` (sizes) or `memref.expand_shape` (output shape) that made
  the memref; through `memref.collapse_shape` it is the product of those;
- `linalg.copy` and `linalg.fill`: one input, one output, equal shapes; a copy's source and target never overlap;
- a generic's output memref is also read by it only as an output (accumulation), or elementwise: all loops parallel and
  the same indexing map for the input and the output, so each iteration reads just the element that it writes;
- an input whose block argument is unused (a pooling window) still gives loop extents; its buffer is never read.
"""
