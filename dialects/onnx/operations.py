"""Operations of FRONT: nodes and constants of a model, and its functions.

A node of a model's file has no effect besides its results: `remove_dead_nodes` removes those whose results no output needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from xdsl.dialects.builtin import ArrayAttr, FunctionType, IntegerAttr, ModuleOp, NoneType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    eq,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, IsolatedFromAbove, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.attributes import ConstantAttr
from loomir.dialects.element_types import TENSOR, i64
from loomir.dialects.onnx.types import NONE

OPSET = "onnx.opset"
"""Attribute of a FRONT module: imported version of ONNX's operator set."""

FunctionKey = tuple[str, str, str]
"""Domain, name and overload, which identify the function that a node calls."""


def _text(attr: StringAttr | None) -> str:
    return "" if attr is None else attr.data


# A model has few operators and many nodes.
_operator = lru_cache(1024)(StringAttr)


@lru_cache(64)
def _version(number: int) -> IntegerAttr:
    return IntegerAttr(number, i64)


def _known(properties: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    return {name: attr for name, attr in properties.items() if attr is not None}


def _string(text: str) -> StringAttr | None:
    """Return the property for a text, None for the empty text.

    A missing property means the empty text.
    """
    return StringAttr(text) if text else None


@irdl_op_definition
class NodeOp(IRDLOperation):
    """Node of an ONNX graph: an operator, or a function call.

    Source: `NodeProto` (onnx.proto3, IR version 10).

    `version` selects the version of the operator: the newest one that is not newer than `version`. `domain` and `overload` are
    empty if they are left out; `label` is the node's own name. Attributes are those of the file, floats as f32, integers as
    i64, lists as `array<…>` or `[…]`, tensors as constants, types as types; an attribute that the caller of a function
    specifies is `onnx.reference`.

    Operands: any; `none` for an input that is left out. Results: of the types that the file declares, `none` for a result that
    it does not request. Regions: the attributes that are graphs, each ended by an `onnx.yield`; `graphs` has their names. They
    read outer values. `names` are the names of the results, if these are not the names of the SSA values.

    The semantics of a node are unknown at this stage: no pass removes, moves or merges it.

    ```mlir
    %s = onnx.node "Add" 14 named "sum" (%x, %w) : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32> names ["/s"]
    %r = onnx.node "If" 25 (%c) : (tensor<i1>) -> !onnx.unknown graph "then_branch" {
      onnx.yield %s : tensor<2x?xf32>
    } graph "else_branch" {
      %t = onnx.node "Gelu" 1 in "com.microsoft" (%s) {fast = 1 : i64} : (tensor<2x?xf32>) -> !onnx.unknown
      onnx.yield %t : !onnx.unknown
    }
    ```
    """

    name = "onnx.node"

    inputs = var_operand_def(Attribute)
    outputs = var_result_def(Attribute)

    operator = prop_def(StringAttr)
    version = prop_def(IntegerAttr)
    domain = opt_prop_def(StringAttr)
    overload = opt_prop_def(StringAttr)
    label = opt_prop_def(StringAttr)
    names = opt_prop_def(ArrayAttr[StringAttr])
    graphs = opt_prop_def(ArrayAttr[StringAttr])

    bodies = var_region_def("single_block")

    @staticmethod
    def of(
        operator: str,
        version: int,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        *,
        domain: str = "",
        overload: str = "",
        label: str = "",
        names: Sequence[str] | None = None,
        attributes: Mapping[str, Attribute] = MappingProxyType({}),
        graphs: Sequence[tuple[str, Region]] = (),
    ) -> NodeOp:
        """A node from its parts."""
        properties = {
            "operator": _operator(operator),
            "version": _version(version),
            "domain": _string(domain),
            "overload": _string(overload),
            "label": _string(label),
            "names": ArrayAttr(map(StringAttr, names)) if names else None,
            "graphs": ArrayAttr([StringAttr(name) for name, _ in graphs]) if graphs else None,
        }
        return NodeOp.create(
            operands=inputs,
            result_types=result_types,
            properties=_known(properties),
            attributes=dict(attributes),
            regions=[region for _, region in graphs],
        )

    @property
    def key(self) -> FunctionKey:
        """Domain, operator and overload."""
        return _text(self.domain), self.operator.data, _text(self.overload)

    @property
    def graph_attributes(self) -> dict[str, Region]:
        """The attributes that are graphs."""
        names = () if self.graphs is None else self.graphs.data
        return {name.data: region for name, region in zip(names, self.regions)}

    def is_requested(self, index: int) -> bool:
        """Return True if the file requests the result."""
        return index < len(self.results) and not isinstance(self.results[index].type, NoneType)

    def name_of(self, index: int) -> str:
        """Return the name of a result.

        It is empty if the file does not request the result, or if its name is unknown.
        """
        if not self.is_requested(index):
            return ""
        return self.names.data[index].data if self.names is not None else self.results[index].name_hint or ""

    @property
    def title(self) -> str:
        """Title of the node for messages and locations.

        It is the node's name, or its operator and first result.
        """
        if self.label is not None:
            return self.label.data
        return f"{self.operator.data}:{next(filter(None, map(self.name_of, range(len(self.results)))), '')}"

    def verify_(self) -> None:
        names = () if self.graphs is None else self.graphs.data
        if len(names) != len(self.regions):
            raise VerifyException(f"{len(names)} names for {len(self.regions)} graphs")
        if self.names is not None and len(self.names) != len(self.results):
            raise VerifyException(f"{len(self.names)} names for {len(self.results)} results")
        for name, region in self.graph_attributes.items():
            if not isinstance(region.block.last_op, YieldOp):
                raise VerifyException(f"the graph '{name}' does not end in onnx.yield")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.operator.data)
        printer.print_string(f" {self.version.value.data}")
        for keyword, text in (("in", self.domain), ("overload", self.overload), ("named", self.label)):
            if text is not None:
                printer.print_string(f" {keyword} ")
                printer.print_string_literal(text.data)
        printer.print_string(" ")
        printer.print_operands(self.operands)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        if self.names is not None:
            printer.print_string(" names ")
            printer.print_attribute(self.names)
        for name, region in self.graph_attributes.items():
            printer.print_string(" graph ")
            printer.print_string_literal(name)
            printer.print_string(" ")
            printer.print_region(region)

    @classmethod
    def parse(cls, parser: Parser) -> NodeOp:
        operator, version = parser.parse_str_literal(), parser.parse_integer(allow_boolean=False)
        texts = {
            keyword: parser.parse_str_literal() if parser.parse_optional_keyword(keyword) else ""
            for keyword in ("in", "overload", "named")
        }
        operands = parser.parse_op_args_list()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        type_: FunctionType = parser.parse_function_type()
        inputs = parser.resolve_operands(operands, type_.inputs.data, position)
        names: list[str] | None = None
        if parser.parse_optional_keyword("names"):
            names = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_str_literal)
        graphs: list[tuple[str, Region]] = []
        while parser.parse_optional_keyword("graph"):
            graphs.append((parser.parse_str_literal(), parser.parse_region()))
        return cls.of(
            operator,
            version,
            inputs,
            type_.outputs.data,
            domain=texts["in"],
            overload=texts["overload"],
            label=texts["named"],
            names=names,
            attributes=attributes,
            graphs=graphs,
        )


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """Initialiser of a graph (`TensorProto`, `SparseTensorProto`).

    It is a tensor whose contents the file holds. Sparse tensors become dense, contents of external files are mapped.

    `value` is as for `ov.constant`; the result has its type.

    ```mlir
    %w = onnx.constant dense<[1.0, 2.0]> : tensor<2xf32> named "w.1"
    ```
    """

    name = "onnx.constant"

    value = prop_def(Attribute)
    label = opt_prop_def(StringAttr)
    output = result_def(TENSOR)

    assembly_format = "$value (`named` $label^)? attr-dict `:` type($output)"
    traits = traits_def(ConstantLike(), Pure())

    @staticmethod
    def of(value: ConstantAttr, label: str) -> ConstantOp:
        """An initialiser from its contents and its name."""
        return ConstantOp.create(
            result_types=[value.type], properties=_known({"value": value, "label": _string(label)})
        )

    @property
    def title(self) -> str:
        """The initialiser's name."""
        return _text(self.label) or self.output.name_hint or ""

    def verify_(self) -> None:
        if not isinstance(self.value, ConstantAttr):
            raise VerifyException("value must be dense<…>, #ov.blob<…> or #ov.strings<…>")
        if self.value.type != self.output.type:
            raise VerifyException(f"value has type {self.value.type}, the result {self.output.type}")


@irdl_op_definition
class NoneOp(IRDLOperation):
    """Placeholder for an input that a node leaves out.

    In the file, such an input has an empty name.

    ```mlir
    %none = onnx.none : none
    ```
    """

    name = "onnx.none"

    output = result_def(NoneType)

    assembly_format = "attr-dict `:` type($output)"
    traits = traits_def(Pure())

    @staticmethod
    def of() -> NoneOp:
        """The only one there is."""
        return NoneOp.create(result_types=[NONE])


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Terminator with the results of a graph or function.

    `declared` are the types that the graph declares for the results, if these are not the types of the values: a value may come
    from outside, or from an operator for which the file declares another type.

    ```mlir
    onnx.yield %a, %b : tensor<i1>, tensor<*xf32> declared [tensor<i1>, tensor<4x?xf32>]
    ```
    """

    name = "onnx.yield"

    values = var_operand_def(Attribute)
    declared = opt_prop_def(ArrayAttr)

    assembly_format = "($values^ `:` type($values))? (`declared` $declared^)? attr-dict"
    traits = traits_def(IsTerminator(), Pure())

    @staticmethod
    def of(values: Sequence[SSAValue], declared: Sequence[Attribute]) -> YieldOp:
        """The terminator of a graph that declares these types."""
        own = [value.type for value in values]
        properties = {} if own == list(declared) else {"declared": ArrayAttr(declared)}
        return YieldOp.create(operands=values, properties=properties)

    @property
    def types(self) -> Sequence[Attribute]:
        """Return the declared type of each result."""
        return [v.type for v in self.values] if self.declared is None else list(self.declared)

    def verify_(self) -> None:
        if self.declared is not None and len(self.declared) != len(self.values):
            raise VerifyException(f"{len(self.declared)} declared types for {len(self.values)} values")


@irdl_op_definition
class FunctionOp(IRDLOperation):
    """Function of the model (`FunctionProto`).

    A node that calls it stands for its contents.

    Its region has an argument for each input. `attributes` are the defaults of its attributes, `parameters` the names of those
    without a default. `opset` is the version of ONNX's operator set that it imports.

    ```mlir
    onnx.function "Scaled" in "example" opset 17 parameters ["by"] attributes {bias = 1.0 : f32} {
    ^bb0(%x: !onnx.unknown):
      %b = onnx.node "Constant" 13 () {value_float = #onnx.reference<"bias" "FLOAT">} : () -> !onnx.unknown
      %y = onnx.node "Add" 14 (%x, %b) : (!onnx.unknown, !onnx.unknown) -> !onnx.unknown
      onnx.yield %y : !onnx.unknown
    }
    ```
    """

    name = "onnx.function"

    operator = prop_def(StringAttr)
    domain = opt_prop_def(StringAttr)
    overload = opt_prop_def(StringAttr)
    opset = opt_prop_def(IntegerAttr.constr(type=eq(i64)))
    parameters = opt_prop_def(ArrayAttr[StringAttr])

    body = region_def("single_block")

    assembly_format = (
        "$operator (`in` $domain^)? (`overload` $overload^)? (`opset` $opset^)? (`parameters` $parameters^)? "
        "attr-dict-with-keyword $body"
    )
    traits = traits_def(IsolatedFromAbove())

    @staticmethod
    def of(
        key: FunctionKey,
        opset: int | None,
        parameters: Sequence[str],
        defaults: Mapping[str, Attribute],
        body: Region,
    ) -> FunctionOp:
        """A function from its parts."""
        domain, operator, overload = key
        properties = {
            "operator": StringAttr(operator),
            "domain": _string(domain),
            "overload": _string(overload),
            "opset": None if opset is None else IntegerAttr(opset, i64),
            "parameters": ArrayAttr(map(StringAttr, parameters)) if parameters else None,
        }
        return FunctionOp.create(properties=_known(properties), attributes=dict(defaults), regions=[body])

    @property
    def key(self) -> FunctionKey:
        """Domain, name and overload."""
        return _text(self.domain), self.operator.data, _text(self.overload)

    def verify_(self) -> None:
        if not isinstance(self.body.block.last_op, YieldOp):
            raise VerifyException("the function does not end in onnx.yield")


def remove_dead_nodes(module: ModuleOp) -> None:
    """Remove unused nodes, constants and placeholders for omitted inputs.

    Subgraphs are processed too.
    """
    for function in module.ops:
        if isinstance(function, FuncOp | FunctionOp) and function.body.blocks:
            _remove(function.body.block)


def _remove(block: Block) -> None:
    """Remove dead operations of a block, from the last to the first.

    In this order, an operation whose only users were dead is itself dead when it is reached.
    """
    op: Operation | None = block.last_op
    while op is not None:
        before = op.prev_op
        if isinstance(op, NodeOp | ConstantOp | NoneOp) and not any(r.first_use for r in op.results):
            op.detach()
            op.erase()
        else:
            for region in op.regions:
                _remove(region.block)
        op = before
