"""Files that describe replacements: the Model Optimizer's format, and what is wrong with others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loomir.tools.model_optimizer.convert.replacement_files import Description, read_descriptions
from tests.support import raises_error


def read(folder: Path, *entries: object) -> list[Description]:
    path = folder / "config.json"
    path.write_text(json.dumps(list(entries)))
    return read_descriptions(path)


def test_each_kind(tmp_path: Path) -> None:
    scope, points, general = read(
        tmp_path,
        {
            "id": "S",
            "match_kind": "scope",
            "instances": [".*block1/", "b"],
            "inputs": [[{"node": "a$", "port": 1}, {"node": "b$", "port": 0}], [{"node": "c", "port": 2}]],
            "outputs": [{"node": "z$", "port": 0}],
            "custom_attributes": {"k": [1]},
            "op": "Fused",
        },
        {
            "id": "P",
            "match_kind": "points",
            "instances": {"start_points": ["a"], "end_points": ["y", "z"]},
            "include_inputs_to_sub_graph": False,
        },
        {"id": "G", "match_kind": "general", "custom_attributes": {"n": 3}},
    )
    assert (scope.id, scope.kind, scope.scopes, scope.op) == ("S", "scope", (".*block1/", "b"), "Fused")
    assert scope.inputs == ((("a$", 1), ("b$", 0)), (("c", 2),))
    assert (scope.outputs, scope.attributes) == ((("z$", 0),), {"k": [1]})
    assert (points.start, points.end, points.include_start, points.include_end) == (
        ("a",),
        ("y", "z"),
        False,
        True,
    )
    assert points.inputs is None
    assert (general.kind, general.attributes) == ("general", {"n": 3})


def test_empty_lists_of_inputs_and_outputs_say_nothing(tmp_path: Path) -> None:
    entry = {"id": "S", "match_kind": "scope", "instances": ["a"], "inputs": [], "outputs": []}
    (found,) = read(tmp_path, entry)
    assert (found.inputs, found.outputs) == (None, None)


SCOPE = {"id": "Mine", "match_kind": "scope", "instances": ["a"]}
POINTS = {"id": "Mine", "match_kind": "points", "instances": {"start_points": ["a"], "end_points": ["b"]}}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (3, "replacement 0 is 3"),
        ({"match_kind": "general"}, "replacement 0 has no 'id'"),
        ({"id": "", "match_kind": "general"}, "'id' is not a non-empty text"),
        ({"id": 7, "match_kind": "general"}, "'id' is not a non-empty text"),
        ({"id": "Mine"}, "'Mine' has no 'match_kind'"),
        ({"id": "Mine", "match_kind": "name"}, "'match_kind' is not one of scope, points, general"),
        ({"id": "Mine", "match_kind": "scope"}, "has no 'instances'"),
        (SCOPE | {"instances": []}, "'instances' is not a list of regular expressions"),
        (SCOPE | {"instances": "a"}, "'instances' is not a list of regular expressions"),
        (SCOPE | {"instances": ["(a"]}, "'(a' in 'instances' is not a regular expression"),
        (SCOPE | {"instance": ["a"]}, "unknown key 'instance'"),
        (SCOPE | {"include_inputs_to_sub_graph": True}, "unknown key 'include_inputs_to_sub_graph'"),
        (SCOPE | {"inputs": [{"node": "a", "port": 0}]}, "'inputs' is not a list of lists"),
        (SCOPE | {"inputs": [[]]}, "'inputs' is not a list of lists"),
        (SCOPE | {"outputs": [{"node": "a"}]}, "'outputs' is not made of objects with node"),
        (SCOPE | {"outputs": [{"node": "a", "port": -1}]}, "'outputs' is not made of objects with node"),
        (SCOPE | {"outputs": [{"node": 3, "port": 0}]}, "'outputs' is not made of objects with node"),
        (SCOPE | {"outputs": [{"node": "[", "port": 0}]}, "'[' in 'outputs' is not a regular expression"),
        (SCOPE | {"custom_attributes": []}, "'custom_attributes' is not an object"),
        (SCOPE | {"op": 3}, "'op' is not a text"),
        (POINTS | {"instances": ["a"]}, "'instances' is not an object with the lists start_points"),
        (POINTS | {"instances": {"start_points": ["a"]}}, "'instances' is not an object with the lists"),
        (
            POINTS | {"instances": {"start_points": [], "end_points": ["b"]}},
            "'instances' is not an object with the lists",
        ),
        (POINTS | {"include_outputs_to_sub_graph": 1}, "is not true or false"),
        ({"id": "Mine", "match_kind": "general", "instances": ["a"]}, "unknown key 'instances'"),
    ],
)
def test_an_entry_that_is_wrong(tmp_path: Path, entry: object, said: str) -> None:
    with raises_error("replacement-file", "config.json", said):
        read(tmp_path, entry)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    with raises_error("file-unreadable", "config.json"):
        read_descriptions(path)
    for text, said in (
        ("{", "not JSON"),
        ("{}", "no list"),
        ("[" * 100_000, "not JSON"),
        ("\udcff", "not JSON"),
    ):
        path.write_text(text, errors="surrogateescape")
        with raises_error("replacement-file", "config.json", said):
            read_descriptions(path)
