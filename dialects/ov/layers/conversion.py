"""Conversion between layers of an operation set and operations, by rows.

A layer becomes operations by its row (`results_of_layer`), and an operation a layer (`written`), with the same rows:
`ov.clamp` with `min = 0.0` and `max = 6.0` is `PlainLayer("Clamp", "opset1", {"min": "0.0", "max": "6.0"})`.

A written layer specifies all properties of its operation set, also those that an operation leaves out, so that no reader's own
defaults apply. OpenVINO's classes have defaults of their own (a block size of 0, no activation functions), which are not those
of the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, f64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import OptPropertyDef, VarOperandDef

from loomir.dialects.families import extensible
from loomir.dialects.ov.attributes import to_ints
from loomir.dialects.ov.base import AttrValue, OvOperation, attr
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.layers import OWN, row_of, rows
from loomir.dialects.ov.layers.attributes import (
    Layer,
    LayerBuilder,
    PlainLayer,
    Results,
    Row,
    aligned,
    read_attributes,
    text_of,
)
from loomir.dialects.ov.layers.format import (
    VERSIONS,
    first_opset,
    layer_type,
    needs,
    operator_name,
    version_for,
)
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp
from loomir.dialects.ov.operators.constant import OneHotOp
from loomir.dialects.ov.operators.convolution import (
    ConvolutionBackpropDataOp,
    ConvolutionOp,
    GroupConvolutionBackpropDataOp,
    GroupConvolutionOp,
)
from loomir.dialects.ov.operators.gathering import (
    EmbeddingBagOffsetsOp,
    EmbeddingBagPackedOp,
    GatherNDOp,
    GatherOp,
)
from loomir.dialects.ov.operators.interpolate import InterpolateOp
from loomir.dialects.ov.operators.layout import (
    DepthToSpaceOp,
    ReverseOp,
    ReverseSequenceOp,
    ShuffleChannelsOp,
    SpaceToDepthOp,
)
from loomir.dialects.ov.operators.pooling import AvgPoolOp, MaxPoolOp
from loomir.dialects.ov.operators.recurrent import (
    GRUCellOp,
    GRUSequenceOp,
    LSTMCellOp,
    LSTMSequenceOp,
    RecurrentOperation,
    RNNCellOp,
    RNNSequenceOp,
)
from loomir.dialects.ov.operators.reshape import SqueezeOp
from loomir.dialects.ov.operators.sampling import DeformableConvolutionOp
from loomir.dialects.ov.operators.scattering import ScatterElementsUpdateOp, ScatterNDUpdateOp
from loomir.dialects.ov.operators.slicing import StridedSliceOp
from loomir.dialects.ov.operators.sorting import SearchSortedOp
from loomir.dialects.ov.operators.windows import Col2ImOp
from loomir.errors import Error


def results_of_layer(
    layer: Layer, operands: Sequence[SSAValue], outputs: int, add: Callable[[Operation], object]
) -> Results:
    """Convert a layer to operations and return its results.

    `add` inserts the operations, in order. `outputs` is the layer's number of outputs, for operations that leave it open.
    Errors: `unknown-operator`, `unknown-opset`, `operator-version`, `bad-attribute`, and those of the operation.
    """
    row = row_of(layer.type, layer.version)
    given = aligned(layer, list(operands), add)
    properties = read_attributes(row, layer.data)
    if row.upgrade is not None:
        return row.upgrade(LayerBuilder(layer, given, properties, add))
    declared = [d for _, d in row.operation.get_irdl_definition().operands]
    grouped = [given] if len(declared) == 1 and isinstance(declared[0], VarOperandDef) else given
    op = row.operation.make(*grouped, attributes=properties, results=outputs)
    add(op)
    return op.results


Usual = Mapping[str, AttrValue]

_SPATIAL = {"strides": 1, "dilations": 1, "pads_begin": 0, "pads_end": 0, "output_padding": 0}
"""Lists of a number for each spatial dimension, and which it is."""

_WORDS: Mapping[type[OvOperation], Usual] = {
    BroadcastOp: {"mode": "numpy"},
    PadOp: {"pad_mode": "constant"},
    EmbeddingBagOffsetsOp: {"reduction": "sum"},
    EmbeddingBagPackedOp: {"reduction": "sum"},
    GatherOp: {"batch_dims": 0},
    GatherNDOp: {"batch_dims": 0},
    SpaceToDepthOp: {"mode": "blocks_first", "block_size": 1},
    DepthToSpaceOp: {"mode": "blocks_first", "block_size": 1},
    ShuffleChannelsOp: {"axis": 1, "group": 1},
    ReverseOp: {"mode": "index"},
    ReverseSequenceOp: {"batch_axis": 0, "seq_axis": 1},
    SqueezeOp: {"allow_axis_skip": False},
    ScatterElementsUpdateOp: {"reduction": "none", "use_init_val": True},
    ScatterNDUpdateOp: {"reduction": "none"},
    SearchSortedOp: {"right_mode": False},
    OneHotOp: {"negative_indices_mode": "ignore_negative"},
}


def _recurrent(op: RecurrentOperation) -> Usual:
    no_floats = DenseArrayBase.from_list(f64, [])
    return {
        "activations": op.DEFAULT_ACTIVATIONS, "activations_alpha": no_floats, "activations_beta": no_floats, "clip": 0.0,
        "linear_before_reset": False, "input_forget": False,
    }  # fmt: skip


def _interpolate(op: InterpolateOp) -> Usual:
    none = [0] * (fact_of(op.data).rank or 0)
    return {"pads_begin": none, "pads_end": none}


def _strided_slice(op: StridedSliceOp) -> Usual:
    """Return zero masks of the length of the longest existing mask.

    They are at least as long as the number of positions.
    """
    names = ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")
    given = [len(to_ints(mask)) for name in names if (mask := op.properties.get(name)) is not None]
    extents = fact_of(op.begin).shape
    places = extents[0].static if extents else None
    return dict.fromkeys(names, [0] * max([*given, places or 0]))


def _spatial(dimensions: Callable[..., int | None]) -> Callable[..., Usual]:
    def usual(op: OvOperation) -> Usual:
        count = dimensions(op)
        return {} if count is None else {name: [value] * count for name, value in _SPATIAL.items()}

    return usual


def _behind_channels(op: OvOperation) -> int | None:
    """How many dimensions data have behind their channels."""
    rank = fact_of(op.operands[0]).rank
    return None if rank is None else max(rank - 2, 0)


def _kernel(op: AvgPoolOp | MaxPoolOp) -> int:
    return len(to_ints(op.kernel))


_FROM_OPERATION: Mapping[type[OvOperation], Callable[..., Usual]] = {
    **dict.fromkeys(
        (LSTMCellOp, LSTMSequenceOp, GRUCellOp, GRUSequenceOp, RNNCellOp, RNNSequenceOp), _recurrent
    ),
    **dict.fromkeys(
        (ConvolutionOp, ConvolutionBackpropDataOp, GroupConvolutionOp, GroupConvolutionBackpropDataOp),
        _spatial(_behind_channels),
    ),
    DeformableConvolutionOp: _spatial(lambda op: 2),
    Col2ImOp: _spatial(lambda op: 2),
    AvgPoolOp: _spatial(_kernel),
    MaxPoolOp: _spatial(_kernel),
    InterpolateOp: _interpolate,
    StridedSliceOp: _strided_slice,
}


def usual_properties(op: OvOperation) -> dict[str, Attribute]:
    """Return the value of each optional property when it is left out."""
    found = _FROM_OPERATION.get(type(op))
    usual = _WORDS.get(type(op), {}) if found is None else found(op)
    result: dict[str, Attribute] = {}
    for name, definition in op.get_irdl_definition().properties.items():
        value = attr(usual.get(name)) if definition.default_value is None else definition.default_value
        if value is not None:
            result[name] = value
    return result


@extensible
@cache
def _written_rows() -> Mapping[type[OvOperation], tuple[str, Row]]:
    """The layer type that each operation is written as, and its row."""
    written = [(type_, row) for type_, row in rows().items() if row.written]
    table = {row.operation: (type_, row) for type_, row in written}
    assert len(table) == len(written), "an operation is written as two layers"
    return table


def row_for(operation: type[OvOperation]) -> tuple[str, Row] | None:
    """Return the layer type and row that write an operation.

    None if no operation set has the operation.
    """
    return _written_rows().get(operation)


def written(op: OvOperation) -> PlainLayer:
    """Convert an operation to a layer.

    The layer has its type, the first operation set that has its newest version, and all its attributes. Its ports are operands
    and results.

    Errors: `not-in-openvino` for an operation, an attribute or an operand that no operation set has; `attribute-value`.
    """
    found = row_for(type(op))
    if found is None:
        raise Error("not-in-openvino", f"no operation set of OpenVINO has {op.name}")
    type_, row = found
    _check_operands(op)
    name = operator_name(type_)
    if name is None:
        return PlainLayer(type_, OWN, _attributes(op, row))
    data = _attributes(op, row)
    usual = {row.renamed.get(n, n): text_of(n, value) for n, value in usual_properties(op).items()}
    version = version_for(name, row.versions or VERSIONS[name], data, usual)
    said = {n: text for n, text in data.items() if needs(name, n) <= version}
    return PlainLayer(layer_type(name), f"opset{first_opset(name, version)}", said)


def spell_out(op: OvOperation) -> None:
    """Set exactly those optional properties that the operation's layer specifies.

    The operation then equals the result of reading the layer again. Errors: those of `written`.
    """
    found = row_for(type(op))
    said = written(op).data
    properties = properties_of(op)
    for name, definition in op.get_irdl_definition().properties.items():
        if not isinstance(definition, OptPropertyDef):
            continue
        if found is not None and found[1].renamed.get(name, name) in said:
            op.properties[name] = properties[name]
        else:
            op.properties.pop(name, None)


def properties_of(op: OvOperation) -> dict[str, Attribute]:
    """Return the operation's properties, including omitted ones, in declaration order."""
    found = {**usual_properties(op), **op.properties}
    return {name: found[name] for name in op.get_irdl_definition().properties if name in found}


def _attributes(op: OvOperation, row: Row) -> dict[str, str]:
    implied: dict[str, Attribute | None] = {**usual_properties(op)}
    if row.implies is not None:
        implied.update({n: attr(v) for n, v in row.implies(op).items()})
    data: dict[str, str] = {}
    for name, value in properties_of(op).items():
        if name in row.attributes and name not in row.older:
            data[row.renamed.get(name, name)] = text_of(name, value)
        elif value != implied.get(name):
            shown = repr(value.data) if isinstance(value, StringAttr) else str(value)
            raise Error("not-in-openvino", f"the layer {_layer(op)} has no attribute for {name} = {shown}")
    return data


def _layer(op: OvOperation) -> str:
    found = row_for(type(op))
    assert found is not None
    return found[0]


def _check_operands(op: OvOperation) -> None:
    """Check that no operand is missing before another one.

    Operands are ports by their number.
    """
    missing = None
    for name, definition in op.get_irdl_definition().operands:
        given = getattr(op, name)
        if isinstance(definition, VarOperandDef) and not given:
            missing = missing or name
        elif missing is not None:
            raise Error("not-in-openvino", f"the layer {_layer(op)} cannot have {name} without {missing}")
