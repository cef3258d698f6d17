"""docs/upstream.md: each of its programs shows the defect that the page says, in the versions that it says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support_tools import ALL_TESTS
from tests.unit.test_documentation import ROOT, Session, blocks_of_sessions, programs, save_programs, shell

PAGE = ROOT / "docs" / "upstream.md"
TOOLS = ("gcc", "clang", "mlir-opt-22", "timeout")
"""Commands of the page that loomir does not need. What wants one that is missing is skipped."""
VERSION = re.compile(r"xdsl-opt --version|\S+ -dumpversion")
"""A first command of a block that says for which version the others are."""


def name_of(block: Session) -> str:
    """Return what pytest calls a block: the start of its last command."""
    return block[-1][0].partition("|")[0].strip()


def test_programs_have_names_of_their_own() -> None:
    """And each is in a command."""
    names = re.findall(r"^(?://|#) (\w+\.(?:mlir|py|c))$", PAGE.read_text(), re.M)
    assert sorted(names) == sorted(programs(PAGE))
    commands = " ".join(command for block in blocks_of_sessions(PAGE) for command, _ in block)
    assert [name for name in names if name not in commands] == []


@pytest.mark.parametrize("block", blocks_of_sessions(PAGE), ids=name_of)
def test_commands_print_what_the_page_shows(block: Session, tmp_path: Path) -> None:
    for tool in TOOLS:
        wanted = any(re.search(rf"(?<!\S){tool} ", command) for command, _ in block)
        if wanted and not ALL_TESTS and shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    save_programs(PAGE, tmp_path)
    for command, shown in block:
        printed = shell(command, tmp_path)
        if VERSION.fullmatch(command) and printed.strip() != shown.strip():
            pytest.skip(f"for another version: {command} prints {printed.strip()}")
        assert printed.strip() == shown.strip(), f"{command}\n{printed}"
