"""The `ovseq` dialect: sequences of tensors and optionals, as in ONNX.

The dialect occurs in GRAPH only. (Its name is not `seq`, which is a dialect of CIRCT that xDSL has.)

The operations are in `operators/`; beside them are `types` (with `facts`, inferred knowledge), `base` and `canonicalization`.
Loops carry such values, branches return them, and `main` takes and returns them; `convert-ovseq-to-ov` converts them to
tensors before the program leaves GRAPH.
"""

from __future__ import annotations

from functools import cache

from xdsl.ir import Dialect, Operation

from loomir.dialects.families import operations_of


@cache
def operations() -> tuple[type[Operation], ...]:
    """Every operation class of the dialect."""
    return operations_of("ovseq", f"{__name__}.operators")


@cache
def get_dialect() -> Dialect:
    """The dialect object, for a Context."""
    from loomir.dialects.ovseq.types import OptionalType, SequenceType

    return Dialect("ovseq", list(operations()), [SequenceType, OptionalType])
