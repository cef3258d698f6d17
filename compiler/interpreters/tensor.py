"""`tensor` for xDSL's interpreter.

A tensor is a numpy array that is never written after its creation.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)

from loomir.compiler.interpreters.core import InterpreterError, poisoned
from loomir.compiler.interpreters.views import (
    check_expansion,
    check_index,
    checked,
    collapsed_shape,
    mixed,
    reshaped,
    slice_view,
)
from loomir.dialects.element_types import dtype_of
from loomir.dialects.tensors import tensor_type_of


def groups_of(op: tensor.CollapseShapeOp | tensor.ExpandShapeOp) -> list[list[int]]:
    """The reassociation as lists of dimensions."""
    return [[d.value.data for d in group] for group in op.reassociation]


@register_impls
class TensorFunctions(InterpreterFunctions):
    """Semantics of the tensor operations of STRUCTURED."""

    @impl(tensor.EmptyOp)
    def run_empty(self, interpreter: Interpreter, op: tensor.EmptyOp, args: PythonValues) -> PythonValues:
        type_ = tensor_type_of(op.tensor)
        shape = mixed(type_.get_shape(), iter(args))
        return (poisoned(shape, dtype_of(type_.element_type)),)

    @impl(tensor.ExtractOp)
    def run_extract(self, interpreter: Interpreter, op: tensor.ExtractOp, args: PythonValues) -> PythonValues:
        source, *index = args
        value = source[check_index(source, index)]
        # An element of a tensor of index is an int, like every index.
        return (int(value),) if op.result.type.name == "index" else (value,)

    @impl(tensor.InsertOp)
    def run_insert(self, interpreter: Interpreter, op: tensor.InsertOp, args: PythonValues) -> PythonValues:
        value, dest, *index = args
        result = dest.copy()
        result[check_index(result, index)] = value
        return (result,)

    @impl(tensor.ExtractSliceOp)
    def run_extract_slice(
        self, interpreter: Interpreter, op: tensor.ExtractSliceOp, args: PythonValues
    ) -> PythonValues:
        rest = iter(args[1:])
        view = slice_view(
            args[0],
            mixed(op.static_offsets.get_values(), rest),
            mixed(op.static_sizes.get_values(), rest),
            mixed(op.static_strides.get_values(), rest),
        )
        return (checked(view, op.result.type),)

    @impl(tensor.InsertSliceOp)
    def run_insert_slice(
        self, interpreter: Interpreter, op: tensor.InsertSliceOp, args: PythonValues
    ) -> PythonValues:
        source, dest = args[:2]
        rest = iter(args[2:])
        result = dest.copy()
        view = slice_view(
            result,
            mixed(op.static_offsets.get_values(), rest),
            mixed(op.static_sizes.get_values(), rest),
            mixed(op.static_strides.get_values(), rest),
        )
        if view.shape != source.shape:
            raise InterpreterError(
                f"a source of shape {source.shape} is inserted into a slice of {view.shape}"
            )
        view[...] = source
        return (result,)

    @impl(tensor.CollapseShapeOp)
    def run_collapse(
        self, interpreter: Interpreter, op: tensor.CollapseShapeOp, args: PythonValues
    ) -> PythonValues:
        shape = collapsed_shape(args[0].shape, groups_of(op))
        return (checked(reshaped(args[0], shape, share=False), op.result.type),)

    @impl(tensor.ExpandShapeOp)
    def run_expand(
        self, interpreter: Interpreter, op: tensor.ExpandShapeOp, args: PythonValues
    ) -> PythonValues:
        shape = mixed(op.static_output_shape.get_values(), iter(args[1:]))
        check_expansion(args[0].shape, shape, groups_of(op))
        return (checked(reshaped(args[0], shape, share=False), op.result.type),)

    @impl(tensor.PadOp)
    def run_pad(self, interpreter: Interpreter, op: tensor.PadOp, args: PythonValues) -> PythonValues:
        source = args[0]
        rest = iter(args[1:])
        low = mixed(op.static_low.get_values(), rest)
        high = mixed(op.static_high.get_values(), rest)
        if any(arg.first_use is not None for arg in op.region.block.args):
            raise InterpreterError("the body of tensor.pad depends on the position")
        (value,) = interpreter.run_ssacfg_region(op.region, (0,) * source.ndim, "tensor.pad")
        if any(n < 0 for n in (*low, *high)):
            raise InterpreterError(f"tensor.pad by low {low} and high {high}")
        result = np.full([a + n + b for a, n, b in zip(low, source.shape, high)], value, source.dtype)
        result[tuple(slice(a, a + n) for a, n in zip(low, source.shape))] = source
        return (checked(result, op.result.type),)

    @impl(tensor.DimOp)
    def run_dim(self, interpreter: Interpreter, op: tensor.DimOp, args: PythonValues) -> PythonValues:
        return (int(args[0].shape[args[1]]),)

    @impl(tensor.CastOp)
    def run_cast(self, interpreter: Interpreter, op: tensor.CastOp, args: PythonValues) -> PythonValues:
        return (checked(args[0], op.dest.type),)

    @impl(tensor.FromElementsOp)
    def run_from_elements(
        self, interpreter: Interpreter, op: tensor.FromElementsOp, args: PythonValues
    ) -> PythonValues:
        type_ = tensor_type_of(op.result)
        dtype = dtype_of(type_.element_type)
        return (np.array(args, dtype).reshape(type_.get_shape()),)

    @impl(tensor.SplatOp)
    def run_splat(self, interpreter: Interpreter, op: tensor.SplatOp, args: PythonValues) -> PythonValues:
        type_ = tensor_type_of(op.result)
        shape = mixed(type_.get_shape(), iter(args[1:]))
        assert DYNAMIC_INDEX not in shape
        return (np.full(shape, args[0], dtype_of(type_.element_type)),)

    @impl_terminator(tensor.YieldOp)
    def run_yield(
        self, interpreter: Interpreter, op: tensor.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()
