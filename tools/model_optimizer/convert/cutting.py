"""Cutting of a model at new inputs and outputs.

A part of a model becomes the model: `main` gets other inputs and outputs, and operations that these do not need are
removed.

A new input has the type of the value that it replaces, which is known at any stage: in FRONT, where a file need not
declare types, it is the type that the value has in GRAPH.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, NoneType, UnrankedTensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.compiler.stages import is_front
from loomir.dialects.element_types import AnyTensor, set_type
from loomir.dialects.interface import (
    Entry,
    argument_names,
    main_function,
    named_entries,
    results_of,
    set_results,
)
from loomir.dialects.onnx.types import is_declared
from loomir.dialects.ov.facts import Fact
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.front.convert_onnx_to_ov.translate import convert
from loomir.passes.options import TranslationOptions
from loomir.tools.model_optimizer.convert.named_values import (
    Argument,
    NamedValue,
    NamedValues,
    constant_at_begin,
    freeze,
    frozen_array,
    kept,
    retyped,
    set_main_arguments,
    shaped,
)
from loomir.tools.model_optimizer.convert.preprocessing import only_input, set_batch, with_shape
from loomir.tools.model_optimizer.convert.preprocessing_options import Layouts
from loomir.tools.model_optimizer.convert.specifications import InputOptions, InputSpecification


def types_of(module: ModuleOp, values: Sequence[SSAValue]) -> list[Attribute]:
    """Return the types of values of `main`'s body.

    Operations that only other values need may be anything, such as an unknown operator. If an operation that these values
    need has no semantics yet, the types are those that the file declares, which may be `!onnx.unknown`.
    """
    if not values:
        return []
    if not is_front(module):
        inference = infer(module)
        return [_type_of(value, inference) for value in values]
    copies: dict[SSAValue, SSAValue] = {}
    trial = module.clone(copies)
    function = main_function(trial)
    return_only(function, [copies[value] for value in values], [Entry()] * len(values))
    try:
        convert(trial, TranslationOptions())
    except Error:
        return [value.type for value in values]
    inference = infer(trial)
    end = main_function(trial).body.block.last_op
    assert end is not None, "convert makes one"
    return [_type_of(value, inference) for value in end.operands]


def _type_of(value: SSAValue, inference: Inference) -> Attribute:
    """Return the type refined by the inferred shape.

    The type of a sequence or an optional is unchanged.
    """
    return (
        inference.fact(value).type_in_place_of(value.type)
        if isinstance(value.type, AnyTensor)
        else value.type
    )


def return_only(function: FuncOp, values: Sequence[SSAValue], entries: Sequence[Entry]) -> None:
    """Make `main` return these values and remove unneeded operations.

    (Arguments stay.)
    """
    block = function.body.block
    end = block.last_op
    assert isinstance(end, ReturnOp), "of main in FRONT and GRAPH"
    if list(end.operands) != list(values):
        new = ReturnOp(*values)
        new.location = end.location
        block.insert_op_before(new, end)
        end.detach()
        end.erase()
    set_results(function, entries)
    remove_unread(function)
    function.update_function_type()


def remove_unread(function: FuncOp) -> None:
    """Remove operations of a function's body whose results have no uses.

    Their effects do not matter. The traversal is backwards and visits each operation once.
    """
    op = function.body.block.last_op
    while op is not None:
        before = op.prev_op
        if not isinstance(op, ReturnOp) and not any(result.uses for result in op.results):
            op.detach()
            op.erase()
        op = before


def apply_input_options(
    module: ModuleOp,
    options: InputOptions,
    outputs: Sequence[str] | None = None,
    layouts: Layouts = (),
) -> None:
    """Apply the input and output options in the Model Optimizer's order.

    The order is outputs, inputs, constants, batch size.

    The module is in FRONT, or in GRAPH as imported. Errors: those of `cut`, `freeze`, `only_input`, `set_batch`. After an
    error the module must not be used.
    """
    inputs = options.inputs
    if options.only_shape is not None:
        inputs = (InputSpecification(only_input(module, options.frozen), options.only_shape),)
    if inputs is None:
        cut(module, None, outputs)
        freeze(module, options.frozen)
    else:
        cut(module, [*inputs, *(InputSpecification(n, value=v) for n, v in options.frozen.items())], outputs)
    if options.batch is not None:
        set_batch(module, options.batch, layouts)


def cut(
    module: ModuleOp,
    inputs: Sequence[InputSpecification] | None,
    outputs: Sequence[str] | None,
) -> None:
    """Give `main` these inputs and outputs, in these orders.

    None keeps the existing ones. Operations that are no longer needed are removed.

    The module is in FRONT, or in GRAPH as imported. A name is that of an input, a node, a tensor, or a port (`named_values.py`).
    As an input

    - an input of the model stays one, with the given shape and type;
    - `2:node` is the value at this input port of the node, for this node alone, and `node` is `0:node`;
    - `node:2` and a tensor are that value for all its users.

    A new input has the given shape and type, else those of the value (if only a shape is given and the type is unknown,
    f32). An input with a value is a constant instead. Inputs are named as in the Model Optimizer: `2:node` or `node:2`, and
    the tensor's own name. Without `outputs`, the outputs that the inputs reach stay. As outputs, `node` is `node:0`, and
    `2:node` is the value at this input port. Variables (`loomir.state`) stay.

    Errors: `unknown-name`, `unknown-port`, `ambiguous-name`, `bad-option` (a shape for a node with several inputs; a place
    twice), `inputs-needed`, `no-outputs`, `unknown-type`, `value-mismatch`, `input-sequence`, and in GRAPH those of
    inference. After an error the module must not be used.
    """
    if inputs is None and outputs is None:
        return
    places = NamedValues(module)
    names = _new_outputs(places, outputs) if outputs is not None else None
    if inputs is not None:
        _new_inputs(module, places, inputs, names)
    remove_unread(places.main)
    if names is not None:
        _name_outputs(places, names)
    arguments = [each for each in kept(places.main) if each.entry.state is not None or _is_read(each.old)]
    set_main_arguments(places.main, arguments)
    retyped(module)


def _is_read(value: SSAValue | None) -> bool:
    return value is not None and any(value.uses)


# -- outputs


@dataclass(frozen=True)
class _Output:
    """Requested output: the tensor's names in the model, and the named node."""

    tensors: Sequence[str]
    node: str | None


def _new_outputs(places: NamedValues, outputs: Sequence[str]) -> list[_Output]:
    """Let `main` give these values, and the variables; what each is."""
    found = [places.find(name) for name in outputs]
    values = [place.value for place in found]
    if len(set(values)) < len(values):
        raise Error(
            "bad-option",
            f"--output {', '.join(outputs)}: two of them are the same tensor",
            hint="name each once",
        )
    by_value: dict[SSAValue, list[str]] = {}
    for name, value in places.tensors.items():
        by_value.setdefault(value, []).append(name)
    for name, argument in places.inputs.items():
        by_value.setdefault(argument, []).append(name)
    made = [
        _Output(by_value.get(place.value, []), None if place.node is None else place.node.name)
        for place in found
    ]
    states = [
        (value, entry)
        for value, entry in zip(places.end.operands, results_of(places.main))
        if entry.state is not None
    ]
    entries = [Entry()] * len(values) + [entry for _, entry in states]
    return_only(places.main, [*values, *(value for value, _ in states)], entries)
    return made


def _name_outputs(places: NamedValues, outputs: Sequence[_Output]) -> None:
    """Give outputs the names of their tensors, in alphabetical order.

    The Model Optimizer uses this order. The name of the requested node is added if the tensor has no other use and no other
    tensor has that name.
    """
    groups = list[list[str]]()
    for value, output in zip(places.end.operands, outputs):
        names = set(output.tensors)
        if output.node is not None and output.node not in places.tensors and value.has_one_use():
            names.add(output.node)
        groups.append(sorted(names) or [output.node or f"result{len(groups)}"])
    named = named_entries(groups)
    rest = results_of(places.main)[len(named) :]
    set_results(places.main, [*named, *rest])


# -- inputs


@dataclass(frozen=True)
class _Wanted:
    """An input that was asked for, and where it is."""

    spec: InputSpecification
    place: NamedValue

    @property
    def title(self) -> str:
        """Return the Model Optimizer's name of the Parameter."""
        node, port = self.place.node, self.place.port
        if node is None:
            return self.spec.name
        return f"{node.name}/placeholder_{'port' if self.place.use is not None else 'out_port'}_{port}"

    def names(self, taken: Collection[str]) -> list[str]:
        """Return the names of its tensor.

        They include the name of the node if no tensor has that name.
        """
        node, port = self.place.node, self.place.port
        if node is None:
            return [self.spec.name]
        if self.place.use is None:
            return [f"{node.name}:{port}"]
        alias = [node.name] if port == 0 and node.name not in taken else []
        return sorted([f"{port}:{node.name}", *alias])


def _new_inputs(
    module: ModuleOp,
    places: NamedValues,
    inputs: Sequence[InputSpecification],
    outputs: Sequence[_Output] | None,
) -> None:
    wanted = [_Wanted(spec, _input_place(places, spec)) for spec in inputs]
    _check_twice(wanted)
    if outputs is None:
        _keep_reached_outputs(places, wanted)
    # What no output needs any more is no input.
    wanted = [each for each in wanted if each.place.is_there]
    taken = {*places.tensors, *(output.node for output in outputs or () if output.node is not None)}
    arguments = {each.old: each for each in kept(places.main)}
    # What is given of the model's own inputs says what comes of them elsewhere.
    for each in wanted:
        if (old := each.place.argument) is not None:
            changed = with_shape(arguments[old], each.spec.shape, each.spec.element)
            arguments[old] = changed
            set_type(old, changed.type)
    places.main.update_function_type()
    types = _types(module, wanted)
    made = list[tuple[_Wanted, Argument]]()
    for each, type_ in zip(wanted, types):
        if each.spec.value is not None:
            array = frozen_array(each.spec.name, type_, each.spec.value)
            _put(each.place, constant_at_begin(places, array, each.title))
        elif (old := each.place.argument) is not None:
            made.append((each, arguments[old]))
        else:
            bounds = Entry() if each.spec.shape is None else shaped(f32, each.spec.shape)[1]
            entry = named_entries([each.names(taken)])[0] | bounds
            made.append((each, Argument(type_, entry, each.title)))
    _replace_arguments(places, made, arguments.values())


def _input_place(places: NamedValues, spec: InputSpecification) -> NamedValue:
    """Return the place of a requested input.

    A node without a port is its first input port.
    """
    place = places.find(spec.name)
    if place.node is None or place.port is not None:
        return place
    given = [i for i, v in enumerate(place.node.body[0].operands) if not isinstance(v.type, NoneType)]
    if spec.shape is not None and len(given) > 1:
        raise Error(
            "bad-option",
            f"--input: '{spec.name}' has {len(given)} inputs, and the shape does not say which one it is for",
            hint=f"name the port: '{given[0]}:{spec.name}'",
        )
    return places.port_into(place.node, 0)


def _check_twice(wanted: Sequence[_Wanted]) -> None:
    """Raise `Error("bad-option")` if two inputs are the same place.

    These are two names of one place, or a port and the value at that port.
    """
    seen: dict[object, str] = {}
    for each in wanted:
        where: object = each.place.use or each.place.value
        if where in seen:
            raise Error(
                "bad-option",
                f"--input: '{seen[where]}' and '{each.spec.name}' are the same place",
                hint="name it once",
            )
        seen[where] = each.spec.name


def _keep_reached_outputs(places: NamedValues, wanted: Iterable[_Wanted]) -> None:
    """Remove the outputs that none of these inputs reaches. Error: `no-outputs`."""
    block = places.main.body.block
    pending = list[SSAValue]()
    for each in wanted:
        if each.place.node is not None:
            pending += [result for op in each.place.node.operations for result in op.results]
        else:
            pending.append(each.place.value)
    reached, visited = set[SSAValue](), set[Operation]()
    while pending:
        value = pending.pop()
        reached.add(value)
        for use in value.uses:
            op: Operation | None = use.operation
            # A body reads what is outside of it: the operation that it belongs to does.
            while op is not None and op.parent_block() is not block:
                op = op.parent_op()
            if op is not None and op not in visited:
                visited.add(op)
                pending += op.results
    pairs = zip(places.end.operands, results_of(places.main))
    left = [(value, entry) for value, entry in pairs if value in reached or entry.state is not None]
    if not any(entry.state is None for _, entry in left):
        raise Error(
            "no-outputs",
            "none of the model's outputs depends on the inputs that are given",
            hint="name the outputs: --output",
        )
    return_only(places.main, [value for value, _ in left], [entry for _, entry in left])


def _types(module: ModuleOp, wanted: Sequence[_Wanted]) -> list[Attribute]:
    """Return the type of each input: the given one, else the value's.

    Error: `unknown-type` (not even its rank is known).
    """
    open_ = [
        w for w in wanted if w.place.argument is None and (w.spec.shape is None or w.spec.element is None)
    ]
    inferred = dict(zip([w.spec.name for w in open_], types_of(module, [w.place.value for w in open_])))
    types = list[Attribute]()
    for each in wanted:
        spec, known = each.spec, inferred.get(each.spec.name, each.place.value.type)
        declared = known if is_declared(known) else None
        if not isinstance(declared, AnyTensor | None) and (
            spec.shape is not None or spec.element is not None
        ):
            raise Error(
                "input-sequence",
                f"'{spec.name}' is a {declared}: only tensors can be given a shape or a type",
            )
        if each.place.argument is not None:
            types.append(each.place.value.type)
        elif spec.shape is not None:
            element = spec.element or (declared.element_type if isinstance(declared, AnyTensor) else f32)
            types.append(shaped(element, spec.shape)[0])
        elif declared is None or isinstance(declared, UnrankedTensorType):
            raise Error(
                "unknown-type",
                f"--input: the shape of '{spec.name}' is not known",
                hint=f"give its shape and type: '{spec.name}[1,3,224,224]{{f32}}'",
            )
        elif isinstance(declared, AnyTensor) and spec.element is not None:
            types.append(Fact(spec.element, Fact.of_type(declared).shape).type)
        else:
            types.append(declared)
    return types


def _put(place: NamedValue, value: SSAValue) -> None:
    """Let a value be at a place."""
    if place.use is None:
        place.value.replace_all_uses_with(value)
    else:
        operation, index = place.use
        operation.operands[index] = value


def _replace_arguments(
    places: NamedValues, made: Sequence[tuple[_Wanted, Argument]], old: Iterable[Argument]
) -> None:
    """Let `main` have these inputs, and the variables. Error: `inputs-needed`."""
    chosen = {argument.old for _, argument in made}
    rest = [each for each in old if each.old not in chosen]
    inserted = set_main_arguments(places.main, [*(argument for _, argument in made), *rest])
    for (each, argument), value in zip(made, inserted):
        if argument.old is None:
            _put(each.place, value)
    remove_unread(places.main)
    names = argument_names(places.main)[len(made) :]
    needed = [
        name
        for name, each, value in zip(names, rest, inserted[len(made) :])
        if each.entry.state is None and _is_read(value)
    ]
    if needed:
        raise Error(
            "inputs-needed",
            f"--input: the outputs also need {', '.join(map(repr, needed))}",
            hint="name these inputs too, or other outputs: --output",
        )
