"""docs/tutorial-*.md, as a newcomer follows them: loomir from its wheel, in an empty folder."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support_tools import ALL_TESTS
from tests.support_wheel import Environment, with_the_wheel
from tests.unit.test_documentation import ROOT, prints, save_programs, sessions

PAGES = sorted((ROOT / "docs").glob("tutorial-*.md"))
TOOLS = ("arm-none-eabi-gcc", "qemu-system-arm")
"""Commands that loomir does not need: a tutorial that wants one that is missing is skipped."""


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return with_the_wheel(tmp_path_factory.mktemp("newcomer"))


def test_there_are_four() -> None:
    assert len(PAGES) == 4


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_the_page_shows(page: Path, newcomer: Environment, tmp_path: Path) -> None:
    for tool in TOOLS:
        wanted = any(re.search(rf"(?<!\S){tool} ", command) for command, _ in sessions(page))
        if wanted and not ALL_TESTS and shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    save_programs(page, tmp_path)
    for command, shown in sessions(page):
        printed = newcomer.run(command, tmp_path)
        assert prints(printed, shown), f"{command}\n{printed}"
