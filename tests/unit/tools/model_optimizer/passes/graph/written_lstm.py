"""Loops of LSTM cells that are written out in many ways, as MLIR text: the same mathematics by other operations."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from tests.unit.passes.graph.counted_loops import program

N, T, INPUTS, H = 2, 5, 3, 4


@dataclass(frozen=True)
class Written:
    """One way to write a cell and the loop around it."""

    order: str = "fico"
    """The gates from the first column on."""
    cut: str = "split"
    """`split`, `variadic`, `slice`, `strided`, or `none`: each gate has its own products."""
    functions_first: bool = False
    """The functions are computed of all columns, and what they give is cut."""
    product: str = "two"
    """`two`, or one of what is put together: `xh`, `hx`."""
    outputs_first: bool = True
    """The matrices are [outputs, inputs]."""
    bias: str = "one"
    """`none`, `one`, `two`, `row` (of rank 2), `inside` (a constant of the body), or `forget`: one, and a number for f alone."""
    time: str = "NTI"
    """The dimensions of x: `NTI`, `TNI`, `T1NI`, or `TI` where the batch is 1."""
    taken: str = "slice"
    """`slice`, `backwards`, or by gather: `gather`, `gather-backwards`, `gather-one` (of an index of rank 1)."""
    joined: str = "as-taken"
    """Or `other-way`."""
    state: str = "NH"
    """The dimensions of the states: `NH`, `1NH`, `N1H`."""
    trip: str = ""
    """A trip count that is known, or `extent`."""
    last: bool = False
    """True if there are last values of both states."""

    @property
    def batch(self) -> int:
        return 1 if self.time == "TI" else N

    @property
    def x_shape(self) -> list[int]:
        return [{"N": self.batch, "T": T, "I": INPUTS, "1": 1}[name] for name in self.time]

    @property
    def state_shape(self) -> list[int]:
        return [{"N": self.batch, "H": H, "1": 1}[name] for name in self.state]

    def weights(self) -> dict[str, list[int]]:
        """Names and extents of the weights."""
        shapes: dict[str, list[int]] = {}
        groups = [("", 4 * H)] if self.cut != "none" else [(g, H) for g in self.order]
        for gate, columns in groups:
            inputs = {"w": INPUTS, "r": H} if self.product == "two" else {"wr": INPUTS + H}
            for name, width in inputs.items():
                shapes[name + gate] = [columns, width] if self.outputs_first else [width, columns]
            if self.bias in ("one", "two", "row", "forget"):
                shapes["b" + gate] = [1, columns] if self.bias == "row" else [columns]
            if self.bias == "two":
                shapes["d" + gate] = [columns]
        return shapes


def type_of(shape: list[int], element: str = "f32") -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


class _Text:
    """Lines of a body: each gives a value of some extents."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(
        self, operation: str, operands: list[tuple[str, str]], result: str, attributes: str = ""
    ) -> tuple[str, str]:
        name = f"%v{len(self.lines)}"
        values = ", ".join(value for value, _ in operands)
        types = ", ".join(type_ for _, type_ in operands)
        self.lines.append(f"{name} = ov.{operation} {values} {attributes} : ({types}) -> {result}")
        return name, result

    def integers(self, *numbers: int) -> tuple[str, str]:
        type_ = type_of([len(numbers)], "i64")
        return self.add_constant(f"dense<{list(numbers)}>", type_)

    def scalar(self, number: int) -> tuple[str, str]:
        return self.add_constant(f"dense<{number}>", "tensor<i64>")

    def add_constant(self, contents: str, type_: str) -> tuple[str, str]:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = ov.constant {contents} : {type_} : {type_}")
        return name, type_


def _gates(text: _Text, how: Written, x: tuple[str, str], h: tuple[str, str]) -> dict[str, tuple[str, str]]:
    """Return the inputs of the gates, or their outputs.

    The outputs are returned where the functions come first.
    """
    n = how.batch
    weights = {name: (f"%{name}", type_of(shape)) for name, shape in how.weights().items()}
    transposed = "{transpose_b = true}" if how.outputs_first else ""

    def total(gate: str, columns: int) -> tuple[str, str]:
        type_ = type_of([n, columns])
        if how.product == "two":
            one = text.add("mat_mul", [x, weights["w" + gate]], type_, transposed)
            other = text.add("mat_mul", [h, weights["r" + gate]], type_, transposed)
            value = text.add("add", [one, other], type_)
        else:
            parts = [x, h] if how.product == "xh" else [h, x]
            both = text.add("concat", parts, type_of([n, INPUTS + H]), "{axis = -1}")
            value = text.add("mat_mul", [both, weights["wr" + gate]], type_, transposed)
        for bias in ("b", "d"):
            if (vector := weights.get(bias + gate)) is not None:
                value = text.add("add", [vector, value], type_)
        if how.bias == "inside":
            value = text.add("add", [value, text.add_constant("dense<0.25>", type_of([columns]))], type_)
        return value

    one = type_of([n, H])
    if how.cut == "none":
        return {gate: total(gate, H) for gate in how.order}
    whole = total("", 4 * H)
    if how.functions_first:
        assert how.order[3] == "c"
        sizes = text.integers(3 * H, H)
        early, late = (f"%early{len(text.lines)}", f"%late{len(text.lines)}")
        types = [type_of([n, 3 * H]), one]
        axis = text.scalar(1)
        text.lines.append(
            f"{early}, {late} = ov.variadic_split {whole[0]}, {axis[0]}, {sizes[0]} : "
            f"({whole[1]}, {axis[1]}, {sizes[1]}) -> ({', '.join(types)})"
        )
        active = text.add("sigmoid", [(early, types[0])], types[0])
        shown = text.add("tanh", [(late, one)], one)
        cuts = [
            text.add("slice", [active, *(text.integers(k) for k in (at * H, at * H + H, 1, 1))], one)
            for at in range(3)
        ]
        return dict(zip(how.order, [*cuts, shown]))
    if how.cut in ("split", "variadic"):
        names = [f"%g{k}" for k in range(4)]
        axis = text.scalar(-1)
        operands = [whole, axis] + ([text.integers(H, H, -1, H)] if how.cut == "variadic" else [])
        operation = "variadic_split" if how.cut == "variadic" else "split"
        attributes = "{num_splits = 4}" if how.cut == "split" else ""
        text.lines.append(
            f"{', '.join(names)} = ov.{operation} {', '.join(v for v, _ in operands)} {attributes} : "
            f"({', '.join(t for _, t in operands)}) -> ({', '.join([one] * 4)})"
        )
        return dict(zip(how.order, [(name, one) for name in names]))
    found: dict[str, tuple[str, str]] = {}
    for at, gate in enumerate(how.order):
        begin, end = at * H, (at + 1) * H
        if how.cut == "slice":
            # Positions from the end, and beyond it.
            numbers = (begin - 4 * H, end if at < 3 else 1 << 40, 1, -1)
            found[gate] = text.add("slice", [whole, *(text.integers(k) for k in numbers)], one)
        else:
            operands = [text.integers(7, begin), text.integers(9, end), text.integers(1, 1)]
            masks = "{begin_mask = array<i64: 1, 0>, end_mask = array<i64: 1, 0>}"
            found[gate] = text.add("strided_slice", [whole, *operands], one, masks)
    return found


def body_of(
    how: Written, x: tuple[str, str], h: tuple[str, str], c: tuple[str, str]
) -> tuple[_Text, tuple[str, str], tuple[str, str]]:
    """The lines of one step of x [N, I] and states [N, H], and the names of its h and c."""
    text = _Text()
    gates = _gates(text, how, x, h)
    one = type_of([how.batch, H])
    if how.bias == "forget":
        gates["f"] = text.add("add", [gates["f"], text.add_constant("dense<1.0>", "tensor<f32>")], one)
    if how.functions_first:
        f, i, g, o = (gates[name] for name in "fico")
    else:
        f, i, o = (text.add("sigmoid", [gates[name]], one) for name in "fio")
        g = text.add("tanh", [gates["c"]], one)
    kept, fresh = text.add("multiply", [c, f], one), text.add("multiply", [g, i], one)
    new_c = text.add("add", [fresh, kept], one)
    new_h = text.add("multiply", [text.add("tanh", [new_c], one), o], one)
    return text, new_h, new_c


def loop_text(how: Written) -> str:
    """`@main` with the loop: of x, h0, c0 and the weights its final h and c, last values, and all of h."""
    n = how.batch
    one, state = type_of([n, H]), type_of(how.state_shape)
    x_type = type_of(how.x_shape)
    axis = how.time.index("T")
    sliced = how.taken in ("slice", "backwards")
    backwards = how.taken.endswith("backwards")
    part_shape = [1 if name == "T" else extent for name, extent in zip(how.time, how.x_shape)]
    lines: list[str] = []
    if sliced:
        part = type_of(part_shape)
    else:
        index = "%i"
        index_type = "tensor<i64>"
        if backwards:
            lines += [
                f"%end = ov.constant dense<{T - 1}> : tensor<i64> : tensor<i64>",
                "%back = ov.subtract %end, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>",
            ]
            index = "%back"
        if how.taken == "gather-one":
            lines += [
                "%front = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>",
                f"%at = ov.unsqueeze {index}, %front : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>",
            ]
            index, index_type = "%at", "tensor<1xi64>"
        else:
            part_shape.pop(axis)
        part = type_of(part_shape)
        lines += [
            f"%axis = ov.constant dense<{axis}> : tensor<i64> : tensor<i64>",
            f"%part = ov.gather %x, {index}, %axis : ({x_type}, {index_type}, tensor<i64>) -> {part}",
        ]
    matrix = type_of([n, INPUTS])
    lines += [
        f"%matrix = ov.constant dense<[-1, {INPUTS}]> : tensor<2xi64> : tensor<2xi64>",
        f"%step = ov.reshape %part, %matrix : ({part}, tensor<2xi64>) -> {matrix}",
        f"%rows = ov.constant dense<[{n}, {H}]> : tensor<2xi64> : tensor<2xi64>",
        f"%old_h = ov.reshape %h, %rows : ({state}, tensor<2xi64>) -> {one}",
        f"%old_c = ov.reshape %c, %rows : ({state}, tensor<2xi64>) -> {one}",
    ]
    text, new_h, new_c = body_of(how, ("%step", matrix), ("%old_h", one), ("%old_c", one))
    lines += text.lines
    joined_shape = [n, 1, H] if how.time == "NTI" else [1, n, H]
    joined_axis = joined_shape.index(1) if n > 1 else 0
    whole = type_of([T if k == joined_axis else e for k, e in enumerate(joined_shape)])
    lines += [
        f"%shape = ov.constant dense<{how.state_shape}> : tensor<{len(how.state)}xi64> : tensor<{len(how.state)}xi64>",
        f"%next_h = ov.reshape {new_h[0]}, %shape : ({one}, tensor<{len(how.state)}xi64>) -> {state}",
        f"%next_c = ov.reshape {new_c[0]}, %shape : ({one}, tensor<{len(how.state)}xi64>) -> {state}",
        f"%parts = ov.constant dense<{joined_shape}> : tensor<3xi64> : tensor<3xi64>",
        f"%shown = ov.reshape {new_h[0]}, %parts : ({one}, tensor<3xi64>) -> {type_of(joined_shape)}",
    ]
    other_way = "start = -1, end = 0, stride = -1"
    cut = f"#ov.slice<axis = {axis}, {other_way if backwards else 'start = 0'}>"
    join_back = backwards != (how.joined == "other-way")
    if not sliced:
        join_back = how.joined == "other-way"
    join = f"#ov.slice<axis = {joined_axis}, {other_way if join_back else 'start = 0'}>"
    before: list[str] = []
    trip = how.trip or ("" if sliced else str(T))
    if trip == "extent":
        before = [
            f"%extents = ov.shape_of %x : ({x_type}) -> tensor<{len(how.time)}xi64>",
            f"%which = ov.constant dense<{axis}> : tensor<1xi64> : tensor<1xi64>",
            "%zero = ov.constant dense<0> : tensor<i64> : tensor<i64>",
            f"%steps = ov.gather %extents, %which, %zero : (tensor<{len(how.time)}xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>",
            "%trip = ov.squeeze %steps : (tensor<1xi64>) -> tensor<i64>",
        ]
    elif trip:
        before = [f"%trip = ov.constant dense<{trip}> : tensor<i64> : tensor<i64>"]
    operands = [*(["tensor<i64>"] if trip else []), state, state, *([x_type] if sliced else [])]
    results = [state, state, *([one, one] if how.last else []), whole]
    names = ["%hn", "%cn", *(["%lc", "%lh"] if how.last else []), "%y"]
    slices = f"slices = [{cut}], " if sliced else ""
    arguments = [("%x", x_type), ("%h0", state), ("%c0", state)]
    arguments += [(f"%{name}", type_of(shape)) for name, shape in how.weights().items()]
    last = f" last({new_c[0]}, {new_h[0]} : {one}, {one})" if how.last else ""
    groups = f"{'trip(%trip) ' if trip else ''}carried(%h0, %c0) {'sliced(%x) ' if sliced else ''}"
    signature = f"({', '.join(operands)}) -> ({', '.join(results)})"
    taken = f", %part: {part}" if sliced else ""
    newline = "\n    "
    return f"""
func.func @main({", ".join(f"{name}: {type_}" for name, type_ in arguments)}) -> ({", ".join(results)}) {{
  {newline.join(before)}
  {", ".join(names)} = ov.loop {groups}{{{slices}concats = [{join}]}} : {signature} {{
  ^bb0(%i: tensor<i64>, %h: {state}, %c: {state}{taken}):
    {newline.join(lines)}
    ov.next carried(%next_h, %next_c : {state}, {state}){last} concat(%shown : {type_of(joined_shape)})
  }}
  func.return {", ".join(names)} : {", ".join(results)}
}}"""


def module_of(how: Written) -> ModuleOp:
    """The program, its inputs called as the arguments are."""
    return program(loop_text(how))
