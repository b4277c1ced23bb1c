"""What cavs.torch asks of the devices whose kernels read and write tensors in place: one object for each kind."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Optional, Protocol

import torch
from torch import Tensor

from ._core import Error


class Gpu(Protocol):
    """A kind of devices, as torch.device.type names it. No method waits for a device."""

    def index(self, device: torch.device) -> int:
        """The number of a device, as the driver counts those that this process sees."""
    def current(self, device: torch.device) -> contextlib.AbstractContextManager[Any]:
        """In which the device is the current one; after it, whichever was."""
    def stream(self, device: torch.device) -> int:
        """The address of the current stream, a CUstream. Raises Error where it cannot take a pass."""
    def memory(self, size: int, device: torch.device) -> Tensor:
        """So many bytes, free for others in the order of the current stream when the tensor goes."""
    def addresses(self, tensors: Sequence[Optional[Tensor]]) -> list[int]:
        """Where kernels find them; 0 for None."""
    def send(self, x: Tensor, device: torch.device) -> Tensor:
        """A copy of a tensor of the host."""
    def precision(self, asked: str) -> str:
        """Of products, by what the module asks for and by PyTorch's switches."""


class Cuda:
    """torch.cuda."""

    def index(self, device: torch.device) -> int:
        return torch.cuda.current_device() if device.index is None else device.index

    def current(self, device: torch.device) -> contextlib.AbstractContextManager[Any]:
        return torch.cuda.device(device)

    def stream(self, device: torch.device) -> int:
        if torch.cuda.is_current_stream_capturing():
            raise Error("a pass of cavs cannot be part of a CUDA graph that is captured, as its launches differ from batch to "
                        "batch; capture what comes before and after it, and call the module outside of torch.cuda.graph "
                        "(cavs makes graphs of its own)")
        return torch.cuda.current_stream(device).cuda_stream

    def memory(self, size: int, device: torch.device) -> Tensor:
        return torch.empty(size, dtype=torch.uint8, device=device)

    def addresses(self, tensors: Sequence[Optional[Tensor]]) -> list[int]:
        return [0 if x is None else x.data_ptr() for x in tensors]

    def send(self, x: Tensor, device: torch.device) -> Tensor:
        return x.pin_memory().to(device, non_blocking=True)

    def precision(self, asked: str) -> str:
        matmul: Any = torch.backends.cuda.matmul
        allows = matmul.fp32_precision == "tf32" if hasattr(matmul, "fp32_precision") else matmul.allow_tf32
        return "tf32" if allows and asked == "fp32" else asked


# By torch.device.type. Tensors of other kinds are the host's, or are refused.
KINDS: dict[str, Gpu] = {"cuda": Cuda()}
