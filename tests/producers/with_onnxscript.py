"""Makes the fixtures of onnxscript: `python -m tests.producers.with_onnxscript [PATTERN]`."""

from tests.producers import onnxscript_values
from tests.producers.fixtures import main
from tests.producers.onnxscript_control import programs

__all__ = ["onnxscript_values"]

if __name__ == "__main__":
    main([programs])
