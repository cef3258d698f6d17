"""Memory effects of upstream operations for which xDSL declares none.

xDSL's dead-code elimination therefore keeps these operations. Importing this module declares their effects. The results
of linalg operations on tensors depend only on their operands and their bodies; on buffers these operations read and
write. Operations that stop a program (`cf.assert`) keep undeclared effects: neither they nor the operations that contain
them are removed.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from xdsl.dialects import arith, linalg, tensor, vector
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue
from xdsl.traits import (
    EffectInstance,
    IsTerminator,
    MemoryAllocEffect,
    MemoryEffect,
    MemoryEffectKind,
    MemoryFreeEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    OpTrait,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    get_effects,
)

_ALWAYS: dict[type[MemoryEffect], frozenset[EffectInstance]] = {
    NoMemoryEffect: frozenset(),
    MemoryReadEffect: frozenset({EffectInstance(MemoryEffectKind.READ)}),
    MemoryWriteEffect: frozenset({EffectInstance(MemoryEffectKind.WRITE)}),
    MemoryAllocEffect: frozenset({EffectInstance(MemoryEffectKind.ALLOC)}),
    MemoryFreeEffect: frozenset({EffectInstance(MemoryEffectKind.FREE)}),
}
"""Interfaces with the same effects for all operations of a class.

Maps each interface to these effects.
"""


@dataclass(frozen=True)
class _OfClass:
    """Facts about all operations of a class, from its traits.

    `effects` are their effects, None if these depend on the operation or are unknown; `stays` is True if they are terminators
    or symbols.
    """

    traits: frozenset[OpTrait]
    effects: frozenset[EffectInstance] | None
    stays: bool


def _always(interface: MemoryEffect) -> frozenset[EffectInstance] | None:
    """Return the effects that an interface has for every operation, or None.

    The interface may declare them itself or inherit them (`Pure` is a `NoMemoryEffect`).
    """
    for kind, effects in _ALWAYS.items():
        if isinstance(interface, kind) and type(interface).get_effects.__func__ is kind.get_effects.__func__:
            return effects
    return None


_CLASSES: dict[type[Operation], _OfClass] = {}


def _of_class(kind: type[Operation]) -> _OfClass:
    """Return the facts that hold for all operations of a class.

    The traits of a class are inspected once, and again if one was added.
    """
    found = _CLASSES.get(kind)
    traits = kind.traits.traits
    if found is None or found.traits is not traits:
        always = [_always(trait) for trait in traits if isinstance(trait, MemoryEffect)]
        known = [effects for effects in always if effects is not None]
        effects = frozenset[EffectInstance]().union(*known) if known and len(known) == len(always) else None
        stays = any(isinstance(trait, IsTerminator | SymbolOpInterface) for trait in traits)
        found = _CLASSES[kind] = _OfClass(traits, effects, stays)
    return found


def effects_of(op: Operation) -> AbstractSet[EffectInstance] | None:
    """Return the same as xDSL's `get_effects`, but faster.

    The shortcut applies if the effects are the same for all operations of a class.
    """
    always = _of_class(type(op)).effects
    return get_effects(op) if always is None else always


def is_side_effect_free(op: Operation) -> bool:
    """xDSL's, by `effects_of`."""
    effects = effects_of(op)
    return effects is not None and not effects


class StructuredEffects(MemoryEffect):
    """Effects of the body, reads of buffers, and writes to destination buffers."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance] | None:
        effects: set[EffectInstance] = set()
        for inner in (o for region in op.regions for block in region.blocks for o in block.ops):
            inside = effects_of(inner)
            if inside is None:
                return None
            effects |= inside
        if any(isinstance(v.type, MemRefType) for v in op.operands):
            # Of buffers an operation has no results, and at least one destination.
            effects |= {EffectInstance(MemoryEffectKind.READ), EffectInstance(MemoryEffectKind.WRITE)}
        return effects


for _op in linalg.Linalg.operations:
    if issubclass(_op, LinalgStructuredOperation):
        _op.traits.add_trait(StructuredEffects())
for _op in (linalg.ops.IndexOp, linalg.ops.YieldOp, tensor.YieldOp, arith.RemUIOp, arith.ExtSIOp):
    _op.traits.add_trait(NoMemoryEffect())
vector.LoadOp.traits.add_trait(MemoryReadEffect())
vector.StoreOp.traits.add_trait(MemoryWriteEffect())


class EffectsOfNests:
    """Memory effects of operations, each computed once.

    xDSL visits everything inside an operation on every query.

    No operation may be added to a region whose operation has been queried. Later queries of other operations do not count
    operations that have been removed.
    """

    def __init__(self) -> None:
        self._known: dict[Operation, AbstractSet[EffectInstance] | None] = {}

    def of(self, op: Operation) -> AbstractSet[EffectInstance] | None:
        """Return the effects of an operation and its nest, None if unknown."""
        if not op.regions:
            return effects_of(op)
        if op not in self._known:
            self._known[op] = self._found(op)
        return self._known[op]

    def _found(self, op: Operation) -> AbstractSet[EffectInstance] | None:
        interfaces = op.get_traits_of_type(MemoryEffect)
        if not any(isinstance(interface, RecursiveMemoryEffect) for interface in interfaces):
            return effects_of(op)
        effects: set[EffectInstance] = set()
        for interface in interfaces:
            if not isinstance(interface, RecursiveMemoryEffect):
                own = interface.get_effects(op)
                if own is None:
                    return None
                effects |= own
        for inner in (o for region in op.regions for block in region.blocks for o in block.ops):
            nested = self.of(inner)
            if nested is None:
                return None
            effects |= nested
        return effects

    def is_dead_if_unused(self, op: Operation) -> bool:
        """Return True if the operation is dead once its results are unused.

        It may read memory, and allocate values that are defined inside it.
        """
        if _of_class(type(op)).stays:
            return False
        effects = self.of(op)
        return effects is not None and all(
            effect.kind is MemoryEffectKind.READ
            or (
                effect.kind is MemoryEffectKind.ALLOC
                and isinstance(effect.value, SSAValue)
                and op.is_ancestor(effect.value.owner)
            )
            for effect in effects
        )
