"""`emit_c`: a LOOPS module as a C header and source.

The C is strict C99 with five standard headers (docs/embedded.md) and compiles without a warning; what it
promises to the caller stands in the comment of the header. Target `-t c` prints the header, then the source.

| file | subject |
|---|---|
| `header` | the header, and the parameters of the function |
| `printer` | `main` as the body of a function |
| `statements` | lines, scopes and deferred expressions of the body; memrefs |
| `loops` | loops, branches and tiles |
| `vectors` | operations on vectors |
| `rules` | scalar operations |
| `expressions` | expressions, types and literals |
| `values` | identifiers, and which values are needed |
| `runtime`, `vector_functions` | `static inline` functions, printed only where used |
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, Literal

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, MemRefType, ModuleOp
from xdsl.ir import OpResult, SSAValue
from xdsl.utils.target import Target

from loomir.compiler.feeds.signature import Port, Signature
from loomir.compiler.files import write_together
from loomir.compiler.formats.c.expressions import Expr, call, cast, initialiser, kind, user_type, value_type
from loomir.compiler.formats.c.header import Interface, Parameter, header_text, interface_of, prototype
from loomir.compiler.formats.c.loops import definitions_of_tiles
from loomir.compiler.formats.c.printer import FunctionPrinter
from loomir.compiler.formats.c.rules import RULES
from loomir.compiler.formats.c.statements import without_unused
from loomir.compiler.formats.c.values import MATH_WORDS, LiveValues, Names, prefix
from loomir.compiler.formats.c.vector_functions import vector_definitions
from loomir.compiler.shared_state import with_rare_collections
from loomir.compiler.stages import StageError, verify_stage
from loomir.dialects.interface import program_name
from loomir.errors import Error, file_unwritable
from loomir.passes.analysis.lowering_requirements import CAPACITY
from loomir.passes.analysis.value_ranges import SAFE_INDEX, IntegerRanges


@dataclass(frozen=True)
class CCode:
    """Model as C source and header, with its key sizes.

    The files are `<name>.h` and `<name>.c`; the sizes are the numbers that an embedded engineer needs first.

    `parameters` are those of the function `entry`; `weights` are the arrays of the parameters of kind `weight`, in order (with
    `weights="pointer"`; otherwise they are text in `source`).
    """

    name: str
    header: str
    source: str
    entry: str
    arena_bytes: int
    weight_bytes: int
    alignment: int
    parameters: tuple[Parameter, ...]
    signature: Signature
    weights: tuple[np.ndarray, ...]


@with_rare_collections
def emit_c(module: ModuleOp, name: str, *, weights: Literal["text", "pointer"] = "text") -> CCode:
    """Print `main` of a LOOPS module.

    `name` (the model's) becomes the prefix of all names. Weights are `static const` arrays, or with
    `weights="pointer"` parameters. Raises `c-unplanned-memory`, `c-unsupported-op`,
    `c-unsupported-type`, `c-no-main`.
    """
    function = main_of(module)
    signature = Signature.of(function)
    block = function.body.block
    ranges = IntegerRanges(SAFE_INDEX)
    # `_check_extents` makes sure of it.
    ranges.set_extents(function)
    if weights == "text":
        # (What a pointer leads to is whatever its caller puts there.)
        _state_elements(ranges, block.args, signature)
    ranges.analyse(block)
    needed = LiveValues(function, lambda value: _is_literal(value, ranges))
    own = prefix(name)
    names = Names(own)
    blobs = [k for k, a in enumerate(signature.arguments) if a.kind == "blob" and needed.uses[block.args[k]]]
    interface = interface_of(signature, names, blobs, weights == "pointer")
    printer = FunctionPrinter(own, needed, names, ranges, function)
    static = {k: f"{own}_w{n}" for n, k in enumerate(blobs)} if weights == "text" else {}
    arena = signature.arena
    arena_bytes = prod(arena.type.get_shape()) if arena and isinstance(arena.type, MemRefType) else 0
    alignment = arena.align if arena is not None else 1
    _checks(printer, interface, arena_bytes)
    printer.bind_arguments(block, interface, static)
    printer.operations(block)
    _results(printer, interface, function)
    body, words = without_unused(printer.lines)
    body = [f"    (void){p.name};" for p in interface.parameters if p.name not in words] + body
    held = [a for k in blobs if (a := signature.arguments[k].blob) is not None]
    arrays: list[str] = []
    for word, array in zip(static.values(), held):
        arrays += _array(word, array)
    weight_bytes = sum(a.nbytes for a in held)
    return CCode(
        name=own,
        header=header_text(
            own, name, interface, arena_bytes, alignment, signature, weight_bytes, _capacity(module)
        ),
        source=_source(printer, interface, arrays, body, words),
        entry=f"{own}_run",
        arena_bytes=arena_bytes,
        weight_bytes=weight_bytes,
        alignment=alignment,
        parameters=interface.parameters,
        signature=signature,
        weights=tuple(held) if weights == "pointer" else (),
    )


def _capacity(module: ModuleOp) -> int | None:
    """Return the extent that limits otherwise unbounded dimensions, or None."""
    capacity = module.attributes.get(CAPACITY)
    return capacity.value.data if isinstance(capacity, IntegerAttr) else None


def _is_literal(value: SSAValue, ranges: IntegerRanges) -> bool:
    """Return True if the printer emits an operation's result as a literal.

    This does not depend on the operands.
    """
    if not isinstance(value, OpResult) or type(value.op) not in RULES:
        return False
    return isinstance(value.type, IntegerType | IndexType) and ranges.constant(value) is not None


def main_of(module: ModuleOp) -> func.FuncOp:
    """Return the function `main`.

    Raises `c-no-main` if there is none, or if the module has another function.
    """
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    if len(functions) != 1 or functions[0].sym_name.data != "main" or functions[0].is_declaration:
        found = ", ".join(f.sym_name.data for f in functions) or "none"
        raise Error("c-no-main", f"C needs a module with one function, main; this has: {found}")
    return functions[0]


def _state_elements(ranges: IntegerRanges, values: Sequence[SSAValue], signature: Signature) -> None:
    """Say of constant integers between which numbers they are."""
    for value, argument in zip(values, signature.arguments, strict=True):
        blob = argument.blob
        if blob is not None and blob.dtype.kind in "iu" and blob.size:
            # Integers of a memref have no sign: they are read as those that do.
            signed = blob.view(f"i{blob.dtype.itemsize}")
            ranges.set_elements(value, (int(signed.min()), int(signed.max())))


def write_c(code: CCode, directory: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Write `<name>.h` and `<name>.c` and return the two paths.

    Either both are written or neither; a partial file is never visible. Error: `file-unwritable`.
    """
    folder = Path(directory)
    paths = folder / f"{code.name}.h", folder / f"{code.name}.c"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_together(dict(zip(paths, ([code.header.encode("ascii")], [code.source.encode("ascii")]))))
    except (OSError, ValueError) as error:  # A ValueError for a path with a NUL in it.
        raise file_unwritable(folder, error) from error
    return paths


def _array(word: str, array: np.ndarray) -> Iterable[str]:
    shape = ",".join(map(str, array.shape))
    element = user_type(array.dtype)
    yield f"/* [{shape}] */"
    yield f"static const {element} {word}[{max(1, array.size)}] = {{"
    for line in initialiser(array):
        yield f"    {line}"
    yield "};"
    yield ""


def _checks(printer: FunctionPrinter, interface: Interface, arena_bytes: int) -> None:
    """Emit the checks of the function's arguments before their first use."""
    for port in interface.signature.inputs:
        _check_extents(printer, interface, port)
    for p in interface.parameters:
        if p.kind == "arena" and arena_bytes > 0:
            upper = printer.prefix.upper()
            aligned = f"(uintptr_t){p.name} % {upper}_ARENA_ALIGN != 0"
            with printer.block(f"if ({p.name} == NULL || {aligned})"):
                printer.line(f"return {upper}_ERROR_ARENA;")


def _check_extents(printer: FunctionPrinter, interface: Interface, port: Port) -> None:
    dims = [p for p in interface.parameters if p.kind == "input_dim" and p.port is port]
    if not dims:
        return
    static = int(np.prod([d for d in port.shape if d is not None], dtype=np.int64))
    room = port.capacity // static if static else port.capacity
    tests: list[str] = []
    for p in dims:
        bound = port.bounds[p.dimension]
        tests.append(f"{p.name} > {room if bound is None else bound}")
    bounds = [b for p in dims if (b := port.bounds[p.dimension]) is not None]
    if len(dims) > 1 and (len(bounds) < len(dims) or prod(bounds) > room):
        # The product, without overflow: the last extent against what the others leave.
        nonzero = " && ".join(f"{p.name} != 0" for p in dims[:-1])
        left = " / ".join([str(room), *(p.name for p in dims[:-1])])
        tests.append(f"({nonzero} && {dims[-1].name} > {left})")
    with printer.block(f"if ({' || '.join(tests)})"):
        printer.fail("capacity", f"capacity: {port.name} is too large")


def _results(printer: FunctionPrinter, interface: Interface, function: func.FuncOp) -> None:
    types = function.function_type.outputs.data
    for p in interface.parameters:
        if p.port is None or p.kind not in ("output", "output_dim"):
            continue
        if p.kind == "output_dim":
            e = cast("size_t", printer.results[p.port.dims[p.dimension]])
        elif p.port.in_results:
            e = _result(printer, printer.results[p.port.position], kind(types[p.port.position]), p.port)
        else:
            continue
        printer.line(f"*{p.name} = {e.text};")
    printer.line(f"return {printer.prefix.upper()}_OK;")


def _result(printer: FunctionPrinter, e: Expr, k: str, port: Port) -> Expr:
    """A scalar result as the caller's type."""
    if k in ("f16", "bf16"):
        return call(printer.runtime.fixed(f"store_{k}"), e)
    wanted = user_type(port.dtype)
    return e if wanted == value_type(port.storage) else cast(wanted, e)


def _source(
    printer: FunctionPrinter, interface: Interface, arrays: list[str], body: list[str], words: set[str]
) -> str:
    own = printer.prefix
    text = "\n".join(body)
    runtime = printer.runtime.text(text)
    lines = [f"/* {own}.c: generated by loomir; {own}.h says how to use it. */", f'#include "{own}.h"', ""]
    # Only what is used: on a small target even a header may cost something.
    macros = any("INFINITY" in line or "NAN" in line for line in arrays)
    headers = [(macros or needs_math(runtime, text)) and "math", "memcpy" in runtime + text and "string"]
    if any(headers):
        lines += [*(f"#include <{h}.h>" for h in headers if h), ""]
    if runtime:
        lines.append(runtime)
    lines += definitions_of_tiles(words)
    lines += vector_definitions(words)
    lines += arrays
    lines += prototype(f"{own}_status", f"{own}_run", interface.parameters, comments=False)
    return "\n".join([*lines, "{", *body, "}", ""])


def needs_math(*texts: str) -> bool:
    """Return True if C text uses anything from `<math.h>`."""
    words = set(re.findall(r"[A-Za-z_]\w*", " ".join(texts)))
    return not words.isdisjoint(MATH_WORDS)


@dataclass(frozen=True)
class CTarget(Target):
    """Prints `<name>.h` and `<name>.c` with a line `// ---- <file>` before each.

    `weights` is `text` or `pointer`, as in `emit_c`; `file` is `both`, `header` or `source`.
    Error: `c-unknown-option` and those of `emit_c`.
    """

    name = "c"

    weights: str = "text"
    file: str = "both"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        for option, value, known in (
            ("weights", self.weights, ("text", "pointer")),
            ("file", self.file, ("both", "header", "source")),
        ):
            if value not in known:
                raise Error(
                    "c-unknown-option",
                    f"the C target has no {option}={value}",
                    hint=f"known: {', '.join(f'{option}={k}' for k in known)}",
                )
        try:
            verify_stage(module, "loops")
        except StageError as error:
            error.hint = (
                error.hint
                or "C is emitted from a LOOPS program: `loomir compile MODEL` lowers the model first"
            )
            raise
        weights = "pointer" if self.weights == "pointer" else "text"
        code = emit_c(module, program_name(module) or "model", weights=weights)
        if self.file in ("both", "header"):
            output.write(f"// ---- {code.name}.h\n{code.header}")
        if self.file in ("both", "source"):
            output.write(f"// ---- {code.name}.c\n{code.source}")
