"""Interface of cavs.torch to GPUs whose kernels read and write tensors in place: one object per kind of device."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Optional, Protocol

import torch
from torch import Tensor

from ._core import Error


class Gpu(Protocol):
    """A kind of device, such as torch.device.type "cuda". No method waits for a device."""

    def index(self, device: torch.device) -> int:
        """Returns the driver's number of a device, among the devices that this process sees."""
    def current(self, device: torch.device) -> contextlib.AbstractContextManager[Any]:
        """Returns a context in which the device is current; the previous device is restored afterwards."""
    def stream(self, device: torch.device) -> int:
        """Returns the address of the current stream, a CUstream. Raises Error if the stream is being captured."""
    def memory(self, size: int, device: torch.device) -> Tensor:
        """Allocates memory in the order of the current stream, and frees it with the tensor."""
    def addresses(self, tensors: Sequence[Optional[Tensor]]) -> list[int]:
        """Returns the addresses of tensors on the device; 0 for None."""
    def send(self, x: Tensor, device: torch.device) -> Tensor:
        """Copies a tensor of the host to the device."""
    def precision(self, asked: str) -> str:
        """Returns the precision of matrix products. It depends on the module's option and PyTorch's switch for TF32."""


class Cuda:
    """GPUs of torch.cuda."""

    def index(self, device: torch.device) -> int:
        return torch.cuda.current_device() if device.index is None else device.index

    def current(self, device: torch.device) -> contextlib.AbstractContextManager[Any]:
        return torch.cuda.device(device)

    def stream(self, device: torch.device) -> int:
        if torch.cuda.is_current_stream_capturing():
            raise Error("a pass of cavs cannot be captured in a CUDA graph, because its launches differ from batch to "
                        "batch; capture only the code before and after it, and call the module outside of "
                        "torch.cuda.graph (cavs makes its own graphs)")
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


# torch.device.type -> Gpu. Tensors of any other device type must be on the host.
KINDS: dict[str, Gpu] = {"cuda": Cuda()}
