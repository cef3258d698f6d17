"""Hook of mkdocs (mkdocs.yml): pages of the repository's root as pages of the site."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import normpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "examples/extension/README.md": "example-extension.md",
}
"""Pages outside docs/, by their place in the repository, and their names in the site."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages outside docs/, and lead all links to where pages are in the site."""
    root = Path(config.docs_dir).parent
    for place, name in PAGES.items():
        text = (root / place).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=in_site(text, Path(place).parent)))
    for file in files.documentation_pages():
        if file.generated_by is None:
            file.content_string = in_site(file.content_string, Path("docs"))
    return files


def in_site(text: str, folder: Path) -> str:
    """Return the text of a page in a folder of the repository with its links as in the site."""

    def link(match: re.Match[str]) -> str:
        place = normpath(f"{folder.as_posix()}/{match[1]}")
        return f"]({PAGES.get(place, place.removeprefix('docs/'))}{match[2] or ''})"

    return re.sub(r"\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)", link, text)
