"""Memory for tensors that are made once, before a loop."""

from __future__ import annotations

from dataclasses import dataclass

from loomir.dialects.diagnostics import MissedReason


@dataclass
class Room:
    """Bytes that new tensors may take, and why one was not made."""

    left: int
    reason: MissedReason | None = None

    def take(self, size: int | None) -> bool:
        """Return True if there is room for a tensor, and count it.

        None is the size of one that takes no more than another one that is there, and is not counted.
        """
        if size is None:
            return True
        if size > self.left:
            text = f"a tensor changed before it would take {size} bytes, more than {self.left} of max-bytes are left"
            self.reason = MissedReason(text, {"bytes": size, "left": self.left})
            return False
        self.left -= size
        return True
