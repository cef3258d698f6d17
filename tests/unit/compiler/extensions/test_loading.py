"""How extensions are found: files, modules, what installed packages announce."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import loomir
from loomir.compiler import extensions
from loomir.compiler.extensions import loading
from loomir.compiler.extensions.loading import load_installed, loaded, unloaded_afterwards
from loomir.compiler.universe import registered_passes
from tests.support import raises_error

FILE = """
import loomir
extension = loomir.Extension("{name}")
again = extension
extension.extractor("Abs")(lambda node: node.input(0))
"""


@pytest.fixture(autouse=True)
def taken_back() -> Iterator[None]:
    with unloaded_afterwards():
        yield


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def names() -> list[str]:
    return [each.name for each in loaded()]


def test_a_file_is_loaded_once(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.py", FILE.format(name="mine"))
    (first,) = loomir.load_extension(path)
    assert loomir.load_extension(str(path)) == [first]
    assert loomir.load_extension(tmp_path / "." / "mine.py") == [first]
    assert names() == ["mine"]


def test_a_module_is_loaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "acme_module.py", FILE.format(name="mine"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "acme_module", raising=False)
    assert loomir.load_extension("acme_module") == loomir.load_extension("acme_module")
    assert names() == ["mine"]


def test_two_of_one_name(tmp_path: Path) -> None:
    loomir.load_extension(written(tmp_path / "a.py", FILE.format(name="mine")))
    with raises_error("extension-clash", "b.py", "another extension has the name 'mine'"):
        loomir.load_extension(written(tmp_path / "b.py", FILE.format(name="mine")))


def test_who_clashes_is_named(tmp_path: Path) -> None:
    loomir.load_extension(written(tmp_path / "a.py", FILE.format(name="a")))
    with raises_error(
        "extension-clash", "the extension b of", "b.py", "an extractor of the operator 'Abs' of 'ai.onnx'"
    ):
        loomir.load_extension(written(tmp_path / "b.py", FILE.format(name="b")))
    assert names() == ["a"]


def test_a_file_with_two_extensions_is_loaded_as_a_whole(tmp_path: Path) -> None:
    text = FILE.format(name="first") + FILE.replace("extension", "other").replace("again", "more").format(
        name="second"
    )
    path = written(tmp_path / "two.py", text)
    for _ in range(2):
        with raises_error("extension-clash", "the extension second of"):
            loomir.load_extension(path)
        assert names() == []
    path.write_text(text.replace('"Abs"', '"Relu"', 1))
    assert [each.name for each in loomir.load_extension(path)] == ["first", "second"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import no_such_module_at_all", "ModuleNotFoundError"),
        ("def (", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import loomir; loomir.Extension('a b')", "is not a name of an extension"),
        ("x = 3", "holds no Extension"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, said: str) -> None:
    with raises_error("extension-broken", "broken.py", said):
        loomir.load_extension(written(tmp_path / "broken.py", text))


def test_what_is_not_there(tmp_path: Path) -> None:
    with raises_error("extension-broken", "FileNotFoundError"):
        loomir.load_extension(tmp_path / "missing.py")
    with raises_error("extension-broken", "ModuleNotFoundError"):
        loomir.load_extension("no_such_module_at_all")
    for wrong in ("", 3, None):
        with raises_error("bad-option", "is not an extension"):
            loomir.load_extension(wrong)  # type: ignore[arg-type]


def test_what_packages_announce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module, or an extension in one; what is neither, or cannot be loaded, is left out with a warning that names it."""
    written(tmp_path / "announced_one.py", FILE.format(name="one"))
    written(tmp_path / "announced_two.py", FILE.replace('"Abs"', '"Relu"').format(name="two"))
    monkeypatch.syspath_prepend(tmp_path)

    def announce(*values: str) -> None:
        entries = [EntryPoint("entry", value, "loomir.extensions") for value in values]
        monkeypatch.setattr(loading, "announced", lambda: entries)
        load_installed.cache_clear()

    try:
        announce("announced_one", "announced_two:extension")
        load_installed()
        load_installed()
        assert names() == ["one", "two"]
        for broken, said in (
            ("announced_one:missing", "AttributeError"),
            ("no_such_module_at_all", "ModuleNotFoundError"),
            ("announced_one:loomir.Error", "holds no Extension"),
        ):
            announce(broken, "announced_two")
            with pytest.warns(loomir.ExtensionWarning, match=f"(?s){broken}.*{said}.*LOOMIR_EXTENSIONS=none"):
                load_installed()
            assert names() == ["one", "two"]
    finally:
        load_installed.cache_clear()


BROKEN_PACKAGE = {
    "acme_broken.py": "raise RuntimeError('not with this Python')",
    "acme_broken-1.5.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme-broken\nVersion: 1.5\n",
    "acme_broken-1.5.dist-info/entry_points.txt": "[loomir.extensions]\nacme = acme_broken\n",
}


@pytest.mark.parametrize("chosen", ["", "none", "all"])
@pytest.mark.parametrize(
    "command", [["loomir_main", "run"], ["loomir_opt", "-p", "canonicalize"]], ids=lambda c: c[0]
)
def test_a_broken_package(tmp_path: Path, command: list[str], chosen: str) -> None:
    """It does not keep a model from being loaded; the warning names it, and the environment switches it off."""
    for name, text in BROKEN_PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        written(tmp_path / name, text)
    model = written(
        tmp_path / "m.mlir",
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  func.return %x : tensor<2xf32>\n}\n",
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    result = subprocess.run(
        [sys.executable, "-m", f"loomir.tools.{command[0]}", *command[1:], str(model)],
        env={**os.environ, "PYTHONPATH": path, extensions.VARIABLE: chosen}, capture_output=True, text=True,
    )  # fmt: skip
    warned = "warning: the entry point acme = acme_broken of the package acme-broken 1.5 is skipped"
    assert (warned in result.stderr) is (chosen == ""), result.stderr
    if chosen == "all":
        assert (result.returncode, "[bad-option]" in result.stderr) == (1, True)
    else:
        assert result.returncode == 0, result.stderr
        assert "not with this Python" in result.stderr or chosen == "none"


def test_a_universe_that_cannot_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """xDSL loads other packages' contributions to it, all or none."""
    (tmp_path / "acme-1.dist-info").mkdir()
    written(tmp_path / "acme-1.dist-info" / "METADATA", "Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    written(tmp_path / "acme-1.dist-info" / "entry_points.txt", "[xdsl.universe]\nacme = acme_missing:U\n")
    monkeypatch.syspath_prepend(tmp_path)
    with raises_error("extension-broken", "xdsl.universe", "acme_missing"):
        registered_passes()


def test_what_is_loaded_for_a_while_is_taken_back(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.py", FILE.format(name="mine"))
    for _ in range(2):
        with unloaded_afterwards():
            loomir.load_extension(path)
            assert names() == ["mine"]
        assert names() == []
