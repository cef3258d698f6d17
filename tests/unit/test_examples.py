"""The patches of docs/examples: each applies to a copy of this tree, and there the tests of what it adds pass."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PRODUCT = ("compiler", "dialects", "passes", "tools")
COPIED = (*PRODUCT, "loomir", "tests", "docs", "pyproject.toml", "README.md", "CONTRIBUTING.md", "Makefile")

CONCERNED = {
    "new-format.patch": (
        [
            "tests/unit/compiler/formats/steps",
            "tests/unit/test_structure.py",
            "tests/unit/test_documentation.py",
        ],
        "steps or imports or error or generated_page or the_map",
        "tests/lit/passes/front/convert_onnx_to_ov",
        3,
    ),
    "new-operator.patch": (
        ["tests/unit/test_structure.py", "tests/differential", "tests/unit/test_documentation.py"],
        "CbrtOp or ov.cbrt] or generated_page",
        "tests/lit/dialects/ov/elementwise_unary_cbrt.mlir",
        2,
    ),
    "new-pass.patch": (
        [
            "tests/unit/test_structure.py",
            "tests/unit/tools/fuzz/test_levels.py",
            "tests/unit/tools/fuzz/test_orders.py",
            "tests/unit/test_documentation.py",
        ],
        "negation or test_levels or in_the_pool or generated_page",
        "tests/lit/passes/graph/ov_fold_negation.mlir",
        2,
    ),
}
"""The tests of each: files, which of them, a lit test; and how many product files it may touch."""


def run(folder: Path, *command: str) -> str:
    """Return a command's output in a copy of the tree.

    The command must succeed.
    """
    # (Whatever part of `make thorough` runs this: in the copy everything that is named runs.)
    inherited = {name: value for name, value in os.environ.items() if name != "LOOMIR_THOROUGH"}
    environment = {**inherited, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("patch", sorted(CONCERNED))
def test_example_applies_and_its_tests_pass(patch: str, tmp_path: Path) -> None:
    files, selected, lit, product_files = CONCERNED[patch]
    touched = re.findall(r"^\+\+\+ b/(\S+)", (EXAMPLES / patch).read_text(), re.MULTILINE)
    assert sum(name.startswith(PRODUCT) for name in touched) == product_files
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, tmp_path / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(source, tmp_path / name)
    run(tmp_path, "git", "apply", "--unsafe-paths", str(EXAMPLES / patch))
    said = run(tmp_path, sys.executable, "-c", "import loomir; print(loomir.__file__)")
    assert said.startswith(str(tmp_path)), "the copy is not what is tested"
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    run(tmp_path, *tests, *files, "-k", selected)
    run(tmp_path, *tests, lit)


def test_every_example_is_tried() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == CONCERNED.keys()
