"""ONNX importer: a checked model becomes FRONT, then GRAPH.

The importer creates a module with `main` in FRONT; `convert-onnx-to-ov` converts it to GRAPH.

Shapes given for some inputs determine the extents of others, by the names of extents (`dim_param`). A given shape always holds,
whether by `shapes=`, `values=` or in a feed. A name only determines extents that are not given: they are equal to the extents
given elsewhere for this name, as long as all of these agree. Exporters write names for extents that they do not know, and the
same name for several unrelated extents; ONNX Runtime does not check them either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import ArrayLike
from onnx import ValueInfoProto
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation

from loomir.compiler.feeds.values import fitted_value
from loomir.compiler.formats.onnx.reader import ModelSource, external_bytes, read_model
from loomir.compiler.formats.onnx.structure import ImportOptions
from loomir.dialects.element_types import AnyTensor, i64
from loomir.dialects.interface import NAME, Entry, set_arguments, set_results
from loomir.dialects.onnx.graphs import GraphBuilder, function_of, initialised, opset_versions
from loomir.dialects.onnx.nodes import Contents
from loomir.dialects.onnx.operations import OPSET
from loomir.dialects.onnx.tensors import declared_extent, type_of
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ovseq.types import GraphType, kind_of
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.scope import name_location
from loomir.passes.front.convert_onnx_to_ov.translate import convert

PLACEHOLDERS = {"any", "dynamic", "none", "null", "undefined", "unk", "unknown"}
"""Words that stand for any extent.

`None` is that of CNTK, onnxmltools and many scripts.
"""


def is_symbol(name: str) -> bool:
    """Return True if all occurrences of a name are the same extent.

    A name without a letter is no symbol (`?`, `*`, `-1`), nor is a placeholder. Numbered ones are symbols: `unk__12`
    (tf2onnx, ONNX's own inference) and `DynamicDimension.0` (Paddle2ONNX) are created anew for each extent and recur where
    the same one is meant.
    """
    return any(map(str.isalpha, name)) and name.strip("<>()[]{}_ ").lower() not in PLACEHOLDERS


def known_extents(given: Iterable[tuple[ValueInfoProto, Sequence[int]]]) -> dict[str, int]:
    """Return the extents of names, from the inputs with given shapes.

    A name with several different extents is left out.
    """
    found: dict[str, set[int]] = {}
    for value, shape in given:
        declared = value.type.tensor_type.shape.dim
        # (A number may be given for a vector of one element.)
        for dimension, extent in zip(declared, shape) if len(declared) == len(shape) else ():
            if is_symbol(dimension.dim_param):
                found.setdefault(dimension.dim_param, set()).add(int(extent))
    return {name: extent for name, (extent, *others) in found.items() if not others}


def load_onnx(
    model: str | Path | bytes | onnx.ModelProto,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    values: Mapping[str, ArrayLike] | None = None,
    options: ImportOptions | None = None,
) -> ModuleOp:
    """Import an ONNX model: a path, contents, or a `ModelProto`.

    A path ends in `.onnx`, or for textual ONNX in `.onnxtxt`.

    `shapes` sets the shapes of inputs; a symbolic dimension that they fix is fixed in all inputs. `values` fixes the
    contents of inputs: such an input stays an argument, with its value as `loomir.value`, and its uses read an
    `ov.constant`.

    An initialiser that is also an input is a constant: before IR version 4 every initialiser was listed among the
    inputs, and since then this makes it a default that the caller may override. Here one overrides it by naming it: in
    `values` with its new value, or in `shapes` to make it an input like the others.

    Errors: those of `read_model`; `unknown-input`, `shape-mismatch`, `value-mismatch`, `unsupported-type`,
    `unsupported-operator`, `unsupported-attribute`, `unsupported-output`, and those of shape inference, which
    name file and node. Warnings: `SemanticsWarning` (see `onnx_options.Semantics`).
    """
    options = options or ImportOptions()
    source, module = _front(model, shapes, values, options)
    try:
        convert(module, options, file=source.file)
    except Error as error:
        raise error.at(file=source.file) from error
    return module


def load_front(
    model: str | Path | bytes | onnx.ModelProto,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    values: Mapping[str, ArrayLike] | None = None,
    options: ImportOptions | None = None,
) -> ModuleOp:
    """Return the module in FRONT, before `convert-onnx-to-ov`.

    That pass produces the module that `load_onnx` returns. Parameters and errors are those of `load_onnx`, except errors of
    operators: their meaning is not checked.
    """
    return _front(model, shapes, values, options or ImportOptions())[1]


def _front(
    model: str | Path | bytes | onnx.ModelProto,
    shapes: Mapping[str, Sequence[int]] | None,
    values: Mapping[str, ArrayLike] | None,
    options: ImportOptions,
) -> tuple[ModelSource, ModuleOp]:
    source = read_model(model, options)
    try:
        return source, _module(source, shapes or {}, values or {}, options)
    except Error as error:
        raise error.at(file=source.file) from error


def _module(
    source: ModelSource,
    shapes: Mapping[str, Sequence[int]],
    values: Mapping[str, ArrayLike],
    options: ImportOptions,
) -> ModuleOp:
    model, graph = source.model, source.model.graph
    defaults = initialised(graph)
    given = shapes.keys() | values.keys()
    inputs = [i for i in graph.input if i.name not in defaults or i.name in given]
    _check_names(given, graph)
    types = _input_types(inputs, shapes, values)
    fixed = {
        i.name: fitted_value(i.name, Fact.of_type(types[i.name]), values[i.name])
        for i in inputs
        if i.name in values
    }
    contents = Contents(partial(external_bytes, source.folders), options.max_sparse_bytes)
    functions: list[Operation] = []
    for function in model.functions:
        try:
            functions.append(function_of(function, opset_versions(function.opset_import), contents))
        except Error as error:
            raise error.at(layer=function.name, op="function") from error
    versions = opset_versions(model.opset_import)
    names = [value.name for value in inputs]
    block = Block(arg_types=[_with_value(types[name], fixed.get(name)) for name in names])
    builder = GraphBuilder(versions, contents)
    builder.add_initialisers(graph, names)
    builder.add_graph(graph, names, block)
    results = [builder.find(value.name) for value in graph.output]
    for name, argument in zip(names, block.args):
        argument.location = name_location(name)
    region = builder.finish(block, ReturnOp(*results))

    main = FuncOp("main", ([a.type for a in block.args], [r.type for r in results]), region)
    set_arguments(main, [Entry.of(name=name, value=fixed.get(name)) for name in names])
    set_results(main, [Entry.of(name=output.name) for output in graph.output])
    main.location = name_location(source.name)
    attributes = {
        NAME: StringAttr(source.name),
        "loomir.source": StringAttr("onnx"),
        OPSET: IntegerAttr(versions.get("", 1), i64),
    }
    module = ModuleOp([*functions, main], attributes)
    module.location = name_location(source.name)
    return module


def _check_names(given: set[str], graph: onnx.GraphProto) -> None:
    inputs, defaults = {i.name for i in graph.input}, initialised(graph)
    for name in sorted(given - inputs):
        if name in defaults:
            raise Error(
                "unknown-input",
                f"'{name}' is an initialiser of the model, but not an input",
                hint="an initialiser can be overridden if the graph lists it among its inputs",
            )
        known = ", ".join(i.name for i in graph.input if i.name not in defaults)
        others = ", ".join(i.name for i in graph.input if i.name in defaults)
        hint = f"its inputs: {known or 'none'}" + (f"; with a default: {others}" if others else "")
        raise Error("unknown-input", f"the model has no input '{name}'", hint=hint)


def _input_types(
    inputs: Sequence[onnx.ValueInfoProto],
    shapes: Mapping[str, Sequence[int]],
    values: Mapping[str, ArrayLike],
) -> dict[str, GraphType]:
    """Return the declared input types, refined by `shapes` and `values`.

    Errors: `shape-mismatch`, `input-sequence`.
    """
    given: list[tuple[onnx.ValueInfoProto, Sequence[int]]] = []
    for value in inputs:
        if value.type.WhichOneof("value") != "tensor_type":
            _check_not_fixed(value, shapes, values)
        elif value.name in shapes:
            _check_shape(value, shapes[value.name])
            given.append((value, shapes[value.name]))
        elif value.name in values:
            given.append((value, np.shape(values[value.name])))
    extents = known_extents(given)
    types: dict[str, GraphType] = {}
    for value in inputs:
        declared = type_of(value.type, f"the input '{value.name}'", extents)
        if value.name in shapes:
            assert isinstance(declared, AnyTensor)
            declared = TensorType(declared.element_type, [int(e) for e in shapes[value.name]])
        types[value.name] = declared
    return types


def _check_not_fixed(
    value: onnx.ValueInfoProto, shapes: Mapping[str, Sequence[int]], values: Mapping[str, ArrayLike]
) -> None:
    """`Error("input-sequence")`: only tensors have shapes and values that can be fixed."""
    if value.name in shapes or value.name in values:
        kind = kind_of(type_of(value.type, f"the input '{value.name}'"))
        raise Error(
            "input-sequence",
            f"input '{value.name}' is a {kind}: only tensors can be given a shape or a value",
        )


def _check_shape(value: onnx.ValueInfoProto, shape: Sequence[int]) -> None:
    """`Error("shape-mismatch")` where a shape contradicts the declared one."""
    tensor = value.type.tensor_type
    agrees = all(int(e) >= 0 for e in shape)
    if tensor.HasField("shape"):
        declared = tensor.shape.dim
        agrees &= len(declared) == len(shape) and all(
            declared_extent(d) in (None, e) for d, e in zip(declared, shape)
        )
    if not agrees:
        text = ", ".join(
            d.dim_param or ("?" if (e := declared_extent(d)) is None else str(e)) for d in tensor.shape.dim
        )
        raise Error(
            "shape-mismatch",
            f"the shape {list(shape)} does not fit the input '{value.name}' of shape [{text}]",
        )


def _with_value(type_: GraphType, value: np.ndarray | None) -> Attribute:
    return type_ if value is None else TensorType(type_.element_type, value.shape)


__all__ = ["ImportOptions", "load_front", "load_onnx"]
