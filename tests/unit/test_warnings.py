"""Standard error holds only loomir's own messages.

Nothing that loomir imports or defines is deprecated.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

EVERY_MODULE = """
import importlib, pkgutil, warnings
from pathlib import Path

import loomir

root = Path(loomir.__file__).resolve().parents[1]
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for module in pkgutil.walk_packages(loomir.__path__, "loomir."):
        importlib.import_module(module.name)
for each in told:
    path = Path(each.filename).resolve()
    if path.is_relative_to(root) and "site-packages" not in path.relative_to(root).parts:
        print(f"{path.relative_to(root)}:{each.lineno}: {each.message}")
print(len([*pkgutil.walk_packages(loomir.__path__, "loomir.")]) > 300)
"""


def test_no_module_warns_when_it_is_imported() -> None:
    result = subprocess.run(
        [sys.executable, "-c", EVERY_MODULE], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert result.stdout == "True\n"


def test_xdsl_opt_says_nothing_of_loomir(tmp_path: Path) -> None:
    """xDSL's own tool loads every pass that it is told of, loomir's too."""
    path = tmp_path / "m.mlir"
    path.write_text("func.func @main() {\n  func.return\n}\n")
    command = [sys.executable, "-m", "xdsl.tools.xdsl_opt", str(path), "-p", "canonicalize,ov-infer"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    assert "func.func @main()" in result.stdout
