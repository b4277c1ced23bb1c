"""Passes of a model over batches, on the CPU (HostPasses) or on a GPU (DevicePasses)."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Protocol

import torch
from torch import Tensor

from ._core import Error, Model, _DeviceEvaluator, _DevicePass, _DevicePlan, _Evaluator, _Run
from ._torch_gpu import Gpu

if TYPE_CHECKING:
    from ._torch_ops import Handle


class Description(NamedTuple):
    """Names and shapes of a model's inputs, parameters and outputs."""

    model: Model
    outputs: Sequence[str]
    options: dict[str, Any]
    names: list[str]  # names of parameters
    shapes: list[tuple[int, ...]]
    inputs: list[tuple[str, int]]
    results: list[tuple[str, int]]  # names and widths of outputs
    sparse: list[tuple[int, int]]  # (table with sparse gradients, its padding row or -1)
    padded: list[tuple[int, int]]  # (table, its padding row)

    def checked(self, tensors: Sequence[Any], vertices: int, device: torch.device) -> list[Optional[Tensor]]:
        """Returns the inputs, checked and contiguous for C++. None is an input that comes from the graphs."""
        given: list[Optional[Tensor]] = []
        for (port, width), x in zip(self.inputs, tensors):
            if x is not None:
                _checked(x, f"input '{port}'", (vertices, width), f"[{vertices}, {width}], a row for each vertex of the "
                         "batch", "pass its", device)
                x = x.detach().contiguous()
            given.append(x)
        return given

    def check_parameter(self, p: int, tensor: Tensor, device: torch.device) -> None:
        _checked(tensor, f"parameter '{self.names[p]}'", self.shapes[p],
                 f"{list(self.shapes[p])}, as the model declares it", "call the module's", device)
        if not tensor.is_contiguous():
            raise Error(f"parameter '{self.names[p]}' has strides {tensor.stride()}; expected contiguous memory: "
                        "set it to its .contiguous()")

    def outputs_on(self, device: torch.device, vertices: int) -> list[Tensor]:
        return [torch.empty(vertices, width, dtype=torch.float32, device=device) for _, width in self.results]


class Found(NamedTuple):
    """Results of a backward pass: gradients of parameters in a block, of sparse tables, and of inputs."""

    flat: Tensor
    tables: list[Tensor]
    inputs: list[Optional[Tensor]]


class Passes(Protocol):
    """Forward and backward passes on one kind of device."""

    flat_size: int  # number of elements in the block of gradients

    def prepare(self, handle: Handle, mode: int, device: torch.device, given: Sequence[bool]) -> None:
        """Prepares a pass on the host."""
    def forward(self, handle: Handle, mode: int, seed: int, number: int, tensors: Sequence[Any],
                device: torch.device) -> tuple[list[Tensor], Any]:
        """Evaluates a batch: returns outputs, and an open pass. The pass's token(number) keeps it open.

        number: 0 for a pass without gradients. tensors: inputs (None if the graphs have them) and parameters.
        """
    def backward(self, run: Any, number: int, wanted: Sequence[bool], gradients: Sequence[Optional[Tensor]],
                 tensors: Sequence[Any], sparse: bool) -> Found:
        """Computes gradients. wanted: True for each input that needs a gradient. gradients: gradients of outputs, None
        for zeros. tensors: tensors of the forward pass."""
    def pieces(self, flat: Tensor, tables: Sequence[Tensor], wants: Sequence[bool]) -> list[Optional[Tensor]]:
        """Returns the gradients of the parameters; None for a parameter that needs none."""


class HostPasses:
    """Passes on the CPU, with tensors in place. A parameter is bound again when its memory or its PyTorch version
    changes.
    """

    def __init__(self, of: Description, evaluator: _Evaluator) -> None:
        self._of = of
        self._evaluator = evaluator
        self.flat_size = evaluator.flat_size
        self._places = _places(of.shapes, evaluator.offsets)
        self._beside, self._size_beside = self._places_beside({p for p, _ in of.sparse})
        self._last = 0  # number of the run whose parameters are in use; 0 for a pass without gradients
        self._memory: list[Any] = [None] * len(of.names)
        self._versions = [-1] * len(of.names)
        self._lock = threading.Lock()

    def _places_beside(self, sparse: set[int]) -> tuple[list[Any], int]:
        """Returns the places of gradients in a block without these tables, and the size of the block."""
        places: list[Any] = []
        size = 0
        for p, shape in enumerate(self._of.shapes):
            places.append(None if p in sparse else (shape, _strides(shape), size))
            size += 0 if p in sparse else -(-math.prod(shape) // _ALIGNED) * _ALIGNED
        return places, size

    def use(self, parameters: Sequence[Tensor]) -> list[int]:
        """Makes these tensors the parameters. Returns the numbers of those that have changed since the last call."""
        memories = [(tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype) for tensor in parameters]
        for p, tensor in enumerate(parameters):  # binds first: after an error, no version must be recorded
            if memories[p] != self._memory[p]:
                self._of.check_parameter(p, tensor, _HOST)
                self._evaluator.bind(p, tensor.detach().numpy())
                self._memory[p] = memories[p]
        written = []
        for p, tensor in enumerate(parameters):
            version = -1 if tensor.is_inference() else tensor._version  # inference tensors have no version
            if version != self._versions[p] or version < 0:
                written.append(p)
                self._versions[p] = version
        return written

    def prepare(self, handle: Handle, mode: int, device: torch.device, given: Sequence[bool]) -> None:
        pass

    def forward(self, handle: Handle, mode: int, seed: int, number: int, tensors: Sequence[Any],
                device: torch.device) -> tuple[list[Tensor], _Run]:
        batch, count = handle.batch, len(self._of.inputs)
        outputs = self._of.outputs_on(_HOST, batch.vertices)
        given = self._of.checked(tensors[:count], batch.vertices, _HOST) if count else []
        with self._lock:
            run = self._evaluator.forward(batch, mode, seed, self.use(tensors[count:]), _addresses(given),
                                          _addresses(outputs), given)
            self._last = number
        return outputs, run

    def backward(self, run: _Run, number: int, wanted: Sequence[bool], gradients: Sequence[Optional[Tensor]],
                 tensors: Sequence[Any], sparse: bool) -> Found:
        inputs = len(self._of.inputs)
        flat = torch.empty(self._size_beside if sparse else self.flat_size, dtype=torch.float32, device=_HOST)
        to_inputs = _like_wanted(tensors[:inputs], wanted)
        from_outputs = _contiguous(gradients)
        rows: list[Any] = []
        with self._lock:
            if self._last != number:
                self._evaluator.touch(self.use(tensors[inputs:]))
                self._last = number
            if sparse:
                rows = run.backward_rows(_addresses(from_outputs), self._addresses_beside(flat), _addresses(to_inputs),
                                         self._of.sparse)
            else:
                run.backward(_addresses(from_outputs), flat.data_ptr(), _addresses(to_inputs))
        _clear_padding(self._of.padded, self._beside if sparse else self._places, flat)
        return Found(flat, [_sparse(self._of.shapes[p], torch.from_numpy(numbers), torch.from_numpy(values))
                            for (p, _), (numbers, values) in zip(self._of.sparse, rows)], to_inputs)

    def _addresses_beside(self, flat: Tensor) -> list[int]:
        begin = flat.data_ptr()
        return [0 if place is None else begin + place[2] * flat.itemsize for place in self._beside]

    def pieces(self, flat: Tensor, tables: Sequence[Tensor], wants: Sequence[bool]) -> list[Optional[Tensor]]:
        return _pieces(self._beside if tables else self._places, flat, tables, wants)


class DevicePasses:
    """Passes on a GPU, in the memory of the tensors' device and in the order of its current stream."""

    def __init__(self, of: Description, gpu: Gpu) -> None:
        self._of = of
        self._gpu = gpu
        self._evaluators: dict[tuple[int, str], _DeviceEvaluator] = {}
        offsets = self._evaluator(0, of.options["precision"]).offsets
        self.flat_size = offsets[-1]
        self._places = _places(of.shapes, offsets)
        sparse = {p for p, _ in of.sparse}
        self._without_sparse = [None if p in sparse else place for p, place in enumerate(self._places)]

    def _evaluator(self, index: int, precision: str) -> _DeviceEvaluator:
        key = index, precision
        if key not in self._evaluators:
            self._evaluators[key] = _DeviceEvaluator(self._of.model, self._of.outputs, index, self._of.options["policy"],
                                                     precision)
        return self._evaluators[key]

    def _plan(self, handle: Handle, mode: int, device: torch.device, given: Sequence[bool], keep: bool) -> _DevicePlan:
        evaluator = self._evaluator(self._gpu.index(device), self._gpu.precision(self._of.options["precision"]))
        key = evaluator, mode, tuple(given)
        plan = handle.plans.get(key)
        if plan is None:
            plan = evaluator.plan(handle.batch, mode, given)
            if keep:
                handle.plans[key] = plan
        return plan

    def prepare(self, handle: Handle, mode: int, device: torch.device, given: Sequence[bool]) -> None:
        self._plan(handle, mode, device, given, True)

    def forward(self, handle: Handle, mode: int, seed: int, number: int, tensors: Sequence[Any],
                device: torch.device) -> tuple[list[Tensor], Optional[_DevicePass]]:
        vertices, count = handle.batch.vertices, len(self._of.inputs)
        given = self._of.checked(tensors[:count], vertices, device)
        weights = self._weights(tensors[count:], device)
        plan = self._plan(handle, mode, device, [x is not None for x in given], False)
        with torch.profiler.record_function("cavs forward"), self._gpu.current(device):
            stream = self._gpu.stream(device)
            outputs = self._of.outputs_on(device, vertices)
            values = self._gpu.memory(plan.bytes, device)
            plan.forward(stream, self._gpu.addresses([values])[0], weights, self._gpu.addresses(given),
                         self._gpu.addresses(outputs), seed)
        return outputs, _DevicePass((plan, values, given)) if number else None

    def backward(self, run: _DevicePass, number: int, wanted: Sequence[bool], gradients: Sequence[Optional[Tensor]],
                 tensors: Sequence[Any], sparse: bool) -> Found:
        kept: Any = run.kept
        plan, values, _ = kept
        inputs, device = len(self._of.inputs), values.device
        weights = self._weights(tensors[inputs:], device)
        with torch.profiler.record_function("cavs backward"), self._gpu.current(device):
            stream = self._gpu.stream(device)
            flat = torch.empty(self.flat_size, dtype=torch.float32, device=device)
            to_inputs = _like_wanted(tensors[:inputs], wanted)
            from_outputs = _contiguous(gradients)
            plan.backward(stream, self._gpu.addresses([values])[0], weights, self._gpu.addresses(from_outputs),
                          self._gpu.addresses([flat])[0], self._gpu.addresses(to_inputs))
            _clear_padding(self._of.padded, self._places, flat)
            tables = [self._sparse(plan, p, padding, flat) for p, padding in self._of.sparse] if sparse else []
        return Found(flat, tables, to_inputs)

    def _weights(self, parameters: Sequence[Tensor], device: torch.device) -> list[int]:
        for p, tensor in enumerate(parameters):
            self._of.check_parameter(p, tensor, device)
        return self._gpu.addresses(parameters)

    def _sparse(self, plan: _DevicePlan, p: int, padding: int, flat: Tensor) -> Tensor:
        """Returns the sparse gradient of a table, for the rows that were read."""
        rows = self._gpu.send(torch.from_numpy(plan.table_rows(p, padding)), flat.device)
        return _sparse(self._of.shapes[p], rows, flat.as_strided(*self._places[p]).index_select(0, rows))

    def pieces(self, flat: Tensor, tables: Sequence[Tensor], wants: Sequence[bool]) -> list[Optional[Tensor]]:
        return _pieces(self._without_sparse if tables else self._places, flat, tables, wants)


_ALIGNED = 16  # on the CPU, each gradient in a block begins at a multiple of this many floats
_HOST = torch.device("cpu")


def _checked(x: Tensor, what: str, shape: tuple[int, ...], shape_words: str, to_do: str, device: torch.device) -> Tensor:
    """Returns x if C++ can read it (float32 of this shape, on the device); else raises Error."""
    if x.device != device:
        move = ".cpu()" if device == _HOST else f".to('{device}')"
        raise Error(f"{what} is on {x.device}, the pass on {device}; cavs computes on the CPU or a CUDA GPU, where "
                    f"the module's parameters are: {to_do} {move}")
    if x.dtype is not torch.float32:
        raise Error(f"{what} has dtype {x.dtype}; expected torch.float32: {to_do} .float()")
    if x.shape != shape:
        raise Error(f"{what} has shape {list(x.shape)}; expected {shape_words}")
    return x


def _addresses(tensors: Sequence[Optional[Tensor]]) -> list[int]:
    """Returns the addresses of tensors; 0 for None."""
    return [0 if x is None else x.data_ptr() for x in tensors]


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))


def _places(shapes: Sequence[tuple[int, ...]], offsets: Sequence[int]) -> list[Any]:
    """Returns the places of gradients in one block, as arguments of as_strided, which is faster than split."""
    return [(shape, _strides(shape), begin) for shape, begin in zip(shapes, offsets)]


def _like_wanted(inputs: Sequence[Any], wanted: Sequence[bool]) -> list[Optional[Tensor]]:
    return [torch.empty(x.shape, dtype=x.dtype, device=x.device) if want else None for x, want in zip(inputs, wanted)]


def _contiguous(gradients: Sequence[Optional[Tensor]]) -> list[Optional[Tensor]]:
    return [None if g is None else g.detach().contiguous() for g in gradients]


def _clear_padding(padded: Sequence[tuple[int, int]], places: Sequence[Any], flat: Tensor) -> None:
    for p, padding in padded:
        if places[p] is not None:
            flat.as_strided(*places[p])[padding].zero_()


def _sparse(shape: tuple[int, ...], rows: Tensor, values: Tensor) -> Tensor:
    return torch.sparse_coo_tensor(rows[None], values.view(-1, shape[1]), shape, is_coalesced=True,
                                   check_invariants=False)


def _pieces(places: Sequence[Any], flat: Tensor, tables: Sequence[Tensor],
            wants: Sequence[bool]) -> list[Optional[Tensor]]:
    found = iter(tables)
    pieces: list[Optional[Tensor]] = []
    for place, want in zip(places, wants):
        piece = next(found) if place is None else flat.as_strided(*place) if want else None
        pieces.append(piece if want else None)
    return pieces
