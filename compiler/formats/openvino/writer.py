"""`save_openvino`: a GRAPH program as a pair of files, `.xml` and `.bin`.

The whole net comes from the function `main`: the operations of a block become the layers of a net or body.

Loops and branches become Loop, TensorIterator and If, with their inputs, bodies, port maps and back edges. A value that a body
captures is an input and a Parameter of the body, through all levels. The writer relies on `convert-ov-to-openvino`: a loop has
a trip count, a condition, and a condition of its body, or none of the three (a TensorIterator); axes count from the front. The
conventions are those of the files that OpenVINO writes: the external ports of outputs continue the numbering of the inputs, and
the layers of bodies are referenced by their ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import etree
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from loomir.compiler.files import write_together
from loomir.compiler.formats.openvino.files import WeightsWriter, model_info
from loomir.compiler.formats.openvino.layers import NetworkBuilder, Shared, fact_of_port, label, representable
from loomir.compiler.formats.openvino.reader import MAX_NESTING
from loomir.compiler.formats.openvino.state import Variables
from loomir.compiler.options import flag
from loomir.compiler.pipeline import run_passes
from loomir.dialects.diagnostics import layer_name, located, tensor_names
from loomir.dialects.element_types import f16, f32
from loomir.dialects.interface import MODEL_INFO, Entry, arguments_of, main_function, results_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layers.attributes import PlainLayer
from loomir.dialects.ov.layers.conversion import written
from loomir.dialects.ov.layers.format import ATTRIBUTE, ELEMENT, tail
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.dialects.region_flow import captured
from loomir.errors import Error, file_unwritable, shown
from loomir.passes.graph.convert_ov_to_openvino import ConvertOvToOpenvinoPass
from loomir.passes.graph.convert_ov_to_openvino.checks import CHECKS
from loomir.passes.graph.convert_ovseq_to_ov import ConvertOvseqToOvPass
from loomir.passes.graph.convert_unranked_to_flat import ConvertUnrankedToFlatPass
from loomir.passes.graph.ov_compress_constants import OvCompressConstantsPass
from loomir.passes.graph.ov_fold_constants import OvFoldConstantsPass
from loomir.passes.graph.ov_if_resolve_ranks import OvIfResolveRanksPass
from loomir.passes.graph.ov_infer import OvInferPass
from loomir.passes.graph.ov_remove_unneeded import OvRemoveUnneededPass
from loomir.passes.graph.ov_suit_openvino_2026 import OvSuitOpenvino2026Pass

Tensors = Sequence[Sequence[str]]


def write_loop(network: NetworkBuilder, op: Operation, name: str, tensors: Tensors) -> None:
    """Write `ov.loop` as Loop-5 or TensorIterator-1.

    It is TensorIterator-1 if only the slices count the iterations. Error: `not-in-openvino`.
    """
    assert isinstance(op, LoopOp)
    control = [v for v in (op.trip, op.cond, op.next.cond) if v is not None]
    if len(control) not in (0, 3):
        raise Error("not-in-openvino", "a loop needs a trip count and conditions, or none of them")
    free = captured(op, network.shared.captures)
    inputs = [*control[:2], *op.carried, *op.sliced, *free]
    plain = PlainLayer("Loop", "opset5", {}) if control else PlainLayer("TensorIterator", "opset1", {})
    element = network.layer(plain, name, inputs, op.results, tensors)
    port_map = etree.SubElement(element, "port_map")
    back_edges = etree.SubElement(element, "back_edges")
    body = etree.SubElement(element, "body")
    _LoopBody(op, network.nested(body), port_map, back_edges).write(free, len(control[:2]), len(inputs))


class _LoopBody:
    def __init__(
        self, op: LoopOp, inner: NetworkBuilder, port_map: etree._Element, back_edges: etree._Element
    ) -> None:
        self._op = op
        self._inner = inner
        self._port_map = port_map
        self._back_edges = back_edges

    def write(self, free: Sequence[SSAValue], first: int, inputs: int) -> None:
        op, inner = self._op, self._inner
        if op.iteration.first_use is not None:
            identifier = inner.parameter(op.iteration, "iteration")
            self._entry("input", -1, identifier, purpose="current_iteration")
        port = first
        carried: list[int] = []
        for index, argument in enumerate(op.carried_arguments):
            carried.append(inner.parameter(argument, f"carried_{index}"))
            self._entry("input", port, carried[-1])
            port += 1
        for index, (argument, slicing) in enumerate(zip(op.part_arguments, op.slicings)):
            identifier = inner.parameter(argument, f"part_{index}")
            self._entry("input", port, identifier, slicing)
            port += 1
        for value in free:
            self._entry("input", port, parameter_of(inner, value))
            port += 1
        inner.operations(op.body.block)
        self._results(carried, inputs)

    def _results(self, carried: Sequence[int], port: int) -> None:
        op, inner, end = self._op, self._inner, self._op.next
        if end.cond is not None:
            self._entry("output", -1, inner.result(end.cond, "condition"), purpose="execution_condition")
        for index, (value, parameter) in enumerate(zip(end.carried, carried)):
            identifier = inner.result(value, f"next_{index}")
            self._entry("output", port, identifier)
            ends = {"from-layer": str(identifier), "to-layer": str(parameter)}
            etree.SubElement(self._back_edges, "edge", ends)
            port += 1
        for index, value in enumerate(end.last):
            self._entry("output", port, inner.result(value, f"last_{index}"))
            port += 1
        for index, (value, slicing) in enumerate(zip(end.concat, op.concatenations)):
            self._entry("output", port, inner.result(value, f"concat_{index}"), slicing)
            port += 1

    def _entry(
        self, tag: str, port: int, layer: int, slicing: Slicing | None = None, *, purpose: str | None = None
    ) -> None:
        entry = etree.SubElement(
            self._port_map, tag, external_port_id=str(port), internal_layer_id=str(layer)
        )
        if slicing is not None:
            for key in ("axis", "start", "end", "stride", "part_size"):
                entry.set(key, str(getattr(slicing, key)))
        if purpose is not None:
            entry.set("purpose", purpose)


def write_if(network: NetworkBuilder, op: Operation, name: str, tensors: Tensors) -> None:
    """`ov.if` as If-8."""
    assert isinstance(op, IfOp)
    free = captured(op, network.shared.captures)
    inputs = [op.cond, *free]
    element = network.layer(PlainLayer("If", "opset8", {}), name, inputs, op.results, tensors)
    ports = {value: port for port, value in enumerate(free, start=1)}
    for branch, region in (("then", op.then_region), ("else", op.else_region)):
        port_map = etree.SubElement(element, f"{branch}_port_map")
        body = etree.SubElement(element, f"{branch}_body")
        _write_branch(network.nested(body), region.block, port_map, ports, len(inputs))


def _write_branch(
    inner: NetworkBuilder, block: Block, port_map: etree._Element, ports: Mapping[SSAValue, int], outputs: int
) -> None:
    end = block.last_op
    assert end is not None
    for value in read_by(block, inner):
        if value in ports:
            etree.SubElement(
                port_map, "input",
                external_port_id=str(ports[value]), internal_layer_id=str(parameter_of(inner, value)),
            )  # fmt: skip
    inner.operations(block)
    for port, value in enumerate(end.operands, start=outputs):
        etree.SubElement(
            port_map, "output",
            external_port_id=str(port), internal_layer_id=str(inner.result(value, f"result_{port - outputs}")),
        )  # fmt: skip


def read_by(block: Block, inner: NetworkBuilder) -> list[SSAValue]:
    """Return the values that the operations of a block read.

    Each value appears once, in the order of its first read.
    """
    known = inner.shared.captures
    found: dict[SSAValue, None] = {}
    for op in block.ops:
        found.update(dict.fromkeys((*op.operands, *(captured(op, known) if op.regions else ()))))
    return list(found)


def parameter_of(inner: NetworkBuilder, value: SSAValue) -> int:
    """Add a Parameter to a body for a captured value.

    Within the body, the Parameter is that value.
    """
    return inner.parameter(value, "captured")


Writer = Callable[[NetworkBuilder, Operation, str, Tensors], None]

CONTROL_FLOW: Mapping[type[Operation], Writer] = {LoopOp: write_loop, IfOp: write_if}
"""Writer of each operation that has bodies."""


class NetworkWriter(NetworkBuilder):
    """Writer of one network at nesting depth `depth`.

    `depth` counts the bodies around the network; `variables` are those of the net.
    """

    def __init__(
        self, root: etree._Element, shared: Shared, variables: Variables | None = None, depth: int = 0
    ) -> None:
        super().__init__(root, shared)
        self._variables = variables
        self._depth = depth

    def nested(self, root: etree._Element) -> NetworkWriter:
        if self._depth == MAX_NESTING:
            raise Error("model-too-deep", f"bodies are nested more than {MAX_NESTING} deep")
        return NetworkWriter(root, self.shared, depth=self._depth + 1)

    def operations(self, block: Block) -> None:
        kept = {op: name for name, op in _main_operations(block).items() if self._names.keep(name)}
        for op in block.ops:
            if op.has_trait(IsTerminator):
                continue
            if op in kept:
                self._names.give_back(kept[op])
            try:
                self._operation(op)
            except Error as error:
                raise located(error, op) from None

    def _operation(self, op: Operation) -> None:
        name, tensors = layer_name(op) or op.name, tensor_names(op)
        if self._variables is not None and self._variables.write_read(self, op):
            return
        write = CONTROL_FLOW.get(type(op))
        if write is not None:
            write(self, op, name, tensors)
        elif isinstance(op, ConstantOp):
            self.constant(op, name, tensors)
        elif isinstance(op, CustomOp):
            if op.regions:
                raise Error("not-in-openvino", "a custom layer cannot have subgraphs")
            self.layer(PlainLayer(*op.key, op.data), name, op.operands, op.results, tensors)
        elif isinstance(op, OvOperation):
            element = self.layer(written(op), name, op.operands, op.results, tensors)
            if _is_decompression(op):
                holder = etree.SubElement(element, "rt_info")
                etree.SubElement(holder, "attribute", name="decompression", version="0")
        else:
            raise Error("not-in-openvino", f"no operation set of OpenVINO has {op.name}")


def _main_operations(block: Block) -> dict[str, Operation]:
    """Return the operation that inherits the name of each source layer.

    Among the operations that a layer was converted to, it is the loop or branch, or else the last one that is not a constant.
    """
    found: dict[str, Operation] = {}
    for op in block.ops:
        name = layer_name(op)
        if name is None or op.has_trait(IsTerminator):
            continue
        before = found.get(name)
        if before is None or _importance(op) >= _importance(before):
            found[name] = op
    return found


def _importance(op: Operation) -> tuple[bool, bool]:
    return bool(op.regions), not isinstance(op, ConstantOp)


def _is_decompression(op: OvOperation) -> bool:
    """Return True if the operation converts stored 16-bit weights to 32-bit floats.

    OpenVINO keeps such weights as they are stored.
    """
    return (
        isinstance(op, ConvertOp)
        and isinstance(op.data.owner, ConstantOp)
        and fact_of_port(op.data).element == f16
        and fact_of_port(op.output).element == f32
    )


IR_VERSION = "11"


@dataclass(frozen=True)
class Document:
    """Contents of the two files."""

    xml: bytes
    weights: WeightsWriter

    def pieces(self) -> Iterator[bytes | memoryview]:
        """The bytes of the `.bin`, in order."""
        yield from self.weights.pieces()
        yield tail(self.weights.digest())


def document_of(module: ModuleOp, name: str) -> Document:
    """The net of a module that `convert-ov-to-openvino` has prepared. Errors: `not-in-openvino`, `xml-syntax`."""
    function = main_function(module)
    root = etree.Element("net", name=label(name), version=IR_VERSION)
    shared, variables = Shared(), Variables(function)
    _write_main(function, NetworkWriter(root, shared, variables), variables)
    etree.SubElement(root, ELEMENT, {ATTRIBUTE: shared.weights.digest().hex()})
    info = etree.SubElement(root, "rt_info")
    etree.SubElement(info, "writer", value="loomir")
    said = module.attributes.get(MODEL_INFO)
    if isinstance(said, StringAttr):
        info.append(model_info(said.data))
    text = etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return Document(text, shared.weights)


def _write_main(function: FuncOp, network: NetworkWriter, variables: Variables) -> None:
    arguments, results = arguments_of(function), results_of(function)
    end = function.body.block.last_op
    assert end is not None
    names = _tensor_names(function, end, variables)
    for index, (argument, entry) in enumerate(zip(function.args, arguments)):
        if not variables.are_read(argument):
            own = [*map(representable, entry.names or [f"arg{index}"])]
            network.parameter(argument, own[0], names[argument], _bounded(fact_of_port(argument), entry))
    variables.write_reads(network)
    network.operations(function.body.block)
    variables.write_assigns(network)
    for index, (value, entry) in enumerate(zip(end.operands, results)):
        if not variables.are_assigned(index):
            own = [*map(representable, entry.names or [f"result{index}"])]
            network.result(value, f"{own[0]}/result", [*own, *(n for n in names[value] if n not in own)])


def _tensor_names(function: FuncOp, end: Operation, variables: Variables) -> Mapping[SSAValue, list[str]]:
    """Return the names of each argument and result of `main`.

    They are grouped by tensor, because a reader has one set of names per tensor.
    """
    found: dict[SSAValue, dict[str, None]] = {}
    for index, (argument, entry) in enumerate(zip(function.args, arguments_of(function))):
        if not variables.are_read(argument):
            found.setdefault(argument, {}).update(
                dict.fromkeys(map(representable, entry.names or [f"arg{index}"]))
            )
    for index, (value, entry) in enumerate(zip(end.operands, results_of(function))):
        if not variables.are_assigned(index):
            found.setdefault(value, {}).update(
                dict.fromkeys(map(representable, entry.names or [f"result{index}"]))
            )
    return {value: list(names) for value, names in found.items()}


def _bounded(fact: Fact, entry: Entry) -> Fact:
    """Return an input's known shape: its type narrowed by its declared bounds."""
    if entry.bounds is None or fact.shape is None:
        return fact
    extents = [d if most is None else d.meet(Dim(0, most)) or d for d, most in zip(fact.shape, entry.bounds)]
    return Fact(fact.element, tuple(extents))


@dataclass(frozen=True)
class Target:
    """Passes that adapt a program to a version of OpenVINO.

    `before` run on the original program, `behind` on the program whose operations are one layer each.
    """

    before: Sequence[ModulePass]
    behind: Sequence[ModulePass]


TARGETS: Mapping[str, Target] = {
    "openvino-2026": Target(
        before=(
            OvFoldConstantsPass(),  # OpenVINO, which does it too, cannot run every loop then.
            OvIfResolveRanksPass(),
            ConvertUnrankedToFlatPass(),
        ),
        # What nothing needs reads no part of a loop's input.
        behind=(OvRemoveUnneededPass(), OvSuitOpenvino2026Pass(), OvInferPass()),
    )
}


@dataclass(frozen=True, kw_only=True)
class SaveOptions:
    """How a program is written. Error: `bad-option`."""

    compress_to_fp16: bool = False
    """Store 32- and 64-bit weights in 16 bits where they fit.

    OpenVINO converts them when it loads the model.
    """

    checks: str = "keep"
    """Handling of runtime checks that no OpenVINO operation performs.

    A failed check stops the program when it runs (an index out of range). `keep` expresses the checks by operations that fail,
    `drop` omits them.
    """

    target: str | None = None
    """OpenVINO version whose known faults are worked around, or None.

    It is one of `TARGETS`; None relies on the specified semantics of the operations.
    """

    def __post_init__(self) -> None:
        flag("compress_to_fp16", self.compress_to_fp16)
        if self.checks not in CHECKS:
            raise Error("bad-option", f"checks={shown(self.checks)}: it must be {' or '.join(CHECKS)}")
        if self.target is not None and self.target not in TARGETS:
            raise Error(
                "bad-option", f"target={shown(self.target)}: it must be {' or '.join(TARGETS)}, or None"
            )

    @property
    def passes(self) -> Sequence[ModulePass]:
        """The passes that bring a program into what an IR can say."""
        target = Target((), ()) if self.target is None else TARGETS[self.target]
        return (
            ConvertOvseqToOvPass(),
            OvInferPass(),
            *target.before,
            ConvertOvToOpenvinoPass(checks=self.checks),
            # So that a file says of its shapes what its reader finds out; what turns out never to run has to be expressed too.
            OvInferPass(),
            *target.behind,
            ConvertOvToOpenvinoPass(checks=self.checks),
            OvRemoveUnneededPass(),
            *([OvCompressConstantsPass()] if self.compress_to_fp16 else []),
        )


def prepared(module: ModuleOp, options: SaveOptions) -> ModuleOp:
    """Return a copy of a GRAPH module with one layer per operation.

    Errors: `not-in-openvino`, `unsupported-type`.
    """
    module = module.clone()
    run_passes(module, options.passes)
    return module


def save_openvino(module: ModuleOp, path: Path, options: SaveOptions) -> None:
    """Write `path`, which ends in `.xml`, and the `.bin` beside it.

    Either both are written or neither. The net has the file's name, as the reader expects.

    Errors: `bad-option`, `file-unwritable`; `not-in-openvino` and `unsupported-type`, with the operation's place.
    """
    if path.suffix != ".xml":
        raise Error(
            "bad-option", f"'{path}' does not end in .xml", hint="the weights go to the .bin beside it"
        )
    document = document_of(prepared(module, options), path.stem)
    try:
        write_together({path.with_suffix(".bin"): document.pieces(), path: [document.xml]})
    except (OSError, ValueError) as error:
        raise file_unwritable(path, error) from error
