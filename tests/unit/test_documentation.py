"""Accuracy of the documentation: generated pages are current, examples run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path
from textwrap import indent

import onnx.defs
import pytest
from markdown_it import MarkdownIt

from loomir.compiler.formats.openvino.control_flow import CONTROL_FLOW
from loomir.compiler.universe import pass_modules
from loomir.dialects import ovseq
from loomir.dialects.ov import operations
from loomir.dialects.ov.layers import rows
from loomir.dialects.ov.layers.format import operator_name
from loomir.tools import operator_table, pass_table
from loomir.tools.fuzz.levels import LEVELS
from tests.import_graph import sources
from tests.rooms import imports_of_rooms, picture, room_of
from tests.tiers import sample

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
MARKDOWN = MarkdownIt("commonmark").enable("table")
"""Markdown as it is shown: CommonMark with tables."""


@pytest.mark.parametrize(
    ("page", "table"), [("operators.md", operator_table.table), ("passes.md", pass_table.table)]
)
def test_generated_page_is_current(page: str, table) -> None:
    name = table.__module__
    assert (ROOT / "docs" / page).read_text() == table(), f"run: python -m {name} > docs/{page}"


def test_picture_of_the_rooms_is_current() -> None:
    """It has all rooms and imports; sizes may have changed a little since it was drawn."""
    drawn = (ROOT / "docs" / "rooms.svg").read_text()
    assert set(re.findall(r"<title>([\w/]+)</title>", drawn)) == {room_of(path) for path in sources()}, (
        "run: make rooms"
    )
    pairs = set(re.findall(r"<title>([\w/]+) imports ([\w/]+)</title>", drawn))
    assert pairs == imports_of_rooms().keys(), "run: make rooms"


def test_rooms_that_import_in_turn_are_drawn_against_the_order() -> None:
    """And an import against the direction of layers is drawn as a fault."""
    lines = Counter({"compiler/a": 10, "compiler/b": 300, "passes": 70, "dialects": 20, "tools": 40})
    imports = Counter(
        {("compiler/b", "compiler/a"): 3, ("compiler/a", "compiler/b"): 1, ("passes", "tools"): 1}
    )
    styles = re.findall(r'class="([^"]+)"[^>]*><title>(\S+) imports', picture(lines, imports))
    assert styles == [("compiler both", "compiler/a"), ("compiler", "compiler/b"), ("wrong", "passes")]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_page_renders(page: Path) -> None:
    """Every code fence is closed, all rows of a table have its cells, and no row or fence is left as text."""
    text = page.read_text()
    lines = text.splitlines()
    for token in MARKDOWN.parse(text):
        if token.type == "fence":
            assert token.map
            first, end = token.map
            assert lines[end - 1].strip() == token.markup, f"line {first + 1}: the fence is not closed"
        if token.type == "table_open":
            assert token.map
            rows_of = lines[slice(*token.map)]
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows_of}) == 1, rows_of[0]
        if token.type == "inline":
            assert token.map
            assert not re.search(r"```|^\|", token.content, re.M), f"line {token.map[0] + 1}: {token.content}"


STARTS = re.compile(r"\s*(//|[%^#})…{]|(->|:) |[\w.]+\(|\w+ = |\w+\.\w+|(module|func|return)\b|$)")
"""How a line of IR begins: one whose lines were filled like prose does not."""


@pytest.mark.parametrize("name", sorted(pass_modules()))
def test_example_of_a_pass_renders(name: str) -> None:
    """The IR before and after that docs/passes.md shows is one: an operation in a line, all brackets closed."""
    _, _, section = pass_table.table().partition(f"\n### `{name}`\n")
    examples = [
        t.content
        for t in MARKDOWN.parse(re.split(r"\n##", section)[0])
        if (t.type, t.info) == ("fence", "mlir")
    ]
    assert examples
    for example in examples:
        for line in example.splitlines():
            assert STARTS.match(line), line
        code = re.sub(r"//.*|->", "", example)
        for left, right in ("()", "[]", "{}", "<>"):
            assert code.count(left) == code.count(right), f"{left}{right} in\n{example}"


@pytest.mark.parametrize("op", [*operations(), *ovseq.operations()], ids=lambda o: o.name)
def test_operator_names_its_sources(op: type) -> None:
    """The table says of which OpenVINO and ONNX operators an operation is, or that neither has it. They exist."""
    told = operator_table.description(op)
    openvino = re.findall(r"OpenVINO ([A-Z]\w*)", told)
    onnx_versions = re.findall(r"ONNX ([A-Z]\w*)(?:-(\d+))?", told)
    assert (operator_table.OWN in told) == (not openvino and not onnx_versions)
    for name in openvino:
        assert operator_name(name) or name in rows(), name
    for name, version in onnx_versions:
        assert onnx.defs.has(name), name
        assert not version or onnx.defs.get_schema(name, int(version)).since_version == int(version), name


def test_levels_of_random_programs_are_in_their_table() -> None:
    page = (ROOT / "docs" / "fuzzing.md").read_text()
    (table,) = re.findall(r"^\| level \| \|\n\|---\|---\|\n((?:\|.*\n)+)", page, re.M)
    written = [level.name for level in LEVELS if not level.name.startswith("with-")]
    assert re.findall(r"^\| `([A-Za-z0-9-]+)` \|", table, re.M) == written
    assert "| `with-<pass>` |" in table


def test_every_layer_type_is_in_the_table() -> None:
    """The hint of `unknown-operator` leads to docs/operators.md."""
    assert operator_table.LAYERS.keys() == CONTROL_FLOW.keys() | {"Const"}
    words = set(re.findall(r"\w+", (ROOT / "docs" / "operators.md").read_text()))
    assert not {*rows(), *CONTROL_FLOW, "Const", "Parameter", "Result", "ReadValue", "Assign"} - words


@pytest.mark.parametrize("uses", ["load_front", "handling_patterns"])
def test_examples_of_the_guide_to_passes_run(uses: str) -> None:
    page = (ROOT / "docs" / "writing-a-pass.md").read_text()
    (block,) = (b for b in re.findall(r"```python\n(.*?)```", page, re.S) if uses in b)
    exec(compile(block, "writing-a-pass.md", "exec"), {"__name__": "example"})


def test_python_in_the_readme_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert blocks
    for block in blocks:
        code = block.replace('"examples/', f'"{ROOT}/examples/')
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def shell(command: str, folder: Path) -> str:
    """Return the output of a command that a page shows.

    It runs in a terminal of 80 columns with loomir's commands at hand.
    """
    # A pytest that a page runs is one of its own.
    rest = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(("PYTEST", "PY_COLORS", "FORCE_COLOR", "LOOMIR_THOROUGH"))
    }
    env = rest | {"PATH": f"{Path(sys.executable).parent}:{rest['PATH']}", "COLUMNS": "80"}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


Session = list[tuple[str, str]]
"""Commands behind `$`, each with what is shown below it."""


def blocks_of_sessions(page: Path) -> list[Session]:
    """The commands that a page shows, block by block."""
    found: list[Session] = []
    for token in MARKDOWN.parse(page.read_text()):
        if token.type == "fence" and token.content.startswith("$ "):
            parts = ("\n" + token.content).split("\n$ ")[1:]
            found.append([(command, shown) for command, _, shown in (part.partition("\n") for part in parts)])
    assert found
    return found


def sessions(page: Path) -> Session:
    """All commands that a page shows."""
    return [command for block in blocks_of_sessions(page) for command in block]


def programs(page: Path) -> dict[str, str]:
    """Return the programs of a page by their file names, which are in their first lines."""
    fences = [token.content for token in MARKDOWN.parse(page.read_text()) if token.type == "fence"]
    named = [
        (re.match(r"(?://|#) ([\w/-]+\.(?:mlir|onnxtxt|py|toml|c|ld))\n", content), content)
        for content in fences
    ]
    return {match[1]: content for match, content in named if match}


def save_programs(page: Path, folder: Path) -> None:
    """Save the programs of a page in a folder."""
    for name, content in programs(page).items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)


def prints(printed: str, shown: str) -> bool:
    """Return True if a command prints what a page shows.

    The page leaves out what it has `…` for, such as seconds, whose width decides that of a table's columns.
    """

    def words(text: str) -> str:
        return re.sub(r" *\n\s*", "\n", re.sub(" +", " ", text.strip()))

    return re.fullmatch(re.escape(words(shown)).replace("…", ".*"), words(printed), re.S) is not None


def test_commands_in_the_readme_print_what_it_shows(tmp_path: Path) -> None:
    """And `flow.c`, which one of them writes, has the C that is shown."""
    readme = ROOT / "README.md"
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for command, shown in sessions(readme):
        printed = shell(command, tmp_path)
        assert printed if not shown.strip() else printed.strip() == shown.strip(), f"{command}\n{printed}"
    blocks = re.findall(r"```c\n(.*?)```", readme.read_text(), re.S)
    assert blocks
    for block in blocks:
        assert block in (tmp_path / "build" / "flow.c").read_text()


@pytest.mark.parametrize(
    ("command", "shown"), sessions(ROOT / "docs" / "model-optimizer.md"), ids=lambda text: text[-30:]
)
def test_commands_of_the_model_optimizers_page_print_what_it_shows(
    command: str, shown: str, tmp_path: Path
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    printed = shell(command, tmp_path)
    assert printed.rstrip() == shown.rstrip(), f"{command}\n{printed}"


@pytest.mark.parametrize("name", ["profiling.md", "transform.md"])
def test_page_of_commands_and_python_is_right(name: str, tmp_path: Path) -> None:
    """A page whose commands and Python follow each other; `…` stands for what it leaves out."""
    page = ROOT / "docs" / name
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for command, shown in sessions(page):
        form = re.escape(shown.strip()).replace("…", ".*")
        printed = shell(command, tmp_path)
        assert re.fullmatch(form, printed.strip(), re.S), f"{command}\n{printed}"
    (tmp_path / "build").mkdir(exist_ok=True)
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.S):
        shell(f"{sys.executable} -c {shlex.quote(block)}", tmp_path)


GUIDES = [
    *sample(sessions(ROOT / "CONTRIBUTING.md"), 3),
    *sessions(ROOT / "docs" / "compare.md"),
]


@pytest.mark.parametrize(("command", "shown"), GUIDES)
def test_command_in_the_guide_prints_what_it_shows(command: str, shown: str) -> None:
    printed = shell(command, ROOT)
    assert prints(printed, shown), printed


def test_python_of_comparisons_prints_what_it_shows() -> None:
    page = (ROOT / "docs" / "compare.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    (shown,) = re.findall(r"It prints\n\n```\n(.*?)```", page, re.S)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == shown


def test_python_in_the_guide_is_a_part_of_the_dialect() -> None:
    code = "\n".join(p.read_text() for p in (ROOT / "dialects").rglob("*.py"))
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.S)
    assert indent(block, " " * 4) in code


def test_the_demo_runs() -> None:
    shell("python examples/demo.py", ROOT)


COMMANDS = (
    "loomir run",
    "loomir compile",
    "loomir inspect",
    "loomir explain",
    "loomir convert",
    "loomir compare",
    "loomir-opt",
    "loomir-reduce",
    "loomir-fuzz",
)


@pytest.mark.parametrize("tool", ["loomir", "loomir-opt", "loomir-reduce", "loomir-fuzz"])
def test_options_of_commands_are_there(tool: str, tmp_path: Path) -> None:
    helps = "".join(shell(f"{c} --help", tmp_path) for c in COMMANDS if c.split()[0] == tool)
    known = set(re.findall(r"--[a-z-]+", helps))
    for page in PAGES:
        for line in re.findall(rf"(?:`|^\$ ){tool} ([^`\n]*)", page.read_text(), re.M):
            for option in re.findall(r"(?<!\S)--[a-z-]+", line):
                assert option in known, f"{page.name}: {tool} {line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_make_targets_are_there(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = re.findall(r"`make ([a-z-]+)|^make ([a-z-]+)", page.read_text(), re.M)
    assert {a or b for a, b in named} <= targets


def test_the_pass_in_the_guide_runs(tmp_path: Path) -> None:
    """docs/writing-a-pass.md shows a whole pass."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "writing-a-pass.md").read_text(), re.S)
    (block,) = (b for b in blocks if "ModulePass" in b)
    code = block + (
        "\nfrom loomir.compiler.formats.mlir.parser import make_context\nfrom loomir.compiler.formats import load_module\n"
        f"OvCountLoopsPass().apply(make_context(), load_module('{ROOT}/examples/controlflow.xml'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2


def test_the_example_of_a_check_runs() -> None:
    """docs/checking.md shows a wrong pass and all that is printed of it, but for paths and seconds."""
    page = (ROOT / "docs" / "checking.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    (shown,) = re.findall(r"It prints\n\n```\n(.*?)```", page, re.S)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    def comparable(text: str) -> str:
        return re.sub(r"\S*/loomir-check-[^/]*", "loomir-check-", re.sub(r"in [0-9.]+ s", "", text))

    assert comparable(done.stdout) == comparable(shown)


def test_links_in_the_documentation_lead_somewhere() -> None:
    for page in PAGES:
        for target, heading in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text()):
            file = page.parent / target if target else page
            assert file.exists(), f"{page.name}: {target}"
            if heading:
                headings = re.findall(r"^#+ (.*)", file.read_text(), re.M)
                names = [re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-") for h in headings]
                assert heading in names, f"{page.name}: {target}#{heading}"


def test_paths_in_the_documentation_are_there() -> None:
    """A file or a folder that a page names in full is where it says. (CHANGELOG.md tells what was, upstream.md names xDSL's.)"""
    path = re.compile(r"`((?:compiler|dialects|passes|tools|tests|examples|benchmarks|docs)/[\w./-]*)`")
    missing = [
        f"{page.name}: {name}"
        for page in PAGES
        if page.name not in ("CHANGELOG.md", "upstream.md")
        for name in path.findall(page.read_text())
        if not (ROOT / name).exists()
    ]
    assert not missing, "\n".join(missing)


def test_the_map_names_every_folder_and_tool() -> None:
    """docs/architecture.md; below tests/unit and tests/lit a folder that it does not name has the name of what it tests."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    cells = "\n".join(line for line in page.splitlines() if line.startswith("|"))
    named = set(re.findall(r"`([\w./-]+)`", cells))
    for layer in ("compiler", "dialects", "passes", "tools", "tests"):
        for folder in {p.parent for kind in ("py", "mlir") for p in (ROOT / layer).rglob(f"*.{kind}")}:
            name = folder.relative_to(ROOT).as_posix()
            if name.startswith("tests/fixtures/"):
                continue  # as users lay out what is theirs
            mirrored = re.sub("^tests/(unit|lit)/", "", name)
            if mirrored == name:
                assert f"{name}/" in named, f"docs/architecture.md does not name {name}/"
            elif f"{name}/" not in named:
                assert any((ROOT / f"{mirrored}{end}").exists() for end in ("", ".py")), (
                    f"{name} tests nothing"
                )
    for tool in sorted((ROOT / "tools").glob("[!_]*.py")):
        assert f"tools/{tool.name}" in named, f"docs/architecture.md does not name tools/{tool.name}"


def test_the_way_to_c_is_as_described() -> None:
    """docs/architecture.md: each step's functions are in its files, to C and through the phases."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    way = re.findall(r"^## From a file to C\n\n.*\n.*\n((?:\|.*\n)+)", page, re.M)
    phases = re.findall(r"^## Through the phases\n(?:(?!##|\|).*\n)+.*\n.*\n((?:\|.*\n)+)", page, re.M)
    assert (len(way), len(phases)) == (1, 1)
    for row in [*way[0].splitlines(), *phases[0].splitlines()]:
        _, functions, files = (re.findall(r"`([^`]+)`", cell) for cell in row.strip("|").split("|"))
        for function, file in zip(
            functions, files if len(files) > 1 else files * len(functions), strict=True
        ):
            code = (ROOT / file).read_text()
            assert re.search(rf"^ *(def|class) {function}\b", code, re.M), f"{file}: {function}"


def test_what_is_referred_to_is_there() -> None:
    """Code and documents name no document that the repository does not have."""
    named = re.compile(r"\b([A-Z]{3,}\.md|docs/[a-z_-]+\.md)\b")
    folders = ("compiler", "dialects", "passes", "tools", "tests", "benchmarks", "examples", "docs")
    files = [p for f in folders for p in (ROOT / f).rglob("*") if p.suffix in (".py", ".md", ".mlir")]
    assert len(files) > 800
    for path in {*files, *PAGES}:
        for name in named.findall(path.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), f"{path.relative_to(ROOT)}: {name}"
