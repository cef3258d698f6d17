"""Which tokens a region operation can exchange for each other."""

from __future__ import annotations

from collections.abc import Iterable

from loomir.passes.structured.bufferize.model import Group, InToken, Root


class Components:
    """Which tokens may end up in each other's place (union–find), and under which name each goes now."""

    def __init__(self, tokens: Iterable[Root]) -> None:
        self.parents: dict[Root, Root] = {}
        for token in tokens:
            self.parents[token] = token
        self.start(self.parents)

    def start(self, tokens: Iterable[Root]) -> None:
        """Begin a region: each token goes under its own name."""
        self.names: dict[Root, None] = dict.fromkeys(tokens)

    def find(self, root: Root) -> Root:
        root = self.parents.setdefault(root, root)
        while (parent := self.parents[root]) is not root:
            self.parents[root] = self.parents[parent]
            root = parent
        return root

    def join(self, a: Root, b: Root) -> None:
        self.parents[self.find(b)] = self.find(a)

    def same(self, a: Root, b: Root) -> bool:
        return self.find(a) is self.find(b)

    def hold(self, root: Root) -> Root:
        """The name under which the token that `root` sits in goes."""
        while root not in self.names:
            if isinstance(root.home, InToken):
                root = root.home.root
            else:
                assert root.group is not None, "a yielded value sits in one of the region's tokens"
                assert root.group.identity
                root = root.group.inputs[0]
        return root

    def run(self, groups: list[Group]) -> list[Root]:
        """Pass the tokens through the groups of a region, in order; gives their names at its end."""
        for group in groups:
            if group.identity:
                continue
            given = [self.hold(root) for root in group.inputs]
            for name in given:
                del self.names[name]
                self.join(given[0], name)
            for output in group.outputs:
                self.names[output] = None
                self.join(given[0], output)
        return list(self.names)
