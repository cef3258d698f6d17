"""Declarations of operation classes: equivalents, layouts, and named extents.

**`SOURCES`**: direct equivalents of an operation in other operator sets. The rows of OpenVINO's layer types, ONNX's translators
and the columns of `docs/operators.md` are derived from them for all operators whose operands and attributes are those of the
operation. Operators that need more than that have their own row or translator.

**`LAYOUT`**: layout semantics of an operation, how the order of axes matters; for classes of extensions too.

```python
class MyPoolOp(OvOperation):
    LAYOUT: ClassVar = ChannelsFirst()  # data and result are N, C, then space

class MyScaleOp(OvOperation):
    LAYOUT: ClassVar = AnyOrder(axis="axis")  # an attribute names an axis; with it the data may lie in any order
```

An operation that declares no layout and is not `ELEMENTWISE` requires the operands' axes in their original order.

**`named_extents`**: extents of operands that have one name are equal everywhere. An operation declares once which of its
operands' extents belong together (`OvOperation.named_extents`). Inference checks these names and narrows extents by them;
`ov-decompose` emits run-time checks for what inference cannot determine, because the operations of a decomposed composite would
broadcast operands that do not fit.

>>> NamedExtents("rnn-shape", [Named(0, "x", "NI"), Named(1, "the state", "NH")], {"H": Dim(4, 4)})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from loomir.dialects.ov.facts import Dim, Fact
from loomir.errors import Error


@dataclass(frozen=True)
class Sources:
    """Names and versions: `Sources(openvino=("Sin", 1), onnx=("Sin", 7, 22))`."""

    openvino: tuple[str | int, ...] = ()
    """OpenVINO layer type and the versions with the same meaning.

    The layer has the declared operands, and its attributes are named as the properties.
    """
    onnx: tuple[str | int, ...] = ()
    """Operator of the domain `ai.onnx` and the versions with the same meaning.

    The inputs are the operands, and no attribute matters.
    """
    domain: str = ""
    """Domain of an extension's operator, if other than `ai.onnx`.

    The operator's attributes are named as the properties, whatever the version.
    """
    own: tuple[str, ...] = ()
    """Properties that no attribute of OpenVINO's says."""
    older: tuple[str, ...] = ()
    """Properties that only older versions of the layer say."""
    unused: tuple[str, ...] = ()
    """Attributes that change nothing.

    Older versions of the layer have them, or OpenVINO writes them.
    """


@dataclass(frozen=True)
class ChannelsFirst:
    """Layout N, C, then space, on which the operation is defined.

    These operands, and all results of their rank, have this layout.
    """

    operands: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Broadcasting:
    """Layout of an elementwise operation; (-1,) means all operands.

    Each element of the result is computed from the elements at the same place, after these operands are broadcast to each other.
    """

    operands: tuple[int, ...]


@dataclass(frozen=True)
class AnyOrder:
    """Any common order of axes of these operands and all results.

    Attributes and operands that name axes are changed with the order.

    A result of a lower rank lacks the axes that are named. `Error`s and results must be the same in every order.
    """

    operands: tuple[int, ...] = (0,)
    """Those that lie alike; (-1,): all."""
    axis: str | None = None
    """An integer attribute that is an axis."""
    axes: int | None = None
    """An integer operand, a scalar or 1-D, that names axes."""
    per_axis: tuple[int, ...] = ()
    """1-D operands with an element for each axis."""
    lists: tuple[str, ...] = ()
    """Attributes, lists of integers with an element for each axis."""
    in_sequence: bool = False
    """True if the axes are traversed in a fixed order.

    The order must stay: sums of floats depend on it.
    """


Layout = ChannelsFirst | Broadcasting | AnyOrder


ANY = ""
"""The name of an extent that may be any."""


@dataclass(frozen=True)
class NamedOperand:
    """The names of an operand's extents, one for each dimension.

    A number is its own name. A name with `?` behind it is of an extent that may also be 1, and is broadcast then.
    """

    index: int
    """Index of the operand."""
    what: str
    names: Sequence[str]


@dataclass(frozen=True)
class ExtentCheck:
    """Run-time check that an extent is the one of its name.

    Inference does not know the extent.
    """

    operand: int
    axis: int
    expected: int | tuple[int, int]
    """A number, or the extent of an operand along an axis."""
    or_one: bool
    """True if the extent may also be 1."""
    reason: str
    """Error message if the check fails."""


@dataclass(frozen=True)
class NamedExtents:
    """Operands with named extents, and extents of names known beforehand."""

    error: str
    """The identifier of the error where extents of one name differ."""
    operands: Sequence[NamedOperand]
    known: Mapping[str, Dim] = field(default_factory=dict)

    def agreed(self, operation: str, facts: Sequence[Fact]) -> dict[str, Dim]:
        """Return the extent of each name, as the meet of all operands.

        Error: `self.error`.
        """
        met = dict(self.known)
        for named, name, extent in self._extents(facts):
            if name.isdecimal():
                met[name] = Dim(int(name), int(name))
            if name.endswith("?"):
                continue
            both = met.get(name, Dim()).meet(extent)
            if both is None:
                raise self._differ(operation, named, name, extent, met[name])
            met[name] = both
        for named, name, extent in self._extents(facts):
            whole, plain = met.get(name[:-1], Dim()), name[:-1]
            if name.endswith("?") and extent.meet(Dim(1, 1)) is None:
                both = whole.meet(extent)
                if both is None:
                    raise self._differ(operation, named, plain, extent, whole)
                met[plain] = both
        return met

    def runtime_checks(self, operation: str, facts: Sequence[Fact]) -> list[ExtentCheck]:
        """Return the checks that remain for the run time.

        Error: as `agreed`.
        """
        met = self.agreed(operation, facts)
        asked: list[ExtentCheck] = []
        first: dict[str, tuple[int, int]] = {}
        """First extent of each unknown name: the others must equal it."""
        for operand, axis, label in self._open(facts):
            name = label.removesuffix("?")
            has = f"{operand.what} of {operation} has"
            known = met[name].static if name in met else None
            if known is not None:
                has += (
                    f" another extent than {name}"
                    if name.isdecimal()
                    else f" another extent than {name} = {known}"
                )
                wanted = known
            elif name in first:
                wanted = first[name]
                other = next(o.what for o in self.operands if o.index == wanted[0])
                has += f" another {name} than {other}"
            else:
                first[name] = operand.index, axis
                continue
            asked.append(ExtentCheck(operand.index, axis, wanted, label.endswith("?"), has))
        return asked

    def _open(self, facts: Sequence[Fact]) -> list[tuple[NamedOperand, int, str]]:
        """Return the unknown extents that have names.

        Those that may be 1 come last.
        """
        found: list[tuple[NamedOperand, int, str]] = []
        for named in self.operands:
            for axis, (name, extent) in enumerate(zip(named.names, facts[named.index].shape or ())):
                if name != ANY and extent.static is None:
                    found.append((named, axis, name))
        return sorted(found, key=lambda place: place[2].endswith("?"))

    def _extents(self, facts: Sequence[Fact]) -> list[tuple[NamedOperand, str, Dim]]:
        """Error: `self.error` for an operand of another rank."""
        found: list[tuple[NamedOperand, str, Dim]] = []
        for named in self.operands:
            shape = facts[named.index].shape
            if shape is None:
                continue
            if len(shape) != len(named.names):
                raise Error(self.error, f"{named.what} has rank {len(shape)}, expected {len(named.names)}")
            found += [(named, name, extent) for name, extent in zip(named.names, shape) if name != ANY]
        return found

    def _differ(self, operation: str, named: NamedOperand, name: str, extent: Dim, elsewhere: Dim) -> Error:
        has = f"{named.what} of {operation} has"
        if not name.isdecimal():
            return Error(self.error, f"{has} {name} = {extent}, elsewhere it is {elsewhere}")
        what = f"{extent} values" if len(named.names) == 1 else f"an extent of {extent}"
        return Error(self.error, f"{has} {what}, expected {name}")


def broadcast_to(facts: Sequence[Fact], what: str, others: Sequence[tuple[int, str]]) -> NamedExtents:
    """Return the named extents of operands broadcast to the first operand.

    The first operand is not broadcast to them: its rank and extents are the result's. Dimensions are aligned at the end. Error
    when queried, of extents and of ranks: `broadcast-shapes`.
    """
    rank = facts[0].rank
    if rank is None:
        return NamedExtents("broadcast-shapes", ())
    names = [f"dimension {k}" for k in range(rank)]
    operands = [NamedOperand(0, what, names)]
    for index, name in others:
        own = facts[index].rank
        if own is not None:
            # One of too many dimensions is refused by its rank.
            operands.append(NamedOperand(index, name, [f"{n}?" for n in names[max(0, rank - own) :]]))
    return NamedExtents("broadcast-shapes", operands)


def one_number(facts: Sequence[Fact], error: str, names: Mapping[int, str]) -> NamedExtents:
    """Operands of rank 0 or 1 that are one number."""
    return NamedExtents(
        error, [NamedOperand(i, what, "1" * (facts[i].rank or 0)) for i, what in names.items()]
    )


def as_long(
    facts: Sequence[Fact], error: str, names: Mapping[int, str], length: int | None = None
) -> NamedExtents:
    """Return the named extents of vectors of one length.

    The length may be given; absent operands at the end are left out.
    """
    name = "length" if length is None else str(length)
    return NamedExtents(error, [NamedOperand(i, what, [name]) for i, what in names.items() if i < len(facts)])
