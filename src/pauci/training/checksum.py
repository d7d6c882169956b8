"""A checksum of tensors and their metadata: safetensors has none, and a weight with a flipped bit is a weight."""

import hashlib
import json
from collections.abc import Mapping

import torch
from torch import Tensor


def checksum(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> str:
    """Return the SHA-256 of names, types, shapes, values and metadata, in whatever order they come.

    Parameters
    ----------
    tensors : mapping of str to Tensor
        On the CPU, contiguous.
    metadata : mapping of str to str
        What the header says.

    Returns
    -------
    str
        64 digits.

    Examples
    --------
    >>> checksum({"weight": torch.zeros(2)}, {}) == checksum({"weight": -torch.zeros(2)}, {})
    False
    """
    digest = hashlib.sha256(json.dumps(dict(metadata), sort_keys=True).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name!r} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
