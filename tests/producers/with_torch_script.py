"""Makes the fixtures of torch's exporter of TorchScript: `python -m tests.producers.with_torch_script [PATTERN]`."""

from tests.producers import torch_script_tensors
from tests.producers.fixtures import main
from tests.producers.torch_script_control import programs

__all__ = ["torch_script_tensors"]

if __name__ == "__main__":
    main([programs])
