"""loomir as users have it: installed from its wheel into an environment of its own, away from this tree."""

from __future__ import annotations

import os
import shutil
import site
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGED = ("compiler", "dialects", "passes", "tools", "loomir", "pyproject.toml", "README.md", "LICENSE")
BUILDS_WHEELS = 71
"""The version of setuptools that makes wheels by itself; with an older one pip has to fetch a newer one."""


class Environment:
    """A virtual environment in a folder, without pip. `see` adds what packages need."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "bin" / "python"
        run([sys.executable, "-m", "venv", "--without-pip", str(folder)], folder.parent)
        code = "import site; print(site.getsitepackages()[0])"
        self.packages = Path(run([str(self.python), "-c", code], folder.parent).strip())

    def see(self, *lines: str) -> None:
        """Add lines of a `.pth` file: folders to import from, or code."""
        (self.packages / "seen.pth").write_text("\n".join(lines))

    def install(self, *what: str) -> None:
        """Install packages by pip without their dependencies."""
        # From Python 3.12 on an environment has no setuptools of its own.
        local = (
            find_spec("setuptools") is not None and int(version("setuptools").split(".")[0]) >= BUILDS_WHEELS
        )
        options = ["--no-build-isolation", "--no-index"] if local else []
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "--disable-pip-version-check"]
        run([*pip, "install", "-q", "--no-deps", *options, *what], self.folder.parent)

    def run(self, command: str | Sequence[str], folder: Path) -> str:
        """Return a command's output. The command must succeed; it sees nothing of this test's own paths."""
        return run(command, folder, f"{self.folder / 'bin'}{os.pathsep}")


def run(command: str | Sequence[str], folder: Path, path: str = "") -> str:
    """Return the output of a command that must succeed, run without this process's own settings."""
    rest = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST", "LOOMIR"))}
    env = rest | {"PATH": path + rest["PATH"], "COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": "1"}
    shell = isinstance(command, str)
    done = subprocess.run(
        command, cwd=folder, env=env, shell=shell, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


def with_the_wheel(folder: Path) -> Environment:
    """Return an environment in a folder that has loomir from its wheel, and sees the packages of this one."""
    source = folder / "source"
    source.mkdir(parents=True)
    for name in PACKAGED:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(place, source / name)
    environment = Environment(folder / "env")
    environment.install(str(source))
    shutil.rmtree(source)
    # As folders to import from: an editable loomir there stays unseen.
    environment.see(*site.getsitepackages())
    return environment
