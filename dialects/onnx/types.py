"""Types and attributes of FRONT in addition to those of GRAPH.

They represent what a file leaves undeclared, and attributes that the caller of a function specifies.

```mlir
!onnx.unknown                            // nothing is declared: a tensor, a sequence or an optional
tensor<*x!onnx.unknown>                  // a tensor of which nothing else is declared
tensor<2x?x!onnx.unknown>                // extents without an element type
#onnx.reference<"alpha" "FLOAT">         // in a function: the call's attribute of this name
```
"""

from __future__ import annotations

from xdsl.dialects.builtin import NoneType, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.element_types import AnyTensor
from loomir.dialects.ovseq.types import OptionalType, SequenceType


@irdl_attr_definition
class UnknownType(ParametrizedAttribute, TypeAttribute):
    """Undeclared type of a value or of a tensor's elements."""

    name = "onnx.unknown"


UNKNOWN = UnknownType()
NONE = NoneType()
"""Type of an omitted input, and of a result without a name.

The file does not request such a result.
"""


_ONE = ("FLOAT", "INT", "STRING", "TENSOR", "GRAPH", "SPARSE_TENSOR", "TYPE_PROTO")
KINDS = ("UNDEFINED", *_ONE, *(f"{kind}S" for kind in _ONE))
"""ONNX's names of attribute types.

They are listed here so that the dialect does not depend on ONNX's package. References in ONNX's own definitions may leave
their type undefined.
"""


@irdl_attr_definition
class ReferenceAttr(ParametrizedAttribute):
    """Reference to an attribute of the enclosing function, in a node.

    It stands for the attribute of this name of the call, or else for the function's own default.
    """

    name = "onnx.reference"

    attribute: StringAttr
    kind: StringAttr
    """ONNX's name of the attribute's type: `FLOAT`, `INTS`, `GRAPH` …"""

    def verify(self) -> None:
        if self.kind.data not in KINDS:
            raise VerifyException(
                f"'{self.kind.data}' is not a type of an attribute: expected one of {', '.join(KINDS)}"
            )

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.attribute.data)
            printer.print_string(" ")
            printer.print_string_literal(self.kind.data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_str_literal()), StringAttr(parser.parse_str_literal())]


def is_declared(type_: Attribute) -> bool:
    """Return True if a type declares the kind of its values.

    The element type must be declared too.
    """
    match type_:
        case SequenceType() | OptionalType():
            return is_declared(type_.element if isinstance(type_, SequenceType) else type_.value)
        case _ if isinstance(type_, AnyTensor):
            return type_.element_type != UNKNOWN
        case _:
            return type_ != UNKNOWN
