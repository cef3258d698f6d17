"""The `ov` dialect: OpenVINO's operation set with additions.

The additions are ONNX operators that the set lacks, and region-based control flow.

The operations are in `operators/`, one file per family. The other parts of an operation are found by place: each module of
`passes/front/convert_onnx_to_ov/operators`, `passes/graph/lib/decompositions` and
`passes/structured/convert_ov_to_linalg` registers the translators, decompositions or lowerings that it has, by the operation's
class. Next to `operators/` are the modules that the operations use: facts and bounds of values, attributes, shape rules.
"""

from __future__ import annotations

from functools import cache

from xdsl.ir import Dialect, Operation

from loomir.dialects.attributes import BlobAttr, StringsAttr
from loomir.dialects.families import Undo, add_to, extensible, operations_of
from loomir.errors import Error

_ADDED: dict[str, type[Operation]] = {}
"""The operations of extensions, by name."""


def add_operation(op_class: type[Operation]) -> Undo:
    """Add an extension's class to the operations of the dialect.

    Its name is `ov.<extension>.<operation>`.

    Errors: `extension-operation` for another name, `extension-clash` if there is already an operation of this name.
    """
    name = getattr(op_class, "name", None)
    if not isinstance(name, str) or name.count(".") != 2 or not name.startswith("ov."):
        raise Error(
            "extension-operation",
            f"{op_class.__qualname__} has the name {name!r}",
            hint="an extension's operation has a name of the form ov.<extension>.<operation>",
        )
    return add_to(_ADDED, name, op_class, f"an operation {name}")


@extensible
@cache
def operations() -> tuple[type[Operation], ...]:
    """Every operation class of the dialect, those of extensions too."""
    return (*operations_of("ov", f"{__name__}.operators"), *_ADDED.values())


@extensible
@cache
def get_dialect() -> Dialect:
    """The dialect object, for a Context."""
    from loomir.dialects.attributes import BoundsAttr
    from loomir.dialects.element_types import CodeType, StringType
    from loomir.dialects.ov.attributes import SliceAttr

    return Dialect(
        "ov", list(operations()), [BlobAttr, BoundsAttr, CodeType, StringsAttr, StringType, SliceAttr]
    )
