"""One LOOPS `main` as the body of a C function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from xdsl.dialects import arith, cf, func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.compiler.formats.c.expressions import (
    Expr,
    add,
    binary,
    call,
    cast,
    conditional,
    integer,
    integer_literal,
    kind,
    memory_type,
    multiply,
    name,
    negate,
    value_type,
)
from loomir.compiler.formats.c.header import Interface, status_of
from loomir.compiler.formats.c.loops import Loops
from loomir.compiler.formats.c.rules import EXTENDED, RULES, Rule, extended_rule, refuse
from loomir.compiler.formats.c.runtime import Runtime
from loomir.compiler.formats.c.statements import View, contiguous, row_major, static_shape, static_strides
from loomir.compiler.formats.c.values import LiveValues, Names, comment, read_only
from loomir.compiler.formats.c.vectors import Vectors
from loomir.dialects import quads
from loomir.dialects.diagnostics import KINDS, split_message
from loomir.dialects.element_types import memref_type_of
from loomir.dialects.interface import arguments_of
from loomir.dialects.upstream.walking import walk
from loomir.dialects.vectors import touches_vectors
from loomir.errors import Error
from loomir.passes.analysis.value_ranges import IntegerRanges


class FunctionPrinter(Loops):
    """Printer of single operations as C.

    It handles memory and scalars; control flow is in `Loops`.
    """

    def __init__(
        self, prefix: str, needed: LiveValues, names: Names, ranges: IntegerRanges, function: func.FuncOp
    ) -> None:
        roots = [
            argument
            for argument, entry in zip(function.body.block.args, arguments_of(function))
            if isinstance(argument.type, MemRefType) and entry.role not in ("output", "arena")
        ]
        super().__init__(needed, names, read_only(function, roots))
        self.prefix = prefix
        self.runtime = Runtime(prefix)
        self.ranges = ranges
        self.results: list[Expr] = []
        self.vectors = Vectors(self, RULES)
        self._has_vectors = any(type(r.type) is VectorType for op in walk(function) for r in op.results)
        """True if the function has vectors; only machines with lanes have them."""

    # Operations

    def operation(self, op: Operation) -> None:
        """Print one operation, or keep its value for its use."""
        rule = RULES.get(type(op))
        if self._has_vectors and not op.regions and touches_vectors(op):
            self.layer(op)
            if not self.vectors.print(op, self.needed.uses.__getitem__) and type(op) not in _HANDLERS:
                raise _unknown(op)
        elif rule is not None:
            self._scalar(op, rule)
        elif isinstance(op, scf.ForOp | scf.WhileOp | scf.IfOp):
            if op in self.needed.operations:
                self.layer(op)
                self.structured(op)
        elif type(op) in EXTENDED:
            self.layer(op)
            for k, result in enumerate(op.results):
                if self.needed.uses[result]:
                    self.bind(result, extended_rule(EXTENDED[type(op)], op, self, k))
        else:
            handler = _HANDLERS.get(type(op))
            if handler is None:
                raise _unknown(op)
            if op.results and not any(self.needed.uses[r] for r in op.results):
                return
            if not isinstance(op, func.ReturnOp):
                self.layer(op)
            handler(self, op)

    def _scalar(self, op: Operation, rule: Rule) -> None:
        result = op.results[0]
        if not self.needed.uses[result]:
            return
        self.layer(op)
        if isinstance(op, arith.SelectOp) and isinstance(result.type, MemRefType):
            self._select_view(op)
            return
        value = self.ranges.constant(result) if kind(result.type)[0] == "i" else None
        if value is not None and not isinstance(op, arith.ConstantOp):
            # A comparison, say, that a loop's bounds decide; `LiveValues` knows that it uses no operand.
            self.bind(result, integer_literal(value, kind(result.type)))
            return
        # (Sums that follow one another in a body take what they need in turns; one inside of another takes it all at once.)
        self.bind(result, rule(op, self), named=isinstance(op, quads.DotOp))

    def _select_view(self, op: arith.SelectOp) -> None:
        a, b = self.view(op.lhs), self.view(op.rhs)
        if a.strides != b.strides or a.shape != b.shape:
            raise refuse(op, "a choice between memrefs of different strides")
        condition = self.use(op.cond)
        self.bind_pointer(op.result, conditional(condition, a.address(), b.address()), a)

    def bind_pointer(self, value: SSAValue, pointer: Expr, like: View) -> None:
        """Declare a pointer for a memref shaped and strided like `like`."""
        view = View(pointer, like.element, like.shape, like.strides, value in self.read_only)
        word = self.declare_pointer(view.c_type, value.name_hint, pointer, const=True)
        self.bind_view(value, View(name(word), like.element, like.shape, like.strides, view.const))

    # Memory

    def _load(self, op: memref.LoadOp) -> None:
        view = self.view(op.memref)
        e = view.at([self.use(i) for i in op.indices])
        k = kind(view.element)
        if k in ("f16", "bf16"):
            e = call(self.runtime.fixed(f"load_{k}"), e)
        if view.quads:
            e = call(self.runtime.fixed("quad"), e._replace(text=f"&{e.text}"))
        if view.const and e.loads:
            # Nothing writes there: the load may move as freely as arithmetic.
            e = Expr(e.text, e.strength, e.reads, loads=False, operator=e.operator)
        self.bind(op.res, e)

    def fresh(self, hint: str | None) -> str:
        """A new name, of a vector where nothing says otherwise."""
        return self.names.fresh(hint, "vec")

    def written_view(self, op: Operation, buffer: SSAValue) -> View:
        """Return the view of a memref that an operation writes to.

        It is an error if the memref is an input or a weight.
        """
        view = self.view(buffer)
        if view.const:
            raise refuse(op, "writes an input or a weight")
        return view

    def _store(self, op: memref.StoreOp) -> None:
        view = self.written_view(op, op.memref)
        self.settle(op.operands)
        value = self.use(op.value)
        k = kind(view.element)
        if k in ("f16", "bf16"):
            value = call(self.runtime.fixed(f"store_{k}"), value)
        target = view.at([self.use(i) for i in op.indices])
        self.line(f"{target.text} = {value.text};")

    def _copy(self, op: memref.CopyOp) -> None:
        source, target = self.view(op.source), self.written_view(op, op.destination)
        if not (contiguous(source) and contiguous(target)):
            raise refuse(op, "a copy of memory with gaps: it must be loops by now")
        count = target.size()
        if source.address().text == target.address().text:
            # Onto itself, which memcpy does not allow.
            self.line(f"(void){target.pointer.text};")
            return
        self.settle()
        if count.literal is None:
            count = cast("size_t", count)
        size = binary("*", count, call("sizeof", Expr(memory_type(target.element))))
        self.line(f"memcpy({target.address().text}, {source.address().text}, {size.text});")

    def _view(self, op: memref.ViewOp) -> None:
        t = memref_type_of(op.result)
        arena = self.view(op.source).pointer
        sizes = iter(op.sizes)
        shape = tuple(self.atom(next(sizes)) if d == DYNAMIC_INDEX else integer(d) for d in t.get_shape())
        pointer = cast(
            f"{memory_type(t.element_type)} *",
            cast("void *", add(cast("unsigned char *", arena), self.use(op.byte_shift))),
        )
        self.bind_pointer(op.result, pointer, View(pointer, t.element_type, shape, row_major(shape), False))

    def _subview(self, op: memref.SubviewOp) -> None:
        source = self.view(op.source)
        offsets = self._mixed(op.static_offsets.get_values(), op.offsets, atoms=False)
        sizes = self._mixed(op.static_sizes.get_values(), op.sizes)
        steps = self._mixed(op.static_strides.get_values(), op.strides)
        strides = tuple(self._atom_of(multiply(s, step), "stride") for s, step in zip(source.strides, steps))
        position = source.position(offsets)
        const = op.result in self.read_only
        if isinstance(position.literal, int):
            offset = source.offset + position.literal
            self.bind_view(
                op.result, View(source.pointer, source.element, tuple(sizes), strides, const, offset)
            )
            return
        pointer = binary("+", source.pointer, add(position, integer(source.offset)))
        self.bind_pointer(op.result, pointer, View(pointer, source.element, tuple(sizes), strides, const))

    def _mixed(self, static: Sequence[int], dynamic: Sequence[SSAValue], atoms: bool = True) -> list[Expr]:
        """Return a mixed list of static numbers and SSA values as expressions.

        The mixture is encoded as in MLIR.
        """
        values = iter(dynamic)
        return [
            (self.atom if atoms else self.use)(next(values)) if s == DYNAMIC_INDEX else integer(s)
            for s in static
        ]

    def _atom_of(self, e: Expr, hint: str) -> Expr:
        """Return a product of sizes or strides as a variable.

        A variable is declared unless the product already is one.
        """
        if e.is_name:
            return e
        word = self.names.fresh(hint, hint)
        self.line(f"const ptrdiff_t {word} = {e.text};", word, removable=True)
        return name(word)

    def _expand(self, op: memref.ExpandShapeOp) -> None:
        source = self.view(op.src)
        shape = self._mixed(op.static_output_shape.get_values(), op.output_shape)
        strides: list[Expr] = [integer(1)] * len(shape)
        for group, outer in zip(op.reassociation.data, source.strides):
            stride = outer
            for k in reversed([d.value.data for d in group.data]):
                strides[k] = stride
                stride = multiply(shape[k], stride)
        self._reshape(op, source, shape, strides)

    def _collapse(self, op: memref.CollapseShapeOp) -> None:
        source = self.view(op.src)
        shape: list[Expr] = []
        strides: list[Expr] = []
        for group in op.reassociation.data:
            dims = [d.value.data for d in group.data]
            extent = integer(1)
            for k in dims:
                extent = multiply(extent, source.shape[k])
            # A dimension of extent 1 may have any stride; the others follow each other without gaps.
            real = [k for k in dims if source.shape[k].literal != 1] or dims
            shape.append(extent)
            strides.append(source.strides[real[-1]])
        self._reshape(op, source, shape, strides)

    def _quads(self, op: quads.ViewOp) -> None:
        source = self.view(op.source)
        last = integer(memref_type_of(op.result).get_shape()[-1])
        strides = [*source.strides[:-1], integer(quads.SIZE)]
        self._reshape(op, replace(source, quads=True), [*source.shape[:-1], last], strides)

    def _reshape(self, op: Operation, source: View, shape: Sequence[Expr], strides: Sequence[Expr]) -> None:
        result = op.results[0]
        sizes = tuple(self._atom_of(e, "extent") for e in shape)
        steps = tuple(self._atom_of(e, "stride") for e in strides)
        const = result in self.read_only
        self.bind_view(result, replace(source, shape=sizes, strides=steps, const=const))

    def _cast(self, op: memref.CastOp) -> None:
        source = self.view(op.source)
        t = op.dest.type
        if not isinstance(t, MemRefType):
            raise refuse(op, "an unranked memref")
        shape = static_shape(t) if DYNAMIC_INDEX not in t.get_shape() else source.shape
        strides = static_strides(t) or source.strides
        const = op.dest in self.read_only
        self.bind_view(op.dest, View(source.pointer, source.element, shape, strides, const, source.offset))

    def _dim(self, op: memref.DimOp) -> None:
        index = self.ranges.constant(op.index)
        if index is None:
            raise refuse(op, "the extent of a dimension that is not constant")
        self.bind(op.result, self.view(op.source).shape[index])

    # Ends

    def _assert(self, op: cf.AssertOp) -> None:
        condition = self.use(op.arg)
        message = op.msg.data
        split = split_message(message)
        if split is None:
            raise refuse(op, f"its message begins with none of {', '.join(KINDS)}")
        if condition.literal is True:
            return
        with self.block(f"if ({negate(condition).text})"):
            self.fail(split[0], message)

    def fail(self, kind: str, message: str) -> None:
        """Leave the function with an error of a kind (`diagnostics.KINDS`)."""
        self.line(f"return {self.prefix.upper()}_{status_of(kind)}; /* {comment(message)} */")

    def _return(self, op: func.ReturnOp) -> None:
        self.results = [self.use(v) for v in op.operands]

    # Arguments

    def bind_arguments(self, block: Block, interface: Interface, weights: dict[int, str]) -> None:
        """Check and bind the arguments of `main`.

        `weights` names the static arrays of its blobs.
        """
        for position, argument in enumerate(block.args):
            parameter = interface.of_argument(position)
            if self.needed.uses[argument] == 0:
                continue
            word = weights.get(position)
            if word is None:
                assert parameter is not None
                word = parameter.name
            t = argument.type
            if isinstance(t, MemRefType):
                self._bind_memref(argument, t, word, parameter.c_type if parameter else None)
            elif parameter is not None and parameter.kind == "input_dim":
                self.bind_argument(argument, cast("ptrdiff_t", name(word)))
            else:
                self.bind_argument(
                    argument, self._scalar_argument(t, word, parameter.c_type if parameter else "")
                )

    def bind_argument(self, argument: SSAValue, e: Expr) -> None:
        """Give an argument that needs a conversion a variable."""
        if not e.is_name:
            e = name(self.declare_scalar(argument.type, argument.name_hint, e, const=True))
        self.alias(argument, e)

    def _scalar_argument(self, t: Attribute, word: str, c_type: str) -> Expr:
        k = kind(t)
        if k in ("f16", "bf16"):
            return call(self.runtime.fixed(f"load_{k}"), name(word))
        if k == "index":
            return call(self.runtime.fixed("index_i64"), name(word))
        if c_type != value_type(t):
            return call(self.runtime.integer("wrap", k), name(word))
        return name(word)

    def _bind_memref(self, argument: SSAValue, t: MemRefType, word: str, c_type: str | None) -> None:
        shape = static_shape(t)
        view = View(name(word), t.element_type, shape, row_major(shape), argument in self.read_only)
        if c_type is not None and c_type not in (view.c_type, "void *"):
            # The caller's type is unsigned: the same memory as the signed type, which C allows.
            self.bind_pointer(argument, cast(view.c_type, name(word)), view)
        else:
            self.bind_view(argument, view)


def _unknown(op: Operation) -> Error:
    if not isinstance(op, memref.AllocOp):
        return refuse(op, "this operation has no C: it must be lowered before")
    return Error(
        "c-unplanned-memory",
        "memory is not planned yet",
        op=op.name,
        hint="run plan-memory before printing C",
    )


def _nothing(printer: FunctionPrinter, op: Operation) -> None:
    """A terminator: whoever prints the region reads its operands."""


_HANDLERS: dict[type[Operation], Callable[[FunctionPrinter, Any], None]] = {
    memref.LoadOp: FunctionPrinter._load,
    memref.StoreOp: FunctionPrinter._store,
    memref.CopyOp: FunctionPrinter._copy,
    memref.ViewOp: FunctionPrinter._view,
    memref.AllocaOp: FunctionPrinter.local_array,
    memref.SubviewOp: FunctionPrinter._subview,
    memref.ExpandShapeOp: FunctionPrinter._expand,
    memref.CollapseShapeOp: FunctionPrinter._collapse,
    memref.CastOp: FunctionPrinter._cast,
    quads.ViewOp: FunctionPrinter._quads,
    memref.DimOp: FunctionPrinter._dim,
    cf.AssertOp: FunctionPrinter._assert,
    func.ReturnOp: FunctionPrinter._return,
    scf.YieldOp: _nothing,
    scf.ConditionOp: _nothing,
}
