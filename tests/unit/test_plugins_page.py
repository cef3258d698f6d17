"""docs/plugins.md, followed to the letter from an empty folder, with loomir installed from its wheel."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from loomir.passes import api
from tests.support_wheel import Environment, with_the_wheel
from tests.unit.test_documentation import MARKDOWN, ROOT, prints

PAGE = ROOT / "docs" / "plugins.md"
FILE = re.compile(r"`([\w./]+)`:\s*$")
"""The end of a paragraph in front of a file's contents: the file's name."""


@pytest.fixture
def outsider(tmp_path: Path) -> Environment:
    """An environment in which loomir is installed, with `pip`, `lit` and `filecheck`."""
    made = with_the_wheel(tmp_path / "outsider")
    commands = made.python.parent
    for name in ("lit", "filecheck"):
        (commands / name).symlink_to(Path(sys.executable).parent / name)
    pip = f'exec {sys.executable} -m pip --python {made.python} "$@"'
    (commands / "pip").write_text(f"#!/bin/sh\nexport PIP_DISABLE_PIP_VERSION_CHECK=1\n{pip}\n")
    (commands / "pip").chmod(0o755)
    return made


def test_it_is_followed_to_the_letter(outsider: Environment, tmp_path: Path) -> None:
    """Files are written and commands run in the order in which the page has them."""
    folder = tmp_path / "empty"
    folder.mkdir()
    place = outsider.run("python -c 'import loomir; print(loomir.__file__)'", folder)
    assert place.startswith(str(outsider.folder)), place
    name, files, commands = "", [], 0
    for token in MARKDOWN.parse(PAGE.read_text()):
        if token.type == "inline":
            found = FILE.search(token.content)
            name = found[1] if found else ""
        elif token.type == "fence" and token.content.startswith("$ "):
            for part in ("\n" + token.content).split("\n$ ")[1:]:
                command, _, shown = part.partition("\n")
                printed = outsider.run(command, folder)
                assert prints(printed, shown), f"{command}\n{printed}"
                commands += 1
        elif token.type == "fence" and name:
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(token.content)
            files.append(name)
    assert len(files) == 7
    assert commands == 21


def test_every_helper_is_in_its_table() -> None:
    """Each has a docstring, and the table has no other name."""
    _, _, section = PAGE.read_text().partition("## Helpers for passes")
    rows = re.findall(r"^\| .* \| (.*) \|$", section.partition("\n## ")[0], re.M)
    named = re.findall(r"`(\w+)`", " ".join(rows))
    assert sorted(named) == sorted(api.__all__)
    assert all(getattr(api, name).__doc__ for name in api.__all__)
