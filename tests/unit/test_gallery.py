"""docs/gallery.md: each section names a public thread, and its commands print what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.test_documentation import ROOT, Session, blocks_of_sessions, prints, save_programs, shell

PAGE = ROOT / "docs" / "gallery.md"


def sections() -> list[str]:
    """Return the sections of the page, each from its title on."""
    return PAGE.read_text().split("\n## ")[1:]


def test_each_section_names_a_thread() -> None:
    """The issue asks for fifteen of them; a thread is linked by its name."""
    assert len(sections()) >= 15
    for section in sections():
        linked = re.findall(r"^\[([\w./-]+)(#\d+)?\]\(https://github\.com/([\w./-]+)\)", section, re.M)
        assert linked, section
        for repository, number, address in linked:
            assert address == repository + number.replace("#", "/issues/")


@pytest.mark.parametrize("block", blocks_of_sessions(PAGE), ids=lambda block: block[-1][0][:50])
def test_commands_print_what_the_page_shows(block: Session, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    save_programs(PAGE, tmp_path)
    for command, shown in block:
        printed = shell(command, tmp_path)
        assert prints(printed, shown), f"{command}\n{printed}"
