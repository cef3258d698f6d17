"""Replacements that JSON files describe, and those that were read.

A replacement is of nodes in a scope, between points, or of the whole graph ('general').
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import attribute_not_covered
from loomir.tools.model_optimizer.mo.context import conversion_state
from loomir.tools.model_optimizer.mo.graph.graph import Graph
from loomir.tools.model_optimizer.mo.graph.traversal import (
    nodes_matching_name_pattern,
    sub_graph_between_nodes,
)


class CustomReplacementDescriptor:
    """One replacement of a file, with its attributes as fields.

    `match_kind` determines the class of the replacement.
    """

    registered_types: dict[str, type[CustomReplacementDescriptor]] = {}

    replacement_id: str
    custom_attributes: dict[str, Any]
    _replacement_desc: dict[str, Any]

    def __init__(self, replacement_id: str, attrs: dict[str, Any] | None = None) -> None:
        attributes = dict(attrs or {})
        custom = attributes.setdefault("custom_attributes", {})
        vars(self).update(
            replacement_id=replacement_id, custom_attributes=custom, _replacement_desc=attributes
        )

    def __getattr__(self, name: str) -> Any:
        """Errors: `mo-api-not-covered` for what the file does not say."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._replacement_desc:
            raise attribute_not_covered(f"The replacement '{self.replacement_id}'", name)
        return self._replacement_desc[name]

    def __setattr__(self, name: str, value: Any) -> None:
        """Changes what is there. Errors: `mo-api-not-covered` for what is not."""
        if name not in self._replacement_desc:
            raise attribute_not_covered(f"The replacement '{self.replacement_id}'", name)
        self._replacement_desc[name] = value

    def has(self, attr: str) -> bool:
        return attr in self._replacement_desc

    @classmethod
    def register_type(cls, match_kind: str, class_type: type[CustomReplacementDescriptor]) -> None:
        cls.registered_types.setdefault(match_kind, class_type)

    @classmethod
    def create_instance(
        cls, match_kind: str, replacement_id: str, attrs: dict[str, Any] | None = None
    ) -> CustomReplacementDescriptor:
        """Errors: `mo-replacement-file` for a kind that is not known."""
        if match_kind not in cls.registered_types:
            known = ", ".join(cls.registered_types)
            raise Error("mo-replacement-file", f"there is no match_kind '{match_kind}', only {known}")
        return cls.registered_types[match_kind](replacement_id, attrs)

    def sub_graph_instances(self) -> list[Any]:
        """Return the descriptions of sub-graphs to search for.

        Errors: `mo-api-not-covered` for a kind that has no search.
        """
        raise attribute_not_covered(type(self).__name__, "sub_graph_instances")

    def get_config_file_representation(self) -> dict[str, Any]:
        """Return the replacement in the form of a file."""
        names = ("match_kind", "instances", "inputs", "outputs", "custom_attributes", "id", "op")
        return {name: self._replacement_desc[name] for name in names if self.has(name)}

    def get_inputs_description(self) -> list[list[tuple[str, int]]] | None:
        """Return patterns and ports of the reading nodes for each input.

        The nodes are those of the sub-graph that read the input. Returns None if the file does not specify inputs.
        """
        if not self.has("inputs"):
            return None
        return [
            [(each["node"], each["port"]) for each in entry] for entry in self._replacement_desc["inputs"]
        ]

    def get_outputs_description(self) -> list[tuple[str, int]] | None:
        """Return pattern and port of the producing node for each output.

        Returns None if the file does not specify outputs.
        """
        if not self.has("outputs"):
            return None
        return [(each["node"], each["port"]) for each in self._replacement_desc["outputs"]]

    def update_custom_replacement_attributes(self, graph: Graph) -> None:
        """Add inputs and outputs from the graph that the file omits."""
        raise attribute_not_covered(type(self).__name__, "update_custom_replacement_attributes")

    def validate_data(self) -> list[str]:
        """Return the list of errors in the description."""
        wrong = [f"'{name}' is missing" for name in ("id", "match_kind") if not self.has(name)]
        if not self._replacement_desc.get("instances"):
            wrong.append("'instances' is missing or empty")
        return wrong

    def _describe(self, graph: Graph, nodes: Iterable[Any], pattern_of: Callable[[Any], str]) -> None:
        """Add inputs and outputs of a sub-graph that the file omits.

        The sub-graph is that of `nodes`.
        """
        inside = set(nodes)
        inputs: dict[Any, list[dict[str, Any]]] = {}
        outputs: dict[Any, None] = {}
        for source, target, edge in graph.edges(data=True):
            if source not in inside and target in inside:
                entry = {"node": pattern_of(target), "port": edge["in"]}
                inputs.setdefault((source, edge["out"]), []).append(entry)
            elif source in inside and target not in inside:
                outputs[pattern_of(source), edge["out"]] = None
        for node in inside:
            if not graph.succ[node] and graph.node[node].get("op") != "Const":
                outputs[pattern_of(node), 0] = None
        if not self._replacement_desc.get("inputs"):

            def key(entry: list[dict[str, Any]]) -> list[tuple[str, int]]:
                return [(each["node"], each["port"]) for each in entry]

            self._replacement_desc["inputs"] = sorted(inputs.values(), key=key)
        if not self._replacement_desc.get("outputs"):
            found = [{"node": node, "port": port} for node, port in sorted(outputs)]
            self._replacement_desc["outputs"] = found


class CustomReplacementDescriptorPoints(CustomReplacementDescriptor):
    """Replacement of the nodes between `start_points` and `end_points`.

    Both kinds of points are included unless the file specifies otherwise.
    """

    def __init__(self, replacement_id: str, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(replacement_id, attrs)
        for name in ("include_inputs_to_sub_graph", "include_outputs_to_sub_graph"):
            self._replacement_desc.setdefault(name, True)

    def get_config_file_representation(self) -> dict[str, Any]:
        own = super().get_config_file_representation()
        names = ("include_inputs_to_sub_graph", "include_outputs_to_sub_graph")
        kept = {name: value for name, value in own.items() if name not in ("inputs", "outputs")}
        return {**kept, **{name: bool(self._replacement_desc[name]) for name in names}}

    def get_inputs_description(self) -> list[list[tuple[str, int]]]:
        return [[(exactly(node), 0)] for node in self.instances["start_points"]]

    def get_outputs_description(self) -> list[tuple[str, int]]:
        return [(exactly(node), 0) for node in self.instances["end_points"]]

    def get_internal_input_nodes(self, graph: Graph) -> list[Any]:
        """Return the nodes at which the sub-graph begins.

        They are the start points or, if these are excluded, their successors.
        """
        points = self.instances["start_points"]
        if self.include_inputs_to_sub_graph:
            return list(points)
        return list(
            dict.fromkeys(target for point in points if point in graph for target in graph.succ[point])
        )

    def get_internal_output_nodes(self, graph: Graph) -> list[Any]:
        """Return the nodes at which the sub-graph ends.

        They are the end points or, if these are excluded, their predecessors.
        """
        points = self.instances["end_points"]
        if self.include_outputs_to_sub_graph:
            return list(points)
        return list(
            dict.fromkeys(source for point in points if point in graph for source in graph.pred[point])
        )

    def update_custom_replacement_attributes(self, graph: Graph) -> None:
        """Errors: `mo-replacement-file` if `instances` is not one dictionary, `mo-sub-graph`."""
        if not isinstance(self._replacement_desc.get("instances"), dict):
            raise Error(
                "mo-replacement-file", f"'instances' of '{self.replacement_id}' is not one dictionary"
            )
        starts, ends = self.get_internal_input_nodes(graph), self.get_internal_output_nodes(graph)
        nodes = sub_graph_between_nodes(graph, starts, ends, include_control_flow=False)
        self._describe(graph, nodes, exactly)

    def sub_graph_instances(self) -> list[Any]:
        return [self.instances]


class CustomReplacementDescriptorScope(CustomReplacementDescriptor):
    """Replacement of the nodes in a scope.

    The beginning of their names matches one of the regular expressions in `instances`.
    """

    def update_custom_replacement_attributes(self, graph: Graph) -> None:
        """Add omitted inputs and outputs according to the first instance.

        Errors: `mo-replacement-file` if there is none, or a node cannot be distinguished from others.
        """
        if not self._replacement_desc.get("instances"):
            raise Error("mo-replacement-file", f"'{self.replacement_id}' has no 'instances'")
        pattern = self.instances[0]
        nodes = nodes_matching_name_pattern(graph, pattern)
        self._describe(graph, nodes, lambda node: generate_pattern_for_node(graph, pattern, node))

    def sub_graph_instances(self) -> list[Any]:
        return self.instances


class CustomReplacementDescriptorGeneral(CustomReplacementDescriptor):
    """No sub-graph: only attributes for a transformation."""

    def validate_data(self) -> list[str]:
        return [f"'{name}' is missing" for name in ("id", "match_kind") if not self.has(name)]


CustomReplacementDescriptor.register_type("points", CustomReplacementDescriptorPoints)
CustomReplacementDescriptor.register_type("scope", CustomReplacementDescriptorScope)
CustomReplacementDescriptor.register_type("general", CustomReplacementDescriptorGeneral)


def exactly(name: Any) -> str:
    """The regular expression for one name, as files have it."""
    return f"^{name}$"


def parse_custom_replacement_config_file(file_name: str) -> list[CustomReplacementDescriptor]:
    """The replacements of a file, in its order. Errors: `mo-replacement-file`."""
    result: list[CustomReplacementDescriptor] = []
    for attributes in load_and_validate_json_config(file_name):
        missing = [name for name in ("id", "match_kind") if name not in attributes]
        if missing:
            raise Error("mo-replacement-file", f"a replacement has no '{missing[0]}'", file=str(file_name))
        descriptor = CustomReplacementDescriptor.create_instance(
            attributes["match_kind"], attributes["id"], attributes
        )
        wrong = descriptor.validate_data()
        if wrong:
            what = f"'{attributes['id']}': {', '.join(wrong)}"
            raise Error("mo-replacement-file", what, file=str(file_name))
        result.append(descriptor)
    return result


def load_and_validate_json_config(config_file_name: str) -> list[dict[str, Any]]:
    """Load a list of dictionaries from a JSON file.

    Errors: `mo-replacement-file` if the file cannot be read or holds something else.
    """
    try:
        content = json.loads(Path(config_file_name).read_text())
    except (OSError, ValueError) as error:
        what = f"the replacements cannot be read: {error}"
        raise Error("mo-replacement-file", what, file=str(config_file_name)) from None
    if not isinstance(content, list) or not all(isinstance(each, dict) for each in content):
        what = "replacements are a list of JSON objects with 'id' and 'match_kind'"
        raise Error("mo-replacement-file", what, file=str(config_file_name))
    return content


def generate_pattern_for_node(graph: Graph, sub_graph_pattern: str, node_name: str) -> str:
    """Return the regular expression that distinguishes a node within a scope.

    It is the part of the node's name behind the match of the scope's pattern.

    Errors: `mo-replacement-file` if the node is not in the scope or there is another such node.
    """
    if not sub_graph_pattern:
        return node_name
    parts = node_name.split("/")
    scope = re.compile(sub_graph_pattern)
    depth = next((i for i in range(len(parts)) if scope.match("/".join([*parts[: i + 1], ""]))), None)
    if depth is not None:
        suffix = "/".join(parts[depth + 1 :]) + "$"
        whole = re.compile(f"{sub_graph_pattern.rstrip('/')}/{suffix}")
        if sum(1 for node in graph.nodes() if whole.match(str(node))) == 1:
            return suffix
    raise Error(
        "mo-replacement-file", f"no pattern tells '{node_name}' from others in scope '{sub_graph_pattern}'"
    )


log = logging.getLogger(__name__)


class CustomReplacementRegistry:
    """Registry of custom replacements, shared within a conversion.

    Each object of the class has the same `registry`, which maps an id to a list of descriptions.
    """

    @property
    def registry(self) -> dict[str, list[CustomReplacementDescriptor]]:
        return conversion_state().replacements

    def add_custom_replacement_description_from_config(self, file_name: str) -> None:
        """Adds what the file says. Errors: `mo-replacement-file`."""
        for descriptor in parse_custom_replacement_config_file(file_name):
            self.registry.setdefault(descriptor.id, []).append(descriptor)

    def get_custom_replacement_description(
        self, replacement_id: str
    ) -> list[CustomReplacementDescriptor] | None:
        if replacement_id not in self.registry:
            log.warning("no configuration file describes '%s'", replacement_id)
        return self.registry.get(replacement_id)

    def get_all_replacements_descriptions(self) -> list[CustomReplacementDescriptor]:
        return [descriptor for descriptors in self.registry.values() for descriptor in descriptors]
