"""The operators behind cavs.torch: a forward and a backward pass of an evaluator, as PyTorch sees them."""

from __future__ import annotations

import functools
import itertools
import math
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Optional

import torch
from torch import Tensor

from ._core import Error, Graphs, Model, _Batch, _Evaluator, _Run

# What a number or a tensor that passes through a compiled graph stands for.
_engines: weakref.WeakValueDictionary[int, Engine] = weakref.WeakValueDictionary()
_batches: weakref.WeakValueDictionary[int, Handle] = weakref.WeakValueDictionary()
_runs: weakref.WeakValueDictionary[int, _Run] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)

# Bits of a pass's mode.
GRADIENTS, DROPOUT, INPUT_GRADIENTS = 1, 2, 4


class Handle:
    """A batch of C++; `tensor` stands for it in a compiled graph."""

    def __init__(self, graphs: Graphs, samples: Any) -> None:
        self.batch = _Batch(graphs, samples)
        number = next(_numbers)
        self.tensor = torch.tensor([number])
        _batches[number] = self


def _checked(x: Tensor, what: str, shape: tuple[int, ...], shape_words: str, to_do: str) -> Tensor:
    """x, if it is what C++ can read: float32 on the CPU, of this shape."""
    if x.device.type != "cpu":
        raise Error(f"{what} is on {x.device}; cavs computes on the CPU: {to_do} .cpu()")
    if x.dtype is not torch.float32:
        raise Error(f"{what} is of {x.dtype}; expected torch.float32: {to_do} .float()")
    if x.shape != shape:
        raise Error(f"{what} has shape {list(x.shape)}; expected {shape_words}")
    return x


class Engine:
    """An evaluator, and which tensors its parameters are.

    Tensors are used where they are. One is looked at again when its memory, or the version that PyTorch counts, is
    another.
    """

    def __init__(self, model: Model, outputs: Sequence[str], options: dict[str, Any]) -> None:
        self.evaluator = _Evaluator(model, outputs, **options)
        self.names: list[str] = self.evaluator.names
        self.outputs: list[tuple[str, int]] = self.evaluator.outputs
        self.inputs: list[tuple[str, int]] = self.evaluator.inputs
        self.has_dropout = self.evaluator.has_dropout
        self.shapes = [self.evaluator.initial(p).shape for p in range(len(self.names))]
        self.flat_size = self.evaluator.flat_size
        # Where the gradients of parameters lie in one block: arguments of as_strided, which takes less time than a split.
        self.places = [(shape, _strides(shape), begin) for shape, begin in zip(self.shapes, self.evaluator.offsets)]
        self.last = 0  # the run whose parameters are in use; 0: that of a pass that keeps nothing
        self.number = next(_numbers)
        self.operators = operators(len(self.outputs), len(self.inputs), len(self.names))
        self.lock = threading.Lock()
        self._seen: list[tuple[int, int]] = [(-1, 0)] * len(self.names)
        _engines[self.number] = self

    def use(self, parameters: Sequence[Tensor]) -> None:
        """Makes these tensors the parameters."""
        for p, (tensor, shape) in enumerate(zip(parameters, self.shapes)):
            at, seen = tensor.data_ptr(), self._seen[p]
            if at != seen[0] or tensor.dtype is not torch.float32 or tensor.shape != shape:
                _checked(tensor, f"parameter '{self.names[p]}'", shape, f"{list(shape)}, as the model declares it",
                         "call the module's")
            if not tensor.is_contiguous():
                raise Error(f"parameter '{self.names[p]}' has strides {tensor.stride()}; expected contiguous memory: "
                            "set it to its .contiguous()")
            version = -1 if tensor.is_inference() else tensor._version  # such tensors count no versions
            if seen[0] != at:
                self.evaluator.bind(p, tensor.detach().numpy())
            elif seen[1] != version or version < 0:
                self.evaluator.touch(p)
            self._seen[p] = (at, version)

    def given(self, inputs: Sequence[Optional[Tensor]], vertices: int) -> list[tuple[str, Any]]:
        """Inputs by port, as C++ reads them; those that are None come from the graphs."""
        given = []
        for (port, width), x in zip(self.inputs, inputs):
            if x is None:
                continue
            _checked(x, f"input '{port}'", (vertices, width), f"[{vertices}, {width}], a row for each vertex of the "
                     "batch", "pass its")
            given.append((port, x.detach().contiguous().numpy()))
        return given


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))


def _found(number: int) -> Engine:
    engine = _engines.get(number)
    if engine is None:
        raise Error("the module that this pass belongs to does not exist any more; keep it as long as its outputs")
    return engine


def _evaluate(module: int, mode: int, batch: Tensor, sample: Tensor, seed: Optional[Tensor],
              *tensors: Any) -> tuple[Tensor, ...]:
    """Evaluates a batch: the outputs [vertices, width], and a token that keeps the pass open.

    The token's bits are the run's number. As a float that is next to zero, since checks of operators compare outputs.

    mode: bits, see above. batch: Handle.tensor. sample: [vertices], whose size alone is read. seed: of dropout masks.
    tensors: inputs (None: of the graphs) and parameters.
    """
    engine = _found(module)
    handle = _batches.get(int(batch.item()))
    if handle is None:
        raise Error("the batch does not exist any more; keep the cavs.torch.Batch as long as the call")
    vertices, count = handle.batch.vertices, len(engine.inputs)
    outputs = [torch.empty(vertices, width) for _, width in engine.outputs]
    with engine.lock:
        engine.use(tensors[count:])
        run = engine.evaluator.forward(handle.batch, bool(mode & (GRADIENTS | DROPOUT)), bool(mode & DROPOUT),
                                       bool(mode & INPUT_GRADIENTS), 0 if seed is None else int(seed.item()),
                                       engine.given(tensors[:count], vertices), [y.numpy() for y in outputs])
        engine.last = next(_numbers) if mode & GRADIENTS else 0
        number = engine.last
    if not number:
        return *outputs, torch.zeros(1, dtype=torch.float64)
    _runs[number] = run
    return *outputs, torch.from_numpy(run.token(number))


def _evaluate_fake(module: int, mode: int, batch: Tensor, sample: Tensor, seed: Optional[Tensor],
                   *tensors: Any) -> tuple[Tensor, ...]:
    rows = sample.shape[0]
    return (*(sample.new_empty(rows, width, dtype=torch.float32) for _, width in _found(module).outputs),
            batch.new_empty(1, dtype=torch.float64))


def _go_back(module: int, wanted: int, token: Tensor, *tensors: Any) -> Any:
    """The flat block of gradients of all parameters, and the gradients of inputs; empty where bit i of `wanted` is 0.

    tensors: gradients of outputs (None: zeros), inputs and parameters.
    """
    engine = _found(module)
    number = int(token.view(torch.int64).item())
    run = _runs.get(number)
    if run is None:
        raise Error("the forward pass of this backward pass is not open any more: its token was copied or moved (by "
                    "hooks on saved tensors, say); leave the tensors that cavs saves as they are")
    first, second = len(engine.outputs), len(engine.outputs) + len(engine.inputs)
    flat = torch.empty(engine.flat_size)
    to_inputs = _like_inputs(wanted, tensors[first:second])
    with engine.lock:
        if engine.last != number:
            engine.use(tensors[second:])
            engine.last = number
        run.backward([(port, g.detach().contiguous().numpy()) for (port, _), g in zip(engine.outputs, tensors)
                      if g is not None], flat.numpy(),
                     [(port, x.numpy()) for i, ((port, _), x) in enumerate(zip(engine.inputs, to_inputs))
                      if wanted >> i & 1])
    return (flat, *to_inputs) if to_inputs else flat


def _go_back_fake(module: int, wanted: int, token: Tensor, *tensors: Any) -> Any:
    engine = _found(module)
    first, second = len(engine.outputs), len(engine.outputs) + len(engine.inputs)
    flat, to_inputs = torch.empty(engine.flat_size), _like_inputs(wanted, tensors[first:second])
    return (flat, *to_inputs) if to_inputs else flat


def _like_inputs(wanted: int, inputs: Sequence[Optional[Tensor]]) -> list[Tensor]:
    return [torch.empty(x.shape if x is not None and wanted >> i & 1 else 0) for i, x in enumerate(inputs)]


def _refuse(ctx: Any, *gradients: Any) -> Any:
    raise Error("double backward through a cavs.torch.Module: it has first derivatives only; leave out create_graph=True, "
                "or detach() what comes from it")


def _schema(fixed: str, counts: Sequence[tuple[str, str, int]], returned: int) -> str:
    """Of counts (type, name, how many): each tensor is an argument, since lists of tensors cost as much as a step."""
    tensors = [f"{of} {name}{i}" for of, name, count in counts for i in range(count)]
    out = ", ".join(["Tensor"] * returned)
    return f"({', '.join([fixed, *tensors])}) -> {f'({out})' if returned > 1 else out}"


@functools.cache
def operators(outputs: int, inputs: int, parameters: int) -> tuple[Any, Any]:
    """The forward and the backward operator of modules with so many of each."""
    name = f"{outputs}_{inputs}_{parameters}"
    of_pass = [("Tensor?", "input", inputs), ("Tensor", "parameter", parameters)]
    forward = torch.library.custom_op(
        f"cavs::forward_{name}", _evaluate, mutates_args=(),
        schema=_schema("int module, int mode, Tensor batch, Tensor sample, Tensor? seed", of_pass, outputs + 1))
    backward = torch.library.custom_op(
        f"cavs::backward_{name}", _go_back, mutates_args=(),
        schema=_schema("int module, int wanted, Tensor token", [("Tensor?", "gradient", outputs), *of_pass], inputs + 1))
    forward.register_fake(_evaluate_fake)
    backward.register_fake(_go_back_fake)
    forward.register_autograd(functools.partial(_gradients, backward), setup_context=_keep)
    backward.register_autograd(_refuse)
    return getattr(torch.ops.cavs, f"forward_{name}").default, getattr(torch.ops.cavs, f"backward_{name}").default


_FIRST = 5  # of the arguments of a pass before its tensors


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    ctx.module = inputs[0]
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(output[-1], *inputs[_FIRST:])


def _gradients(go_back: Any, ctx: Any, *gradients: Optional[Tensor]) -> tuple[Any, ...]:
    """Of all arguments of a pass, by `go_back`: the backward operator, or what it calls."""
    engine = _found(ctx.module)
    token, *saved = ctx.saved_tensors
    wants, inputs = ctx.needs_input_grad[_FIRST:], len(engine.inputs)
    wanted = sum(1 << i for i in range(inputs) if wants[i])
    found = go_back(ctx.module, wanted, token, *gradients[:-1], *saved)
    flat, to_inputs = (found[0], found[1:]) if inputs else (found, ())
    return (*(None,) * _FIRST, *(g if want else None for g, want in zip(to_inputs, wants)),
            *(flat.as_strided(*place) if want else None for place, want in zip(engine.places, wants[inputs:])))


class _Pass(torch.autograd.Function):
    """The same without PyTorch's dispatcher, whose detours for operators written in Python cost as much as a small step."""

    @staticmethod
    def forward(ctx: Any, *arguments: Any) -> tuple[Tensor, ...]:
        output = _evaluate(*arguments)
        _keep(ctx, arguments, output)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Optional[Tensor]) -> tuple[Any, ...]:
        # With create_graph=True it is the operator's, which refuses to be differentiated.
        operator = _found(ctx.module).operators[1]
        return _gradients(operator if torch.is_grad_enabled() else _go_back, ctx, *gradients)


_PLAIN = (Tensor, torch.nn.Parameter, type(None))


def evaluate(*arguments: Any) -> tuple[Tensor, ...]:
    """_evaluate() with autograd, where nothing is compiled. What others trace or dispatch goes through the operator."""
    if torch._C._len_torch_dispatch_stack() > 0 or any(type(x) not in _PLAIN for x in arguments[_FIRST:]):
        return _found(arguments[0]).operators[0](*arguments)  # type: ignore[no-any-return]
    apply: Callable[..., tuple[Tensor, ...]] = _Pass.apply  # has types in some versions of PyTorch only
    return apply(*arguments)
