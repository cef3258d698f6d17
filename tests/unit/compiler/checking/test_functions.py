"""`--check-each-pass` on modules of several functions, or without `main`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from loomir.compiler.checking.checker import check_each_pass
from loomir.compiler.extensions.loading import load_extension, unloaded_afterwards
from loomir.compiler.formats.mlir.parser import load_mlir
from loomir.compiler.options import CheckOptions
from tests.support import raises_error

PLANTED = Path(__file__).parents[3] / "fixtures" / "planted_extension.py"
ABS = "%y = ov.abs %x : (tensor<4xf32>) -> tensor<4xf32>"
NEGATIVE = "%y = ov.negative %x : (tensor<4xf32>) -> tensor<4xf32>"
RELU = "%y = ov.relu %x : (tensor<4xf32>) -> tensor<4xf32>"


@pytest.fixture(autouse=True)
def _planted() -> Iterator[None]:
    with unloaded_afterwards():
        load_extension(PLANTED)
        yield


def module_of(folder: Path, **bodies: str) -> ModuleOp:
    path = folder / "functions.mlir"
    path.write_text(
        "func.func private @declared(tensor<4xf32>)\n"
        + "".join(
            f"func.func @{name}(%x: tensor<4xf32>) -> tensor<4xf32> {{\n{body}\nfunc.return %y : tensor<4xf32>\n}}\n"
            for name, body in bodies.items()
        )
    )
    return load_mlir(path)


def options(folder: Path) -> CheckOptions:
    return CheckOptions(reduce_seconds=0, folder=folder)


@pytest.mark.parametrize("name", ["main", "other"])
def test_any_function_may_be_the_wrong_one(tmp_path: Path, name: str) -> None:
    module = module_of(tmp_path, **{"main": RELU, "other": RELU, "third": RELU, name: ABS})
    with raises_error("pass-changed-result") as found:
        check_each_pass(module, "cse,planted-walk", options=options(tmp_path))
    at = "" if name == "main" else "function @other: "
    assert found.value.what.startswith(f"{at}after pass 2, planted-walk: ")


def test_all_functions_are_run(tmp_path: Path) -> None:
    """The counts are those of each, and one pass is one."""
    one = check_each_pass(module_of(tmp_path, first=RELU), "cse", options=options(tmp_path))
    two = check_each_pass(module_of(tmp_path, first=RELU, second=ABS), "cse", options=options(tmp_path))
    assert (one.passes, two.passes) == (1, 1)
    assert one.compared == 3
    assert two.compared == 6


def test_exception_is_reported_for_its_function(tmp_path: Path) -> None:
    module = module_of(tmp_path, first=RELU, second=NEGATIVE)
    with raises_error("pass-failed") as found:
        check_each_pass(module, "planted-pattern{wrong=1 raises=true}", options=options(tmp_path))
    assert found.value.what.startswith("function @second: pass 1, planted-pattern")
    assert "ov.negative" in (tmp_path / "reduced.mlir").read_text()


def test_function_that_a_pass_removes_or_adds(tmp_path: Path) -> None:
    module = module_of(tmp_path, main=RELU, other=RELU)
    functions = [op for op in module.ops if "other" in str(op)]

    class Rename(ModulePass):
        name = "rename"
        EXACT = True

        def apply(self, ctx, op) -> None:
            functions[0].properties["sym_name"] = StringAttr("new")

    counts = check_each_pass(module, [Rename(), Rename()], options=options(tmp_path))
    # @other is compared after no pass, @new after the second.
    assert counts.compared == 3 + 6


def test_given_feeds_are_those_of_main(tmp_path: Path) -> None:
    module = module_of(tmp_path, other=ABS, main=RELU)
    feeds = [{"arg0": np.zeros(4, np.float32)}]
    counts = check_each_pass(module, "cse", feeds=feeds, options=options(tmp_path))
    assert counts.compared == 1


def test_module_without_functions(tmp_path: Path) -> None:
    with raises_error("no-main"):
        check_each_pass(ModuleOp([]), "cse", options=options(tmp_path))
