"""examples/extension, as an outsider uses it: installed by pip into an environment of its own, and run there by its README's commands."""

from __future__ import annotations

import re
import shutil
import site
from pathlib import Path

import pytest

from tests.support_wheel import Environment
from tests.unit.test_documentation import prints, sessions, shell

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "extension"
COMMANDS = ("loomir_main", "loomir_opt")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment in which the example is installed, beside a copy of its folder, `extension`."""
    folder = tmp_path_factory.mktemp("outsider")
    shutil.copytree(
        EXAMPLE, folder / "extension", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    )
    environment = Environment(folder / "env")
    # What loomir needs is seen from there, and loomir itself is this tree.
    environment.see(str(ROOT), *(f"import site; site.addsitedir({p!r})" for p in site.getsitepackages()))
    for command in COMMANDS:
        script = environment.folder / "bin" / command.removesuffix("_main").replace("_", "-")
        script.write_text(f"#!{environment.python}\nfrom loomir.tools.{command} import main\nmain()\n")
        script.chmod(0o755)
    environment.install("./extension")
    shutil.rmtree(folder / "extension" / "loomir_acme")  # what runs is what was installed
    return environment


def python(installed: Environment, code: str) -> str:
    """Return a program's output in the outsider's environment."""
    return installed.run(["python", "-c", code], installed.folder.parent / "extension")


def test_what_runs_is_the_installed_package_and_this_tree(installed: Environment) -> None:
    said = python(
        installed, "import loomir, loomir_acme; print(loomir.__file__, loomir_acme.__file__)"
    ).split()
    assert said[0].startswith(str(ROOT))
    assert said[1].startswith(str(installed.folder))


@pytest.mark.parametrize(("command", "shown"), sessions(EXAMPLE / "README.md"))
def test_command_of_the_readme_prints_what_it_shows(installed: Environment, command: str, shown: str) -> None:
    printed = installed.run(command, installed.folder.parent / "extension")
    assert prints(printed, shown), f"{command}\n{printed}"


AGREE = """
import numpy as np, loomir
from loomir.compiler.option_names import ENGINES
def agree(model, **feed):
    expected = model.run(feed, engine="graph")
    for engine in ENGINES:
        for name, value in model.run(feed, engine=engine).items():
            np.testing.assert_allclose(value, expected[name], rtol=1e-5, atol=1e-6, err_msg=engine)
    return expected["y"]
rng = np.random.default_rng(0)
def some(*shape): return rng.standard_normal(shape).astype(np.float32)
"""


def test_engines_agree_on_an_operator_of_another_domain(installed: Environment) -> None:
    """And with what it means: the approximation of Gelu that the extractor puts there, then the shrinkage."""
    python(
        installed,
        AGREE
        + """
x = some(2, 4)
y = agree(loomir.load("shrink.onnxtxt"), x=x)
g = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
np.testing.assert_allclose(y, np.sign(g) * np.maximum(np.abs(g) - 0.125, 0), rtol=1e-4, atol=1e-5)
""",
    )


def test_engines_agree_on_layers_of_its_own(installed: Environment) -> None:
    python(
        installed,
        AGREE
        + """
x = some(2, 5)
y = agree(loomir.load("layers.xml"), x=x)
peak = x / np.abs(x).max(-1, keepdims=True)
np.testing.assert_allclose(y, np.maximum(peak, 0) ** 2, rtol=1e-5, atol=1e-6)
""",
    )


def test_engines_agree_on_what_is_converted(installed: Environment) -> None:
    """Each transformation says what the original means: ONNX's normalisation, the sum, shrinking twice, the quotient."""
    python(
        installed,
        AGREE
        + """
x, z = some(2, 8), some(2, 8)
model = loomir.convert("model.onnxtxt", transformations_config="replacements.json")
text = model.mlir()
for there in ("ov.mvn", 'approximation_mode = "tanh"', "threshold = 3.750000e-01", "ov.multiply"):
    assert there in text, text
assert "ov.divide" not in text and text.count("soft_shrink") == 1
y = agree(model, x=x, z=z)
plain = loomir.convert("model.onnxtxt", disable=["AcmeShrinkTwice", "AcmeDivideByConstant"])
assert "ov.mvn" not in plain.mlir() and plain.mlir().count("soft_shrink") == 2 and "ov.divide" in plain.mlir()
np.testing.assert_allclose(agree(plain, x=x, z=z), y, rtol=1e-3, atol=1e-4)
""",
    )


def test_what_only_has_an_inference_stays_and_is_refused_where_it_has_to_run(installed: Environment) -> None:
    python(
        installed,
        AGREE
        + """
model = loomir.convert("histogram.onnxtxt")
assert 'ov.custom "Histogram" in "com.acme"' in model.mlir()
assert str(model.outputs["y"].shape) == "(2, 4)" if hasattr(model.outputs, "keys") else "2x4" in model.mlir()
for engine in ENGINES:
    try:
        model.run({"x": some(2, 8)}, engine=engine)
    except loomir.Error as error:
        assert error.identifier == "unknown-operator" and "'Histogram' of 'com.acme'" in str(error), error
    else:
        raise AssertionError(engine)
""",
    )


PAGE = ROOT / "docs" / "extensions.md"


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that docs/extensions.md shows, each behind its name."""
    folder = tmp_path_factory.mktemp("page")
    files = re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", PAGE.read_text(), re.S)
    assert [name for name, _ in files] == ["shrink.py", "model.onnxtxt", "scopes.json"]
    for name, text in files:
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(("command", "shown"), sessions(PAGE))
def test_command_of_the_page_prints_what_it_shows(worked: Path, command: str, shown: str) -> None:
    assert shell(command, worked).split() == shown.split()
