"""`ov-if-thread` copies no more than a few times the program, however the branches of a chain hang together."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.pipeline import run_passes


def chain(branches: int, step: int) -> ModuleOp:
    """Branches of which each gives the next one's condition, and a value whose rank it chooses; `step` operations follow each."""

    def lines() -> Iterator[str]:
        yield "func.func @main(%c0: tensor<i1>, %q: tensor<4xi1>, %x0: tensor<*xf32>, %k: tensor<1xf32>) -> tensor<*xf32> {"
        yield "  %true = ov.constant dense<true> : tensor<i1> : tensor<i1>"
        yield "  %none = ov.constant dense<0.0> : tensor<f32> : tensor<f32>"
        for n in range(branches):
            after = f"%x{n}"
            for k in range(step):
                yield f"  %y{n}_{k} = ov.exp {after} : (tensor<*xf32>) -> tensor<*xf32>"
                after = f"%y{n}_{k}"
            yield f"  %c{n + 1}, %x{n + 1} = ov.if %c{n} -> (tensor<i1>, tensor<*xf32>) {{"
            yield f"    %z{n} = ov.exp {after} : (tensor<*xf32>) -> tensor<*xf32>"
            yield f"    %m{n} = ov.reduce_max %z{n}, %axes {{keep_dims = false}} : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>"
            yield f"    %s{n} = ov.reshape %m{n}, %empty : (tensor<*xf32>, tensor<0xi64>) -> tensor<f32>"
            yield f"    %d{n} = ov.greater %s{n}, %none : (tensor<f32>, tensor<f32>) -> tensor<i1>"
            yield f"    ov.yield %d{n}, %z{n} : tensor<i1>, tensor<*xf32>"
            yield "  } else {"
            yield "    ov.yield %true, %none : tensor<i1>, tensor<f32>"
            yield "  }"
        yield f"  func.return %x{branches} : tensor<*xf32>"
        yield "}"

    text = "\n".join(lines())
    constants = (
        "  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>\n"
        "  %empty = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>\n"
    )
    return Parser(make_context(), text.replace("  %true =", constants + "  %true =", 1)).parse_module()


def size(module: ModuleOp) -> int:
    return sum(1 for _ in module.walk())


def test_a_chain_of_branches_does_not_double_with_each() -> None:
    module = chain(40, 3)
    before = size(module)
    run_passes(module, "ov-if-thread{max-operations=100}", verify_each=True)
    assert before < size(module) <= 100 + 6 * before


def test_nothing_is_copied_without_room() -> None:
    module = chain(3, 1)
    before = str(module)
    run_passes(module, "ov-if-thread{max-operations=0 max-growth=0}")
    assert str(module) == before
