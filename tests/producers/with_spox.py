"""Makes the fixtures of spox: `python -m tests.producers.with_spox [PATTERN]`."""

from tests.producers import spox_values
from tests.producers.fixtures import main
from tests.producers.spox_control import programs

__all__ = ["spox_values"]

if __name__ == "__main__":
    main([programs])
