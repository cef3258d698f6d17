"""The documentation as a site (mkdocs.yml)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.test_documentation import ROOT

pytest.importorskip("mkdocs")


def test_the_site_builds_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    """`--strict` fails for a page that the navigation leaves out, a missing file and a missing heading."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    start = (tmp_path / "index.html").read_text()
    for target in re.findall(r'href="((?!https?:|#)[^"#]+)', start):
        assert (tmp_path / target).exists(), target
    # A reader needs no network: nothing is loaded from elsewhere.
    assert re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="https?://[^"]*"', start) == []


def test_pages_of_the_root_are_led_to_their_places() -> None:
    from runpy import run_path

    in_site = run_path(str(ROOT / "docs" / "site_pages.py"))["in_site"]
    assert in_site("[a](docs/ir.md#graph) [b](#here) [c](https://x.org/a.md)", Path()) == (
        "[a](ir.md#graph) [b](#here) [c](https://x.org/a.md)"
    )
    assert in_site("[a](../README.md) [b](../examples/extension/README.md#x) [c](ir.md)", Path("docs")) == (
        "[a](index.md) [b](example-extension.md#x) [c](ir.md)"
    )
