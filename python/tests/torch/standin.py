"""CPU tensors in place of CUDA tensors: the stand-in driver treats their memory as GPU memory."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Sequence
from typing import Any, Optional

import torch
from torch import Tensor

from cavs import _torch_gpu

_Address, _Bytes = ctypes.c_void_p, ctypes.c_size_t


class StandIn:
    """The device "cpu", with a default stream that works at once. CAVS_CUDA_DRIVER names the stand-in library."""

    def __init__(self) -> None:
        library = ctypes.CDLL(os.environ["CAVS_CUDA_DRIVER"])
        self._lend = library.cavs_standin_lend
        self._lend.argtypes = [_Address, _Bytes]
        self._faults = library.cavs_standin_faults
        self._faults.restype = ctypes.c_char_p
        self._waits = library.cavs_standin_waits
        self._waits.restype = ctypes.c_longlong
        self._launches = library.cavs_standin_launches
        self._launches.restype = ctypes.c_longlong

    def index(self, device: torch.device) -> int:
        return 0

    def current(self, device: torch.device) -> contextlib.AbstractContextManager[Any]:
        return contextlib.nullcontext()

    def stream(self, device: torch.device) -> int:
        return 0

    def memory(self, size: int, device: torch.device) -> Tensor:
        return torch.full((size,), 255, dtype=torch.uint8, device=device)  # NaN, as floats

    def addresses(self, tensors: Sequence[Optional[Tensor]]) -> list[int]:
        for x in tensors:
            if x is not None and x.numel() > 0:
                self._lend(x.data_ptr(), x.numel() * x.element_size())
        return [0 if x is None else x.data_ptr() for x in tensors]

    def send(self, x: Tensor, device: torch.device) -> Tensor:
        return x

    def precision(self, asked: str) -> str:
        return asked

    def faults(self) -> str:
        """Misuses of the driver since the last call."""
        text: bytes = self._faults()
        return text.decode()

    def waits(self) -> int:
        """Number of calls in which the host has waited for the GPU."""
        return int(self._waits())

    def launches(self) -> int:
        return int(self._launches())


def install() -> StandIn:
    """Makes modules with parameters on the CPU use the stand-in."""
    made = StandIn()
    _torch_gpu.KINDS["cpu"] = made
    return made
