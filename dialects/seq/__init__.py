"""The `ovseq` dialect: sequences of tensors and optionals, as ONNX has them. In GRAPH only.

(Its name in IR is not `seq`, which is a dialect of CIRCT that xDSL has.)

One file per subject: `types`, `facts` (what inference knows), `base`, `sequences`, `splitting`, `optionals`, `evaluate` (what they
compute), `canonicalization`. Loops carry such values, branches return them, and `main` takes and gives them;
`convert-seq-to-ov` makes tensors of them before the program leaves GRAPH.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

from xdsl.ir import Dialect

if TYPE_CHECKING:
    from loomir.dialects.seq.base import SeqOperation

SUBJECTS = ("sequences", "splitting", "optionals")
"""The modules of this package that hold operations."""


@cache
def operations() -> tuple[type[SeqOperation], ...]:
    """Every operation class of the dialect."""
    from loomir.dialects.seq.base import SeqOperation

    found: list[type[SeqOperation]] = []
    for subject in SUBJECTS:
        module = importlib.import_module(f"loomir.dialects.seq.{subject}")
        for item in vars(module).values():
            if (
                isinstance(item, type)
                and issubclass(item, SeqOperation)
                and item.__module__ == module.__name__
            ):
                found.append(item)
    return tuple(found)


@cache
def get_dialect() -> Dialect:
    """The dialect object, for a Context."""
    from loomir.dialects.seq.types import OptionalType, SequenceType

    return Dialect("ovseq", list(operations()), [SequenceType, OptionalType])
