"""Base class of `ov` operations: construction, inference, evaluation, printing, comparison.

An operation is *primitive* (`evaluate` computes its results, and it has a lowering in
`passes/structured/convert_ov_to_linalg`) or *composite* (it has a decomposition in
`passes/graph/lib/decompositions/`), as `COMPOSITE` specifies.

Evaluation of primitive operations in numpy is the reference for every lowering.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    f64,
    i64,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    OptOperandDef,
    OptPropertyDef,
    ParsePropInAttrDict,
    VarOperandDef,
    VarResultDef,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.attributes import bounds_fit
from loomir.dialects.element_types import CodeType, element_of, f32, is_carried, set_type
from loomir.dialects.ov.facts import Dim, Fact, fact_of, shape_of
from loomir.dialects.ov.interfaces import ExtentCheck, Layout, NamedExtents, Sources
from loomir.dialects.ov.shape_rules import broadcast_count
from loomir.errors import Error

AttrValue = Attribute | bool | int | float | str | Sequence[int] | Sequence[str] | None
"""Python types accepted as an attribute; `attr` converts them to IR."""


def attr(value: AttrValue) -> Attribute | None:
    """Convert a Python value to an attribute.

    int → i64, bool → i1, float → f64, str → string, list of int → array<i64>.
    """
    if value is None or isinstance(value, Attribute):
        return value
    if isinstance(value, bool):
        return BoolAttr.from_bool(value)
    if isinstance(value, int):
        return IntegerAttr(_in_64_bits(value), i64)
    if isinstance(value, float):
        return FloatAttr(value, f64)
    if isinstance(value, str):
        return StringAttr(value)
    items = list(value)
    if items and isinstance(items[0], str):
        return ArrayAttr([StringAttr(str(s)) for s in items])
    return DenseArrayBase.from_list(i64, [_in_64_bits(int(v)) for v in items])


def int64_array(values: Iterable[int]) -> np.ndarray:
    """Convert integers derived from attributes and extents to an array.

    Raises `Error("attribute-value")` for an integer beyond 64 bits.
    """
    return np.array([_in_64_bits(int(v)) for v in values], np.int64)


def _in_64_bits(value: int) -> int:
    if not -(1 << 63) <= value < 1 << 63:
        raise Error("attribute-value", f"{value} is not a 64-bit integer")
    return value


Operand = SSAValue | Operation | Sequence[SSAValue] | None
"""Argument of `make` for one declared operand.

It is a sequence for a variadic operand, None for an absent optional one.
"""

IRDLOpT = TypeVar("IRDLOpT", bound=IRDLOperation)


def unchecked(
    op_class: type[IRDLOpT],
    operands: Sequence[Operand],
    attributes: Mapping[str, AttrValue] | None,
    results: int,
) -> IRDLOpT:
    """An operation whose results have no types yet: `set_result_types` gives them theirs.

    Operands and attributes are what the class declares, or an error says what is not: `operand-count`, `attribute-missing`,
    `attribute-value`. What builds and infers an operation relies on that.
    """
    definition = op_class.get_irdl_definition()
    given = [*operands, *([None] * (len(definition.operands) - len(operands)))]
    if len(given) > len(definition.operands):
        raise _wrong_count(op_class, len(given))
    shaped: list[Sequence[SSAValue]] = []
    for (_, operand_def), operand in zip(definition.operands, given, strict=True):
        values = _as_sequence(operand)
        optional = isinstance(operand_def, OptOperandDef)
        if len(values) != 1 and not (isinstance(operand_def, VarOperandDef) and not (optional and values)):
            raise _wrong_count(op_class, sum(len(_as_sequence(o)) for o in operands))
        shaped.append(values)
    unknown = UnrankedTensorType(f32)
    result_types: list[Attribute | Sequence[Attribute]] = [
        [unknown] * results if isinstance(d, VarResultDef) else unknown for _, d in definition.results
    ]
    properties = {name: a for name, v in (attributes or {}).items() if (a := attr(v)) is not None}
    for name, prop in definition.properties.items():
        if name not in properties and not (
            isinstance(prop, OptPropertyDef) or prop.default_value is not None
        ):
            raise Error("attribute-missing", f"the attribute {name} is missing")
    return op_class.build(operands=shaped, result_types=result_types, properties=properties)


def _as_sequence(operand: Operand) -> Sequence[SSAValue]:
    if operand is None:
        return ()
    return [SSAValue.get(operand)] if isinstance(operand, SSAValue | Operation) else operand


def _wrong_count(op_class: type[IRDLOperation], count: int) -> Error:
    """How many operands there are, and how many there must be."""
    declared = [d for _, d in op_class.get_irdl_definition().operands]
    least = sum(not isinstance(d, VarOperandDef) for d in declared)
    if any(isinstance(d, VarOperandDef) and not isinstance(d, OptOperandDef) for d in declared):
        wanted = f"{least} or more"
    else:
        wanted = str(least) if least == len(declared) else f"{least} to {len(declared)}"
    return Error("operand-count", f"there are {count} operands, but {op_class.name} has {wanted}")


def set_result_types(op: Operation, types: Sequence[Attribute]) -> None:
    """Set the result types of a new operation.

    Raises `Error("result-count")` if the number of types differs from the number of results.
    """
    if len(types) != len(op.results):
        raise Error("result-count", f"{op.name} has {len(types)} results here, not {len(op.results)}")
    for result, type_ in zip(op.results, types, strict=True):
        set_type(result, type_)


class OvOperation(IRDLOperation, HasCanonicalizationPatternsInterface):
    """An operation of the `ov` dialect on tensors.

    Subclasses define operands, properties (named as the specification names the attributes) and results with
    xDSL's declarations, `infer`, and `traits`. They print as
    `%r = ov.name %a, %b {attribute = …} : (tensor<…>, …) -> tensor<…>`.
    """

    COMPOSITE: ClassVar[bool] = False
    """True if `ov-decompose` replaces the operation by simpler ones."""

    SOURCES: ClassVar[Sources] = Sources()
    """The operators of OpenVINO and ONNX that it is as it stands."""

    MOVES: ClassVar[tuple[int, ...]] = ()
    """Operands whose elements the operation only moves; (-1,) means all.

    Examples are Reshape, Gather, Concat …. If the other operands are known, bounds of the contents of the results follow from
    evaluating the operation on the bounds.
    """

    @property
    def moves(self) -> tuple[int, ...]:
        """`MOVES` of an operation whose attributes decide it."""
        return self.MOVES

    CARRIES: ClassVar[tuple[int, ...] | None] = None
    """Operands that may have string or complex elements; (-1,) means all.

    None means the operands that the operation moves.
    """

    SIZED_AS: ClassVar[tuple[int, ...]] = ()
    """Operands that bound the number of elements of each result.

    No result has more elements than these operands have when broadcast to each other; for a single one, than it has itself.
    """

    ELEMENTWISE: ClassVar[tuple[int, ...]] = ()
    """Operands of an elementwise function; empty if the operation is none.

    Each element of the result is computed from the elements of these operands at the same place, after they are broadcast to
    each other (as the attribute `auto_broadcast` specifies, if there is one). The other operands are parameters of the
    function.
    """

    LAYOUT: ClassVar[Layout | None] = None
    """Layout semantics of the operands (`interfaces.py`), beyond `ELEMENTWISE`.

    It specifies how the order of the operands' axes matters.
    """

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from loomir.dialects.ov.canonicalization import patterns_of

        return patterns_of(cls)

    @abstractmethod
    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        """Infer the facts of the results from those of the operands.

        An absent optional operand has no fact in the list.

        Raises `Error` (without a place: the caller adds it with `at`) if the operands are illegal for the operation. Must be
        monotone: less information about an operand never yields more information about a result. Must depend only on the facts, the
        operation's properties and the types of its results, because the results are cached (`inference.py`). Contents that follow
        from evaluating the operation need not be inferred: inference evaluates it if all operands are known.
        """

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents | None:
        """Return which extents of the operands must be equal (see `interfaces.NamedExtents`).

        Only equalities that must be stated are included.

        `infer` and the function `evaluate` check them; `ov-decompose` and the lowering emit checks at run time for what inference
        cannot determine: no operation checks that itself. The ranks of the facts may be unknown.
        """
        return None

    def agreed_extents(self, facts: Sequence[Fact]) -> dict[str, Dim]:
        """The extents by name. Error where those of one name differ."""
        named = self.named_extents(facts)
        return {} if named is None else named.agreed(self.name, facts)

    def extent_questions(self, facts: Sequence[Fact]) -> list[ExtentCheck]:
        """Return the checks of extents that remain for the run time.

        Error if extents of one name differ.
        """
        named = self.named_extents(facts)
        return [] if named is None else named.runtime_checks(self.name, facts)

    def results_of(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        """Run `infer` after checking operands of carried types.

        `infer` may rely on it that only operands whose carried types the operation accepts have such types.

        Errors: `element-type`; `unsupported-type` for codes.
        """
        given = [index for index, fact in enumerate(facts) if is_carried(fact.element)]
        takes = self.moves if self.CARRIES is None else self.CARRIES
        for index in given:
            if index not in takes and takes != (-1,):
                what = (
                    f"operand {index} has element type {facts[index].element}, of which nothing is computed"
                )
                if isinstance(facts[index].element, CodeType):
                    raise Error(
                        "unsupported-type",
                        what,
                        hint="only loops, branches and data movement take them",
                    )
                raise Error("element-type", what)
        results = self.infer(facts)
        if facts and not given:
            for result in results:
                if is_carried(result.element):
                    raise Error("element-type", f"nothing computes elements of type {result.element}")
        if self.SIZED_AS and any(result.static is None for result in results):
            most = broadcast_count([facts[index] for index in self.SIZED_AS])
            return [result.of_at_most(most) for result in results]
        return results

    def accepts(self, facts: Sequence[Fact]) -> bool:
        """Return True if a `FailsOnContents` operation surely succeeds for these facts.

        Called only if `infer` accepts the facts, and all shapes and the contents of the declared parameters are known. The result
        covers all other reasons for failure, such as an index out of range (see `dialects/speculation.py`).
        """
        return True

    def evaluate(self, *arrays: Any, **_: Any) -> np.ndarray | tuple[np.ndarray, ...]:
        """Compute the results of a primitive in numpy.

        Takes an array for each operand that is present; returns an array, or a tuple of one for each result.

        The results have exactly the dtype of the result's element type and are not written afterwards. All memory beside operands
        and results is requested first (`numerics.py`). Called through the function `evaluate`. Error: failures that depend
        on contents, such as an index out of range: `runtime-…`.
        """
        raise NotImplementedError(self.name)

    @classmethod
    def make(
        cls,
        *operands: Operand,
        attributes: Mapping[str, AttrValue] | None = None,
        results: int = 1,
    ) -> Self:
        """Build the operation with inferred result types.

        The types are inferred from the IR's facts about the operands.

        One Python argument per declared operand: a sequence for a variadic one, None for an absent optional. `results` is the number
        of results if they are variadic. Raises `Error` as `infer` and `unchecked` do; `operand-kind`, `result-count`.
        """
        op = unchecked(cls, operands, attributes, results)
        try:
            for index, operand in enumerate(op.operands):
                if not isinstance(operand.type, TensorType | UnrankedTensorType):
                    raise Error("operand-kind", f"operand {index} is a {operand.type}, not a tensor")
            facts = op.results_of([fact_of(o) for o in op.operands])
            set_result_types(op, [fact.type for fact in facts])
        except Error:
            # Leave no uses behind: the operation is not going to exist.
            op.drop_all_references()
            raise
        return op

    def verify_(self) -> None:
        """Verify that the result types do not contradict inference.

        (An inferred `?` may be a number in the type, and so on.)
        """
        try:
            facts = self.results_of([fact_of(o) for o in self.operands])
        except Error as error:
            raise VerifyException(f"{error.what} [{error.identifier}]") from error
        for index, (result, fact) in enumerate(zip(self.results, facts, strict=True)):
            declared = Fact.of_type(result.type)
            if declared.rank is not None and not bounds_fit(result.type):
                raise VerifyException(
                    f"result {index} has type {result.type}, whose bounds are of another rank"
                )
            if declared.element != fact.element:
                raise VerifyException(
                    f"result {index} has element type {declared.element}, inference says {fact.element}"
                )
            if declared.shape is None or fact.shape is None:
                continue
            if len(declared.shape) != len(fact.shape) or any(
                a.meet(b) is None for a, b in zip(declared.shape, fact.shape)
            ):
                raise VerifyException(
                    f"result {index} has type {result.type}, which contradicts the inferred {fact.type}"
                )


def has_evaluator(op_class: type[Operation]) -> bool:
    """Return True if the operation has numpy semantics of its own.

    Composites have their decomposition instead, control flow its regions.
    """
    return (
        issubclass(op_class, OvOperation)
        and not op_class.COMPOSITE
        and op_class.evaluate is not OvOperation.evaluate
    )


def evaluate(op: Operation, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Return the results of a primitive operation, as arrays.

    Error: as its `evaluate`; `runtime-shape` if its named extents differ.
    """
    assert isinstance(op, OvOperation), op.name
    if type(op).named_extents is not OvOperation.named_extents:
        try:
            op.agreed_extents([Fact(element_of(a.dtype), shape_of(a.shape)) for a in arrays])
        except Error as error:
            raise Error("runtime-shape", error.what) from None
    if not op.moves and not op.ELEMENTWISE:
        # How numpy groups what it adds depends on how its operands lie, which is nothing that a program says.
        arrays = [a if a.flags.c_contiguous else np.ascontiguousarray(a) for a in arrays]
    with np.errstate(all="ignore"):
        results = op.evaluate(*arrays)
    # Of an array of strings numpy gives a single element as what it is, not as a scalar of its own.
    return tuple(
        np.array(result, object) if isinstance(result, str) else result
        for result in (results if isinstance(results, tuple) else (results,))
    )
