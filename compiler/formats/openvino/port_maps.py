"""Port maps and back edges of Loop, TensorIterator and If.

They are read into typed entries and checked before anything is imported.

The rules are those of the specifications of Loop-5, TensorIterator-1 and If-8. Where these are silent, the practice of
IR writers decides:

- an input's `external_port_id` is the *position* of the `<port>`, which writers also use as its id;
- outputs' ids are those of the layer's `<port>`s, or count the outputs from 0, as in the specification of If-8;
- an output with the id -1 and no purpose goes nowhere; the Model Optimizer leaves Results of loops that no entry names;
- `start`, `end`, `stride` and `part_size` count only beside an `axis` (`files` warns of others).

The one Parameter of a Loop without a source, whether no entry names it or one with the id -1 and no purpose, is the
iteration number, according to Loop-5. `scope` defines how outputs are joined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from loomir.compiler.formats.openvino.files import children, element_text, integer_of, line_of
from loomir.compiler.formats.openvino.network import Layer, Network, declared_element, declared_shape
from loomir.compiler.formats.openvino.scope import Join, read_join
from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.facts import Dim
from loomir.errors import Error

UNCONNECTED = -1
"""The `external_port_id` of what is not connected to the layer."""

ITERATION, CONDITION = "current_iteration", "execution_condition"
"""Allowed `purpose` of an input and of an output of a Loop."""

_PURPOSES = {"input": ITERATION, "output": CONDITION}
_BODY_TYPES = {"input": "Parameter", "output": "Result"}


@dataclass(frozen=True)
class PortMapEntry:
    """`<input>` or `<output>` of a port map.

    `inner` is the body's Parameter or Result, `text` the element, in a line of the file.
    """

    text: str
    line: int
    external: int
    inner: Layer
    slicing: Slicing | None
    """How an input is cut."""
    join: Join | None
    """How an output is joined."""
    purpose: str | None

    @property
    def has_axis(self) -> bool:
        return self.slicing is not None or self.join is not None


@dataclass(frozen=True)
class Input:
    """Source of a body's Parameter: the layer's input at a position.

    With `slicing` it is a part of that input.
    """

    parameter: Layer
    position: int
    slicing: Slicing | None = None


@dataclass(frozen=True)
class MergedInput:
    """Parameter with a back edge.

    Its initial value is the layer's input at a position, every later one the previous value of `result`.
    """

    parameter: Layer
    position: int
    result: Layer


@dataclass(frozen=True)
class Output:
    """Output port: the last value of a body's Result.

    With `join` it is the joined values of all iterations.
    """

    result: Layer
    join: Join | None


@dataclass(frozen=True)
class LoopPorts:
    """Roles of a loop body's Parameters, and the loop's outputs.

    Each Parameter is the `iteration` number or in one of three lists; `outputs` are in the ports' order.
    """

    carried: list[MergedInput]
    sliced: list[Input]
    invariant: list[Input]
    iteration: Layer | None
    condition: Layer | None
    outputs: list[Output]


@dataclass(frozen=True)
class BranchPorts:
    """Sources of a branch's Parameters, and Results of its output ports."""

    inputs: list[Input]
    outputs: list[Layer]


def section(layer: Layer, tag: str) -> etree._Element:
    """Return the only child of the layer's element with this tag.

    Error: `ir-structure` if there is not exactly one.
    """
    found = layer.element.findall(tag)
    if len(found) != 1:
        what = f"<{tag}> is missing" if not found else f"there are {len(found)} <{tag}>"
        raise Error("ir-structure", what, hint=f"a {layer.type} has one <{tag}>")
    return found[0]


def read_loop_ports(layer: Layer, body: Network) -> LoopPorts:
    """Read the port map and back edges of a Loop or TensorIterator.

    Errors: `port-map`, `ir-structure`, `loop-scalar`.
    """
    entries = _entries(layer, "port_map", "body", body)
    back = _back_edges(layer, body)
    iteration = _iteration(layer, entries, back)
    condition = None
    carried: list[MergedInput] = []
    sliced: list[Input] = []
    invariant: list[Input] = []
    for entry in entries.inputs:
        result = back.get(entry.inner.id)
        if result is not None and (entry.slicing is not None or entry.purpose is not None):
            what = "a part of an input" if entry.purpose is None else "the iteration number"
            raise _wrong(
                f"a back edge enters Parameter '{entry.inner.name}', which is {what} by {entry.text}",
                "where a back edge enters, the entry gives the first value: external_port_id and internal_layer_id alone",
            ).at(line=entry.line)
        if entry.inner is iteration:
            continue
        if result is not None:
            carried.append(MergedInput(entry.inner, entry.external, result))
        else:
            place = Input(entry.inner, entry.external, entry.slicing)
            (invariant if entry.slicing is None else sliced).append(place)
    for entry in entries.outputs:
        if entry.purpose is not None:
            condition = entry.inner
    if layer.type == "Loop" and condition is None:
        raise _wrong(
            f"no output of the port map has purpose='{CONDITION}'",
            f'write <output external_port_id="-1" internal_layer_id="…" purpose="{CONDITION}"/> with the id of the '
            "Result that says whether there is another iteration",
        )
    if layer.type == "TensorIterator" and not sliced:
        raise _wrong(
            "no input of the TensorIterator has an axis: its number of iterations is unknown",
            'write axis="…" in the <input> that is iterated over, or make the layer a Loop with a trip count',
        )
    connected = [e for e in entries.outputs if e.external != UNCONNECTED]
    return LoopPorts(
        carried,
        sliced,
        invariant,
        iteration,
        condition,
        [Output(e.inner, e.join) for e in _in_port_order(layer, connected, "port_map")],
    )


def read_branch_ports(layer: Layer, body: Network, name: str) -> BranchPorts:
    """Read the port map of an If's branch, `then` or `else`.

    Errors: `port-map`, `if-outputs`, `ir-structure`.
    """
    tag, body_tag = f"{name}_port_map", f"{name}_body"
    entries = _entries(layer, tag, body_tag, body)
    for parameter, what in entries.unfed:
        raise _unfed(layer, what, parameter)
    outputs = entries.outputs
    if len(outputs) < len(layer.outputs):
        raise Error(
            "if-outputs",
            f"{body_tag} gives {len(outputs)} outputs, the If has {len(layer.outputs)}",
            hint=f"write an <output> of {tag} for each output port",
        )
    ordered = _in_port_order(layer, outputs, tag)
    seen: dict[int, PortMapEntry] = {}
    for entry in outputs:
        first = seen.setdefault(entry.inner.id, entry)
        if first is not entry:
            raise _wrong(
                f"{first.text} and {entry.text} of {tag} map the same Result '{entry.inner.name}'",
                "give each output a Result of its own",
            )
    for result in body.of_type("Result"):
        if result.id not in seen:
            raise _wrong(
                f"Result '{result.name}' of {body_tag} is not in {tag}",
                f'write <output external_port_id="…" internal_layer_id="{result.id}"/> for an output port, or remove it',
            )
    return BranchPorts([Input(e.inner, e.external) for e in entries.inputs], [e.inner for e in ordered])


def _wrong(what: str, hint: str) -> Error:
    return Error("port-map", what, hint=hint)


# -- entries


@dataclass(frozen=True)
class _Entries:
    """Entries of a port map.

    `unfed` are the Parameters that are none of its inputs, each with the reason.
    """

    inputs: list[PortMapEntry]
    outputs: list[PortMapEntry]
    unfed: list[tuple[Layer, str]]


def _entries(layer: Layer, tag: str, body_tag: str, body: Network) -> _Entries:
    """Return the inputs and outputs of a port map.

    Each Parameter of the body and each purpose has at most one entry.
    """
    found: dict[str, list[PortMapEntry]] = {"input": [], "output": []}
    for element in children(section(layer, tag), found):
        kind = str(element.tag)
        try:
            entry = _entry(
                element, _body_layer(element, "internal_layer_id", body, body_tag, _BODY_TYPES[kind])
            )
            (_check_purpose if entry.purpose is not None else _check_plain)(layer, kind, entry)
        except Error as error:
            raise error.at(line=line_of(element)) from None
        same = next((e for e in found[kind] if e.purpose is not None and e.purpose == entry.purpose), None)
        if same is not None:
            raise _wrong(
                f"two entries have purpose='{entry.purpose}': {same.text} and {entry.text}",
                "write one of them",
            ).at(line=entry.line)
        found[kind].append(entry)
    mapped: dict[int, PortMapEntry] = {}
    for entry in found["input"]:
        first = mapped.setdefault(entry.inner.id, entry)
        if first is not entry:
            raise _wrong(
                f"{first.text} and {entry.text} map the same Parameter '{entry.inner.name}'",
                "write one of them, or give the second one a Parameter of its own",
            ).at(line=entry.line)
    unfed: list[tuple[Layer, str]] = []
    for parameter in body.of_type("Parameter"):
        entry = mapped.get(parameter.id)
        if entry is None:
            unfed.append((parameter, f"Parameter '{parameter.name}' of {body_tag} is not in {tag}"))
        elif _leads_nowhere(layer, entry):
            unfed.append((parameter, f"{entry.text}: nothing feeds Parameter '{parameter.name}'"))
    return _Entries([e for e in found["input"] if not _leads_nowhere(layer, e)], found["output"], unfed)


def _leads_nowhere(layer: Layer, entry: PortMapEntry) -> bool:
    return layer.type != "If" and entry.external == UNCONNECTED and entry.purpose is None


def _entry(element: etree._Element, inner: Layer) -> PortMapEntry:
    slicing = join = None
    if element.tag == "output":
        join = read_join(element)
    elif element.get("axis") is not None:
        slicing = Slicing(
            integer_of(element, "axis"),
            integer_of(element, "start", 0),
            integer_of(element, "end", -1),
            integer_of(element, "stride", 1),
            integer_of(element, "part_size", 1),
        )
    external = integer_of(element, "external_port_id")
    return PortMapEntry(
        element_text(element), line_of(element), external, inner, slicing, join, element.get("purpose")
    )


def _body_layer(element: etree._Element, attribute: str, body: Network, body_tag: str, kind: str) -> Layer:
    identifier = integer_of(element, attribute)
    found = body.layers.get(identifier)
    if found is not None and found.type == kind:
        return found
    is_ = "does not exist" if found is None else f"is '{found.name}', a {found.type}"
    known = [f"{layer.id} ('{layer.name}')" for layer in body.of_type(kind)[:8]]
    raise _wrong(
        f"{element_text(element)}: layer {identifier} of {body_tag} {is_}",
        f"write the id of a {kind} of {body_tag}: {', '.join(known) or 'there is none'}",
    )


def _check_purpose(layer: Layer, kind: str, entry: PortMapEntry) -> None:
    expected = _PURPOSES[kind]
    if layer.type != "Loop":
        raise _wrong(f"{entry.text} has a purpose, which only a Loop's entries have", "remove it")
    if entry.purpose != expected:
        raise _wrong(
            f"{entry.text}: an <{kind}> has no purpose '{entry.purpose}'", f'purpose="{expected}" is there'
        )
    if entry.external != UNCONNECTED:
        raise _wrong(
            f"{entry.text}: with a purpose the {_BODY_TYPES[kind]} is not connected to a port of the Loop",
            'write external_port_id="-1"; a value that is an output too has a second <output>'
            if kind == "output"
            else 'write external_port_id="-1", or remove the purpose',
        )
    if entry.has_axis:
        raise _wrong(f"{entry.text}: the {expected} has no axis", "remove the axis")


def _check_plain(layer: Layer, kind: str, entry: PortMapEntry) -> None:
    if layer.type == "If" and entry.has_axis:
        raise _wrong(f"{entry.text}: a branch has no axis", "remove the axis: an If neither cuts nor joins")
    if entry.external == UNCONNECTED and layer.type != "If":
        if entry.has_axis:
            what = "comes from no input" if kind == "input" else "goes to no output"
            raise _wrong(f"{entry.text}: an entry that {what} has no axis", "remove the axis, or name a port")
        return
    if kind == "input" and not 0 <= entry.external < len(layer.inputs):
        raise _wrong(
            f"{entry.text}: external_port_id {entry.external} is not an input (there are {len(layer.inputs)})",
            f"write the position of the input port, 0 to {len(layer.inputs) - 1}",
        )


def _unfed(layer: Layer, what: str, parameter: Layer) -> Error:
    hint = f'write <input external_port_id="…" internal_layer_id="{parameter.id}"/> with the position of the input port'
    if layer.type == "Loop":
        hint += f', or for the iteration number external_port_id="-1" and purpose="{ITERATION}"'
    return _wrong(what, hint)


def _in_port_order(layer: Layer, entries: list[PortMapEntry], tag: str) -> list[PortMapEntry]:
    """Return the entries in the order of the output ports.

    There is one for each port. The entries name all ports by their ids, or all by their positions. Error: `port-map`.
    """
    ports, places = layer.outputs, list(range(len(layer.outputs)))
    by_id: dict[int, PortMapEntry] = {}
    for entry in entries:
        first = by_id.setdefault(entry.external, entry)
        if first is not entry:
            raise _wrong(
                f"{first.text} and {entry.text} of {tag} name the same output port",
                f"write each of the ids {_listed(ports)} once",
            )
    for named in (ports, places):
        if by_id.keys() == set(named):
            return [by_id[identifier] for identifier in named]
    stranger = next((e for e in entries if e.external not in ports), None)
    missing = [p for p in ports if p not in by_id]
    what = (
        f"output port {missing[0]} is not in {tag}"
        if stranger is None
        else f"{stranger.text} of {tag} names no output port"
    )
    raise _wrong(what, f"write each of the ids {_listed(ports)} once")


def _listed(ports: list[int]) -> str:
    return ", ".join(map(str, ports[:8])) + (" …" if len(ports) > 8 else "")


# -- the iteration number, back edges


def _iteration(layer: Layer, entries: _Entries, back: Mapping[int, Layer]) -> Layer | None:
    """Return the Parameter that is the iteration number, or None.

    It has this purpose, or is the only Parameter of a Loop without a source.

    Errors: `port-map`, `loop-scalar`.
    """
    marked = next((e.inner for e in entries.inputs if e.purpose is not None), None)
    unfed = entries.unfed
    if unfed and (layer.type != "Loop" or marked is not None or len(unfed) > 1 or unfed[0][0].id in back):
        parameter, what = next((u for u in unfed if u[0].id in back), unfed[0])
        if layer.type == "Loop" and marked is None and len(unfed) > 1:
            what = f"{what}, and nothing feeds '{next(p.name for p, _ in unfed if p is not parameter)}'"
        raise _unfed(layer, what, parameter)
    found = unfed[0][0] if unfed else marked
    if found is not None:
        _check_iteration(found)
    return found


def _check_iteration(parameter: Layer) -> None:
    """Check the declared type of `current_iteration`.

    It must be i32 or i64, and a scalar or one element. Error: `loop-scalar`.
    """
    element, shape = declared_element(parameter), declared_shape(parameter)
    if element in (i32, i64) and (not shape or (len(shape) == 1 and shape[0].meet(Dim(1, 1)) is not None)):
        return
    extents = "" if shape is None else f" of shape [{','.join(map(str, shape))}]"
    raise Error(
        "loop-scalar",
        f"the {ITERATION} must be i32 or i64 and a scalar or one element: Parameter '{parameter.name}' is {element}{extents}",
        hint=f'write element_type="i64" shape="" in the <data> of layer {parameter.id} of the body',
    )


def _back_edges(layer: Layer, body: Network) -> dict[int, Layer]:
    """Return the Results at the sources of back edges, by Parameter id.

    Each Result is the next value of the Parameter that its back edge enters.
    """
    back: dict[int, Layer] = {}
    if layer.element.find("back_edges") is None:
        return back
    for edge in children(section(layer, "back_edges"), ("edge",)):
        source = _body_layer(edge, "from-layer", body, "body", "Result")
        target = _body_layer(edge, "to-layer", body, "body", "Parameter")
        if target.id in back:
            raise _wrong(
                f"{element_text(edge)}: a second back edge enters Parameter '{target.name}'",
                "write one of them",
            )
        back[target.id] = source
    return back
