"""Requirements that `tests/versions.py` reads from pyproject.toml.

`make versions` creates the environments.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from tests.versions import PYTHONS, SMOKE, Environment, requirements, smoke_of

ROOT = Path(__file__).parents[2]
PROJECT = """
[project]
name = "p"
dependencies = ["One_Package>=1.2", "two==3.*"]
[project.optional-dependencies]
fuzz = ["two>=3.1"]
dev = ["p[fuzz]", "ruff>=1", "old==1; python_version < '3.13'"]
other = ["three"]
"""


def test_requirements_of_all_extras_together(tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text(PROJECT)
    wanted = {"one-package": SpecifierSet(">=1.2"), "two": SpecifierSet("==3.*,>=3.1")}
    assert requirements("3.13", project) == wanted
    assert requirements("3.11", project) == wanted | {"old": SpecifierSet("==1")}


@pytest.mark.parametrize("python", PYTHONS)
def test_every_requirement_has_a_lower_bound(python: str) -> None:
    """Else its lowest version is one that nobody tried."""
    unbounded = [n for n, s in requirements(python).items() if not {p.operator for p in s} & {">=", "=="}]
    assert unbounded == []


def test_a_sample_is_both_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {"3.11": Path("python"), "3.12": Path("python"), "3.13": None}
    monkeypatch.setattr("tests.versions.python_of", here.get)
    every = [Environment(end, python) for python in PYTHONS for end in ("lowest", "newest")]
    assert list(map(str, smoke_of(every))) == ["lowest, Python 3.11", "newest, Python 3.12"]


def test_the_sample_is_there() -> None:
    assert [place for place in SMOKE if not (ROOT / place).exists()] == []
