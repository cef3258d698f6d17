"""Makes the fixtures of torch's exporter by `torch.export`: `python -m tests.producers.with_torch_dynamo [PATTERN]`."""

from tests.producers import torch_dynamo_networks, torch_dynamo_tensors
from tests.producers.fixtures import main
from tests.producers.torch_dynamo_control import programs

__all__ = ["torch_dynamo_networks", "torch_dynamo_tensors"]

if __name__ == "__main__":
    main([programs])
