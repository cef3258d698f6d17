"""`make pytest` with the lowest and the newest version of each dependency: `python -m tests.versions`, `make versions`.

For each Python that loomir is for and that is here (pyenv's, or a `python3.12` in PATH) two environments under `build/versions`: one has
of each requirement of pyproject.toml the lowest version that it allows and that has a wheel for this Python, the other one the newest.
Extras count, as tests need them, without the linters. Then pytest runs in each. At the end there is a line for each environment,
and for each that there is none of; the exit status is 1 if tests failed, or pip found no such set of versions.

    python -m tests.versions                                # everything: some 20 minutes of two cores for each environment
    python -m tests.versions --end lowest --python 3.11     # one environment; folders and files of tests may follow
    python -m tests.versions --smoke                        # what CI runs: two environments, a selection of tests
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import VERSION_PATTERN, Version

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "versions"

End = Literal["lowest", "newest"]
PYTHONS = ("3.11", "3.12", "3.13")
EXTRAS = ("fuzz", "explain", "cluster", "docs", "dev")
LINTERS = frozenset({"ruff", "basedpyright", "lxml-stubs"})
"""No test imports them: `make lint`, `make types`."""

PIP = ("-m", "pip", "--disable-pip-version-check")
WHEELS = ("--only-binary", ":all:")

SMOKE = (
    "tests/conformance/test_onnx_node_tests.py",
    "tests/conformance/test_real_onnx_models.py",
    "tests/unit/compiler/formats",
    "tests/unit/tools/model_optimizer/mo/test_graph.py",
    "tests/unit/dialects/onnx",
    "tests/unit/dialects/ov/layers",
    "tests/unit/tools/test_loomir_main.py",
)
"""Tests that touch each dependency: which types and operators it has, files read, tables printed, oracles asked."""


@dataclass(frozen=True)
class Environment:
    """One of the environments: an end of the ranges, and a Python."""

    end: End
    python: str

    def __str__(self) -> str:
        return f"{self.end}, Python {self.python}"

    @property
    def folder(self) -> Path:
        return FOLDER / f"{self.end}-{self.python}"

    @property
    def interpreter(self) -> Path:
        return self.folder / "bin" / "python"


def requirements(python: str, project: Path = ROOT / "pyproject.toml") -> dict[str, SpecifierSet]:
    """Of each package what the project and its extras together ask on a version of Python."""
    table = tomllib.loads(project.read_text())["project"]
    extras = table.get("optional-dependencies", {})
    texts = [*table["dependencies"], *(text for extra in EXTRAS for text in extras.get(extra, ()))]
    found: dict[str, SpecifierSet] = {}
    for requirement in map(Requirement, texts):
        name = canonicalize_name(requirement.name)
        marker = requirement.marker
        if marker is not None and not marker.evaluate({"python_version": python}):
            continue
        if name not in LINTERS and name != table["name"]:
            found[name] = found.get(name, SpecifierSet()) & requirement.specifier
    return found


def allowed(interpreter: Path, name: str, wanted: SpecifierSet) -> list[Version]:
    """The published versions that are allowed, the lowest first. (What is no version, such as 1.6.1.linux-x86_64, is old.)"""
    command = [interpreter, *PIP, "index", "versions", name]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (listed,) = re.findall(r"^Available versions: (.*)$", said, re.MULTILINE)
    versions = [
        Version(text) for text in listed.split(", ") if re.fullmatch(VERSION_PATTERN, text, re.X | re.I)
    ]
    return sorted(version for version in versions if version in wanted)


def lowest(interpreter: Path, name: str, wanted: SpecifierSet) -> str:
    """The lowest allowed version with a wheel for a Python, as a requirement. `LookupError` if there is none."""
    for version in allowed(interpreter, name, wanted):
        text = f"{name}=={version}"
        command = [interpreter, *PIP, "install", "--quiet", "--dry-run", "--no-deps", *WHEELS, text]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return text
    raise LookupError(f"there is no {name}{wanted} for this Python")


def python_of(version: str) -> Path | None:
    """An interpreter of a version of Python: this one, pyenv's newest, or one in PATH; None where there is none."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return Path(sys.executable)
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    numbers = [Version(p.name) for p in root.glob(f"{version}.*") if re.fullmatch(r"[\d.]+", p.name)]
    candidates = [str(root / str(number) / "bin" / "python") for number in sorted(numbers, reverse=True)]
    for command in (*candidates, f"python{version}"):
        found = shutil.which(command)
        # pyenv has commands of this name for versions that are not chosen: they only say so.
        if found and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0:
            return Path(found)
    return None


def install(environment: Environment, python: Path) -> None:
    """Make an environment, or bring it up to date. `CalledProcessError`, `LookupError`: where there is none."""
    interpreter = environment.interpreter
    if not interpreter.exists():
        subprocess.run([python, "-m", "venv", environment.folder], check=True)
    wanted = requirements(environment.python)
    pip = [interpreter, *PIP, "install", "--quiet"]
    if environment.end == "lowest":
        packages = [lowest(interpreter, name, versions) for name, versions in wanted.items()]
    else:
        packages = [f"{name}{versions}" for name, versions in wanted.items()]
        pip += ["--upgrade", "--upgrade-strategy", "eager"]
    subprocess.run([*pip, *WHEELS, *packages], check=True)
    subprocess.run([*pip, "--no-deps", "--editable", ROOT], check=True)


def installed(environment: Environment) -> str:
    """The versions of what pyproject.toml names."""
    names = sorted(requirements(environment.python))
    program = (
        "import sys, importlib.metadata as m; print(*(f'{n} {m.version(n)}' for n in sys.argv[1:]), sep=', ')"
    )
    command = [environment.interpreter, "-c", program, *names]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def run_tests(environment: Environment, arguments: Sequence[str]) -> bool:
    """Run pytest in an environment and return True if it passes."""
    path = os.pathsep.join([str(environment.interpreter.parent), os.environ["PATH"]])
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PATH": path}
    command = [environment.interpreter, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode == 0


def attempt(environment: Environment, arguments: Sequence[str]) -> tuple[bool, str]:
    """Test an environment and return the success and a message."""
    python = python_of(environment.python)
    if python is None:
        return True, "left out: there is no such Python here"
    try:
        install(environment, python)
    except (subprocess.CalledProcessError, LookupError) as error:
        return False, f"FAILS: {error}"
    versions = installed(environment)
    print(f"== {environment}: {versions}", flush=True)
    passes = run_tests(environment, arguments)
    return passes, f"{'passes' if passes else 'FAILS'}: {versions}"


def smoke_of(every: Sequence[Environment]) -> list[Environment]:
    """For CI: the lowest versions on the oldest Python, the newest on the newest Python that is here."""
    here = [environment for environment in every if python_of(environment.python)]
    return [
        *[environment for environment in here if environment.end == "lowest"][:1],
        *[environment for environment in here if environment.end == "newest"][-1:],
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tests", nargs="*", help="folders and files; all by default")
    parser.add_argument("--end", action="append", choices=get_args(End), help="both by default")
    parser.add_argument("--python", action="append", choices=PYTHONS, help="all by default")
    parser.add_argument("--smoke", action="store_true", help="two environments, a selection of tests")
    parser.add_argument("--jobs", default="2", help="processes of pytest")
    options = parser.parse_args()
    every = [
        Environment(end, python)
        for python in options.python or PYTHONS
        for end in options.end or get_args(End)
    ]
    taken = smoke_of(every) if options.smoke else every
    tests = options.tests or (SMOKE if options.smoke else ())
    answers = {environment: attempt(environment, ["-n", options.jobs, *tests]) for environment in taken}
    print("\nVersions:")
    for environment in every:
        _, said = answers.get(environment, (True, "left out by --smoke"))
        print(f"  {environment}: {said}")
    sys.exit(not all(passes for passes, _ in answers.values()))


if __name__ == "__main__":
    main()
