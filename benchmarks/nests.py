"""Programs that are deep: as GRAPH text, since neither protobuf nor XML readers take 200 levels."""

from __future__ import annotations

from collections.abc import Callable

T = "tensor<16xf32>"


def loops(depth: int) -> str:
    """Loops within loops, whose trip count is fed; three operations and a loop in each body."""
    lines = [f"func.func @main(%x: {T}, %u: {T}, %n: tensor<i64>) -> {T} {{"]
    for d in range(depth):
        start = f"%b{d - 1}" if d else "%x"
        lines += [
            f"%y{d} = ov.loop trip(%n) carried({start}) : (tensor<i64>, {T}) -> {T} {{",
            f"^bb0(%i{d}: tensor<i64>, %s{d}: {T}):",
            f"%a{d} = ov.multiply %s{d}, %u : ({T}, {T}) -> {T}",
            f"%b{d} = ov.tanh %a{d} : ({T}) -> {T}",
        ]
    for d in reversed(range(depth)):
        last = f"%y{d + 1}" if d + 1 < depth else f"%b{d}"
        lines += [f"%r{d} = ov.add {last}, %u : ({T}, {T}) -> {T}", f"ov.next carried(%r{d} : {T})", "}"]
    return "\n".join([*lines, f"func.return %y0 : {T}", "}"])


def branches(depth: int) -> str:
    """Branches within the first arms of branches, each with a condition of its own that is fed; two operations in each arm."""
    conditions = "".join(f", %c{d}: tensor<i1>" for d in range(depth))
    lines = [f"func.func @main(%x: {T}, %u: {T}{conditions}) -> {T} {{"]
    for d in range(depth):
        above = f"%a{d - 1}" if d else "%x"
        lines += [f"%y{d} = ov.if %c{d} -> ({T}) {{", f"%a{d} = ov.tanh {above} : ({T}) -> {T}"]
    for d in reversed(range(depth)):
        above, last = f"%a{d - 1}" if d else "%x", f"%y{d + 1}" if d + 1 < depth else f"%a{d}"
        lines += [
            f"%r{d} = ov.add {last}, %u : ({T}, {T}) -> {T}",
            f"ov.yield %r{d} : {T}",
            "} else {",
            f"%e{d} = ov.negative {above} : ({T}) -> {T}",
            f"ov.yield %e{d} : {T}",
            "}",
        ]
    return "\n".join([*lines, f"func.return %y0 : {T}", "}"])


NESTS: dict[str, Callable[[int], str]] = {"loops": loops, "branches": branches}
