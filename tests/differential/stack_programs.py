"""Random ONNX programs around a stack: a Loop over the elements of a tensor carries sequences that nested Ifs push to and pop from.

Written by hand in this way are bracket matchers and small interpreters. What the branches of a program do is random, and so is the
shape of the elements; its input has a given number of elements, down to none, so that extents of 0 and 1 come up throughout.
"""

from __future__ import annotations

import random

import onnx
import onnx.parser

HEAD = '<ir_version: 10, opset_import: ["" : 18]>\n'

CONSTANTS = """
    zero = Constant<value = int64 {0}>()
    two = Constant<value = int64 {2}>()
    minus = Constant<value = int64 {-1}>()
    vone = Constant<value = int64[1] {1}>()
    axis = Constant<value = int64[1] {0}>()
    yes = Constant<value = bool {1}>()
    no = Constant<value = bool {0}>()
    none = Constant<value = int64[0] {}>()
"""

ELEMENTS = {
    "int64": "element = Identity(token)",
    "int64[1]": "element = Unsqueeze(token, axis)",
    "int64[2]": "row = Unsqueeze(token, axis)\n element = Concat<axis = 0>(row, row)",
    "int64[k]": "half = Div(token, two)\n some = Abs(half)\n many = Unsqueeze(some, axis)\n element = Expand(token, many)",
}
"""Elements to push, by type.

They are scalars, one element, two, or as many as half of the token says (often none).
"""


PARTS = ("stack", "sum", "good", "found")
"""Loop-carried values: the stack, a number, a flag and a growing tensor.

The tensor grows by the popped elements.
"""


class StackProgram:
    """`model` takes `tokens` and gives the stack's length, a sum over what was popped, a flag, what was popped, and the stack itself."""

    def __init__(self, seed: int, count: int | None) -> None:
        self.random = random.Random(seed)
        self.fresh = 0
        self.bold = self.random.random() < 0.5
        self.element = self.random.choice(list(ELEMENTS))
        self.kind = f"seq({self.element})"
        start = "start = SequenceEmpty<dtype = 7>()"
        if self.random.random() < 0.3:
            first = ELEMENTS[self.element].replace("token", "minus")
            for word in ("element", "row", "half", "some", "many"):
                first = first.replace(word, f"first_{word}")
            start = f"{first}\n start = SequenceConstruct(first_element)"
        extent = "n" if count is None else str(count)
        step = self.tree(3, {"stack": "stack1", "sum": "sum1", "good": "good1", "found": "found1"})
        outputs = "int64 length, int64 total, bool fine, int64[m] all"
        if "k" not in self.element:  # elements of one shape: an array
            outputs += f", {self.kind} left"
        text = f"""g (int64[{extent}] tokens) => ({outputs}) {{
            {CONSTANTS}
            trips = Size(tokens)
            {start}
            left, total, fine, all = Loop(trips, yes, start, zero, yes, none) <body = step
                (int64 i, bool c, {self.kind} stack1, int64 sum1, bool good1, int64[m1] found1)
                => (bool again, {self.kind} stack2, int64 sum2, bool good2, int64[m2] found2) {{
              again = {self.random.choice(["Identity(c)", "Identity(c)", "Identity(good1)"])}
              token = Gather<axis = 0>(tokens, i)
              {ELEMENTS[self.element]}
              positive = Greater(token, zero)
              even = BitwiseAnd(token, two)
              odd = Equal(even, zero)
              {step}
              stack2 = Identity({self.last[0]})
              sum2 = Identity({self.last[1]})
              good2 = Identity({self.last[2]})
              found2 = Identity({self.last[3]})
            }}>
            length = SequenceLength(left)
        }}"""
        self.model = onnx.parser.parse_model(HEAD + text)

    def name(self, base: str) -> str:
        self.fresh += 1
        return f"{base}_{self.fresh}"

    def tree(self, depth: int, now: dict[str, str]) -> str:
        """Statements from the values of `now`; `last` names the values that they leave."""
        lines: list[str] = []
        now = dict(now)
        for _ in range(self.random.choice([1, 1, 2])):
            if depth == 0 or self.random.random() < 0.2:
                lines.append(self.action(now))
                continue
            condition = self.name("when")
            filled = self.random.random() < 0.6
            if filled:
                size = self.name("size")
                lines.append(f"{size} = SequenceLength({now['stack']})\n {condition} = Greater({size}, zero)")
            else:
                lines.append(
                    f"{condition} = Identity({self.random.choice(['positive', 'odd', now['good']])})"
                )
            names = [self.name(base) for base in PARTS]
            arms: list[str] = []
            for which, pops in (("then", filled), ("else", False)):
                inside = self.tree(depth - 1, {**now, "pops": "yes"} if pops else {**now, "pops": ""})
                results = [self.name(base) for base in ("rs", "rt", "rg", "rf")]
                ends = "\n".join(f"{r} = Identity({v})" for r, v in zip(results, self.last))
                types = [self.kind, "int64", "bool", f"int64[{self.name('m')}]"]
                given = ", ".join(f"{t} {r}" for t, r in zip(types, results))
                arms.append(f"{which}_branch = {self.name(which)} () => ({given}) {{ {inside}\n {ends} }}")
            lines.append(f"{', '.join(names)} = If({condition}) <{', '.join(arms)}>")
            now |= dict(zip(PARTS, names)) | {"pops": ""}
        self.last = tuple(now[part] for part in PARTS)
        return "\n".join(lines)

    def action(self, now: dict[str, str]) -> str:
        """One thing to do with the stack; popping only where it has an element, or the program trusts its input."""
        kinds = ["push", "push", "below", "clear", "one", "judge"]
        if now.get("pops") or (self.bold and self.random.random() < 0.6):
            kinds = ["pop", "pop", "look", "replace", "push"]
        new = self.name("act")
        old, total = now["stack"], now["sum"]
        match self.random.choice(kinds):
            case "push":
                now["stack"] = new
                return f"{new} = SequenceInsert({old}, element)"
            case "below":
                now["stack"] = new
                return f"{new} = SequenceInsert({old}, element, zero)"
            case "clear":
                now["stack"] = new
                return f"{new} = SequenceEmpty<dtype = 7>()"
            case "one":
                now["stack"] = new
                return f"{new} = SequenceConstruct(element)"
            case "judge":
                now["good"] = new
                return f"{new} = Identity({self.random.choice(['no', 'odd'])})"
            case "look":
                now["sum"] = new
                return f"t{new} = SequenceAt({old}, minus)\n r{new} = ReduceSum<keepdims = 0>(t{new})\n {new} = Add({total}, r{new})"
            case "pop":
                found = now["found"]
                now |= {"stack": new, "sum": f"s{new}", "pops": "", "found": f"f{new}"}
                pair = self.random.choice([f"u{new}", f"u{new}, v{new}"])
                return (
                    f"t{new} = SequenceAt({old}, minus)\n r{new} = ReduceSum<keepdims = 0>(t{new})\n"
                    f"u{new} = Unsqueeze(r{new}, axis)\n v{new} = Unsqueeze(i, axis)\n"
                    f"f{new} = Concat<axis = 0>({found}, {pair})\n"
                    f"s{new} = Sub({total}, r{new})\n {new} = SequenceErase({old}, minus)"
                )
            case _:
                now["stack"] = new
                return f"e{new} = SequenceErase({old}, minus)\n {new} = SequenceInsert(e{new}, element)"
