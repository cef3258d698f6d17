"""`ov.loop` and `ov.if`: loops and branches with regions, and their terminators.

`ov.loop` combines OpenVINO's Loop-5 and TensorIterator-1 and ONNX's Loop (all versions) and Scan. Values from outside are
simply used inside (captures). Sources: OpenVINO's specifications of Loop-5, If-8 and TensorIterator-1; ONNX's of Loop-25,
If-25 and Scan-25; docs/semantics.md specifies the semantics where these are silent or disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, Unpack

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, TensorType
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.pattern_rewriter import RewritePattern
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursivelySpeculatable, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.element_types import TENSOR, AnyTensor, i1, i64
from loomir.dialects.ov.attributes import SliceAttr, Slicing
from loomir.dialects.ovseq.types import GraphType, kind_of, same_kind
from loomir.dialects.region_flow import ForwardingEdge, HasRegionFlow, RegionFlow, of_branch

TRIP_TYPE = TensorType(i64, [])
CONDITION_TYPE = TensorType(i1, [])


class LoopParts(TypedDict, total=False):
    """Parts of a loop beside its body, by the names of `LoopOp.of`."""

    trip: SSAValue | None
    cond: SSAValue | None
    carried: Sequence[SSAValue]
    sliced: Sequence[SSAValue]
    slices: Sequence[Slicing]
    concats: Sequence[Slicing]
    final_types: Sequence[Attribute]
    last_types: Sequence[Attribute]
    concat_types: Sequence[Attribute]


def _segments(op: LoopOp | NextOp) -> tuple[int, ...]:
    """Return how many operands each group has, read once for all groups."""
    sizes = op.properties[AttrSizedOperandSegments.attribute_name]
    assert isinstance(sizes, DenseArrayBase)
    return tuple(int(size) for size in sizes.get_values())


@irdl_op_definition
class NextOp(IRDLOperation):
    """Ends a loop's body: `ov.next while(%cond) carried(…) last(…) concat(…)`. Neither OpenVINO nor ONNX has it.

    `cond` (`tensor<i1>`) says whether there is another iteration; absent means true.
    """

    name = "ov.next"

    cond = opt_operand_def(CONDITION_TYPE)
    carried = var_operand_def(GraphType)
    last = var_operand_def(GraphType)
    concat = var_operand_def(GraphType)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "(`while` `(` $cond^ `)`)? (`carried` `(` $carried^ `:` type($carried) `)`)? "
        "(`last` `(` $last^ `:` type($last) `)`)? (`concat` `(` $concat^ `:` type($concat) `)`)? attr-dict"
    )
    # Pure: a terminator of unknown effect would make every loop around it unremovable.
    traits = traits_def(IsTerminator(), Pure())


@irdl_op_definition
class LoopOp(IRDLOperation, HasCanonicalizationPatternsInterface, HasRegionFlow):
    """Loop over tensors, sequences and optionals: `for (i = 0; i < trip && cond; ++i)`.

    OpenVINO Loop-5 and TensorIterator-1, ONNX Loop-25 and Scan-25.

    Operands: `trip` (optional `tensor<i64>`; absent or negative: no limit), `cond` (optional `tensor<i1>`; absent: true),
    `carried` (initial values), `sliced` (inputs of which each iteration sees one part, cut as `slices` says).
    Region arguments: iteration number `tensor<i64>`, carried values, parts of the sliced inputs. The region ends in `ov.next`.
    Results: final carried values; last values (zeros after zero iterations); concatenations, joined as `concats` says
    (length 0 on that axis after zero iterations). Back edges are simultaneous; the condition is read before each iteration.

    Carried values may be tensors, sequences or optionals, all others are tensors.
    Types: a carried value's region argument and result are the join of its initial and next types. A sliced input with no
    trip count bounds the trips; a trip count beyond the slices is an error when it is reached.

    ```mlir
    %sum, %all = ov.loop trip(%n) while(%go) carried(%zero) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
        : (tensor<i64>, tensor<i1>, tensor<1x4xf32>, tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
    ^bb0(%i: tensor<i64>, %acc: tensor<1x4xf32>, %part: tensor<1x4xf32>):
      %next = ov.add %acc, %part : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      ov.next while(%more) carried(%next : tensor<1x4xf32>) concat(%next : tensor<1x4xf32>)
    }
    ```
    Errors when run: `runtime-shape` (a concatenated value changes shape, more iterations than parts), `limit-iterations`.
    """

    name = "ov.loop"

    trip = opt_operand_def(TRIP_TYPE)
    cond = opt_operand_def(CONDITION_TYPE)
    carried = var_operand_def(GraphType)
    sliced = var_operand_def(TENSOR)

    slices = prop_def(ArrayAttr[SliceAttr])
    concats = prop_def(ArrayAttr[SliceAttr])

    final = var_result_def(GraphType)
    last = var_result_def(GraphType)
    concat = var_result_def(GraphType)

    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True), AttrSizedResultSegments(as_property=True))
    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from loomir.dialects import control_flow
        from loomir.dialects.ov.canonicalization import patterns_of

        return (*patterns_of(cls), *control_flow.patterns_of(cls))

    @staticmethod
    def of(
        *,
        trip: SSAValue | None,
        cond: SSAValue | None,
        carried: Sequence[SSAValue],
        sliced: Sequence[SSAValue],
        slices: Sequence[Slicing],
        concats: Sequence[Slicing],
        final_types: Sequence[Attribute],
        last_types: Sequence[Attribute],
        concat_types: Sequence[Attribute],
        body: Region,
    ) -> LoopOp:
        """Build a loop from its parts.

        The types are the caller's: `ov-infer` refines them.
        """
        return LoopOp.build(
            operands=[[trip] if trip else [], [cond] if cond else [], list(carried), list(sliced)],
            result_types=[list(final_types), list(last_types), list(concat_types)],
            properties={
                "slices": ArrayAttr([SliceAttr(s) for s in slices]),
                "concats": ArrayAttr([SliceAttr(c) for c in concats]),
            },
            regions=[body],
        )

    def like(self, body: Region, **changed: Unpack[LoopParts]) -> LoopOp:
        """Build a loop with some parts changed, and another body.

        It has this loop's location and those of its parts that are not given. Attributes, as facts of a profile, stay with this loop.
        """
        parts: LoopParts = {
            "trip": self.trip,
            "cond": self.cond,
            "carried": self.carried,
            "sliced": self.sliced,
            "slices": self.slicings,
            "concats": self.concatenations,
            "final_types": [result.type for result in self.final],
            "last_types": [result.type for result in self.last],
            "concat_types": [result.type for result in self.concat],
        }
        loop = LoopOp.of(**{**parts, **changed}, body=body)
        loop.location = self.location
        return loop

    @property
    def slicings(self) -> tuple[Slicing, ...]:
        """How each sliced input is cut."""
        return tuple(s.data for s in self.slices)

    @property
    def concatenations(self) -> tuple[Slicing, ...]:
        """How each concatenated output is joined."""
        return tuple(c.data for c in self.concats)

    @property
    def iteration(self) -> SSAValue:
        """The region's iteration number."""
        return self.body.block.args[0]

    @property
    def carried_arguments(self) -> tuple[SSAValue, ...]:
        """The region's arguments for the carried values."""
        return tuple(self.body.block.args[1 : 1 + len(self.carried)])

    @property
    def part_arguments(self) -> tuple[SSAValue, ...]:
        """The region's arguments for the parts of the sliced inputs."""
        return tuple(self.body.block.args[1 + len(self.carried) :])

    @property
    def next(self) -> NextOp:
        """The region's terminator."""
        last = self.body.block.last_op
        assert isinstance(last, NextOp)
        return last

    def region_flow(self) -> RegionFlow:
        """Return the flow of values into, around and out of the loop.

        Carried values are forwarded, last values too (after no iteration they are zeros); parts are sliced and concatenations
        joined.
        """
        body, end = self.body, self.next
        trip, cond, carried, _ = _segments(self)
        back, _, last, _ = _segments(end)
        first, exits = trip + cond, carried + last
        edges = (
            ForwardingEdge(self, None, body, first=first, skipped=1, length=carried),
            ForwardingEdge(self, None, None, first=first, length=carried),
            ForwardingEdge(self, body, body, first=back, skipped=1, length=carried),
            ForwardingEdge(self, body, None, first=back, length=exits),
        )
        derived = (
            ForwardingEdge(self, None, body, first=first + carried, skipped=1 + carried),
            ForwardingEdge(self, body, None, first=back + exits, skipped=exits),
        )
        operands = self.operands
        deciders = (*operands[:first], *end.operands[:back], *operands[first + carried :])
        return RegionFlow(self, edges, deciders, derived)

    def verify_(self) -> None:
        block = self.body.block
        if not isinstance(end := block.last_op, NextOp):
            raise VerifyException("the body must end in ov.next")
        carried, sliced = self.carried, self.sliced
        final, last, concat = self.final, self.last, self.concat
        expected = 1 + len(carried) + len(sliced)
        if len(block.args) != expected:
            raise VerifyException(f"the body must have {expected} arguments (iteration, carried, parts)")
        if block.args[0].type != TRIP_TYPE:
            raise VerifyException("the body's first argument, the iteration number, must be tensor<i64>")
        if len(self.slices) != len(sliced):
            raise VerifyException(f"{len(sliced)} sliced inputs but {len(self.slices)} slices")
        if len(self.concats) != len(concat):
            raise VerifyException(f"{len(concat)} concatenated outputs but {len(self.concats)} concats")
        for what, results, values in (
            ("carried", final, end.carried),
            ("last", last, end.last),
            ("concat", concat, end.concat),
        ):
            if len(results) != len(values):
                raise VerifyException(
                    f"ov.next passes {len(values)} {what} values, the loop has {len(results)}"
                )
            _same_kinds(what, results, values)
        _tensors("sliced", sliced)
        _tensors("last", last)
        _tensors("concat", concat)
        if len(carried) != len(final):
            raise VerifyException(f"{len(carried)} initial but {len(final)} final carried values")
        _same_kinds("carried", carried, block.args[1 : 1 + len(carried)])
        _same_kinds("carried", carried, final)
        _same_kinds("sliced", sliced, block.args[1 + len(carried) :])

    # The declarative format cannot put a region behind a functional type and keep segment sizes hidden.

    def print(self, printer: Printer) -> None:
        for keyword, values in (
            ("trip", (self.trip,) if self.trip else ()),
            ("while", (self.cond,) if self.cond else ()),
            ("carried", self.carried),
            ("sliced", self.sliced),
        ):
            if values:
                printer.print_string(f" {keyword}(")
                printer.print_list(values, printer.print_ssa_value)
                printer.print_string(")")
        attributes: dict[str, Attribute] = {}
        if self.slices.data:
            attributes["slices"] = self.slices
        if self.concats.data:
            attributes["concats"] = self.concats
        attributes |= self.attributes
        if attributes:
            printer.print_string(" ")
            printer.print_attr_dict(attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        # Which results are last values and which are concatenations follows from the terminator.
        printer.print_string(" ")
        printer.print_region(self.body)

    @classmethod
    def parse(cls, parser: Parser) -> LoopOp:
        groups: dict[str, list[UnresolvedOperand]] = {"trip": [], "while": [], "carried": [], "sliced": []}
        for keyword in groups:
            if parser.parse_optional_keyword(keyword):
                groups[keyword] = parser.parse_comma_separated_list(
                    parser.Delimiter.PAREN, parser.parse_unresolved_operand
                )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        signature = parser.parse_function_type()
        flat = [o for group in groups.values() for o in group]
        if len(flat) != len(signature.inputs.data):
            parser.raise_error(
                f"{len(flat)} operands but {len(signature.inputs.data)} types", position, parser.pos
            )
        resolved = iter([parser.resolve_operand(o, t) for o, t in zip(flat, signature.inputs.data)])
        operands = [[next(resolved) for _ in group] for group in groups.values()]
        body = parser.parse_region()
        end = body.block.last_op if body.blocks else None
        if not isinstance(end, NextOp):
            parser.raise_error("the body of ov.loop must end in ov.next", position)
        outputs = list(signature.outputs.data)
        finals, lasts = len(end.carried), len(end.last)
        if len(outputs) != finals + lasts + len(end.concat):
            parser.raise_error(
                f"{len(outputs)} results but ov.next passes {finals + lasts + len(end.concat)} values",
                position,
            )
        op = cls.build(
            operands=operands,
            result_types=[outputs[:finals], outputs[finals : finals + lasts], outputs[finals + lasts :]],
            properties={
                "slices": attributes.pop("slices", ArrayAttr([])),
                "concats": attributes.pop("concats", ArrayAttr([])),
            },
            regions=[body],
        )
        op.attributes |= attributes
        return op


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Terminator of a branch of `ov.if`, with the branch's results.

    Neither OpenVINO nor ONNX has it.
    """

    name = "ov.yield"

    values = var_operand_def(GraphType)
    assembly_format = "($values^ `:` type($values))? attr-dict"
    traits = traits_def(IsTerminator(), Pure())


@irdl_op_definition
class IfOp(IRDLOperation, HasCanonicalizationPatternsInterface, HasRegionFlow):
    """Runs one of two regions: OpenVINO If-8, ONNX If-25.

    `cond` is `tensor<i1>`; both regions have no arguments, use outside values directly, and end in `ov.yield` with as many
    values as there are results (at least one): tensors, sequences or optionals. They agree in kind and element type, not necessarily
    in shape or even rank: the result's type is the join, the run-time value keeps its true shape. Only the chosen region is evaluated.

    ```mlir
    %r = ov.if %c -> (tensor<?xf32>) {
      ov.yield %a : tensor<2xf32>
    } else {
      ov.yield %b : tensor<3xf32>
    }
    ```
    """

    name = "ov.if"

    cond = operand_def(CONDITION_TYPE)
    output = var_result_def(GraphType)
    then_region = region_def("single_block")
    else_region = region_def("single_block")

    assembly_format = "$cond `->` `(` type($output) `)` $then_region `else` $else_region attr-dict"
    traits = traits_def(RecursiveMemoryEffect(), RecursivelySpeculatable())

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from loomir.dialects.control_flow import patterns_of

        return patterns_of(cls)

    @staticmethod
    def of(cond: SSAValue, result_types: Sequence[Attribute], then: Region, otherwise: Region) -> IfOp:
        """Build an if from its parts."""
        return IfOp.build(operands=[cond], result_types=[list(result_types)], regions=[then, otherwise])

    @property
    def then_yield(self) -> YieldOp:
        """The terminator of the first region."""
        return _yield_of(self.then_region.block)

    @property
    def else_yield(self) -> YieldOp:
        """The terminator of the second region."""
        return _yield_of(self.else_region.block)

    def region_flow(self) -> RegionFlow:
        """Return the flow from both branches' yielded values to the results."""
        return of_branch(self)

    def verify_(self) -> None:
        if not self.output:
            raise VerifyException("ov.if must have at least one result")
        for name, region in (("then", self.then_region), ("else", self.else_region)):
            block = region.block
            if block.args:
                raise VerifyException(f"the {name} region must not have arguments")
            if not isinstance(end := block.last_op, YieldOp):
                raise VerifyException(f"the {name} region must end in ov.yield")
            if len(end.values) != len(self.output):
                raise VerifyException(
                    f"the {name} region yields {len(end.values)} values, the operation has {len(self.output)} results"
                )
            _same_kinds(f"{name} region's", self.output, end.values)


def _yield_of(block: Block) -> YieldOp:
    last = block.last_op
    assert isinstance(last, YieldOp)
    return last


def _same_kinds(what: str, results: Sequence[SSAValue], values: Sequence[SSAValue]) -> None:
    """Tensors, sequences and optionals may differ in shapes, and in nothing else."""
    for index, (result, value) in enumerate(zip(results, values)):
        a, b = result.type, value.type
        if not isinstance(a, GraphType) or not isinstance(b, GraphType):
            raise VerifyException(f"{what} value {index} is not a tensor, a sequence or an optional")
        if same_kind(a, b):
            continue
        if isinstance(a, AnyTensor) and isinstance(b, AnyTensor):
            raise VerifyException(
                f"{what} value {index} has element types {a.element_type} and {b.element_type}"
            )
        raise VerifyException(f"{what} value {index} has types of two kinds: {kind_of(a)} and {kind_of(b)}")


def _tensors(what: str, values: Sequence[SSAValue]) -> None:
    for index, value in enumerate(values):
        if not isinstance(value.type, AnyTensor):
            raise VerifyException(f"{what} value {index} is not a tensor")
