"""The PyTorch operators of cavs.torch: forward and backward passes of an evaluator."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor

from ._core import Error, Graphs, Model, _Batch, _Evaluator, _number_at, _without_leak_warnings
from ._torch_gpu import KINDS
from ._torch_passes import Description, DevicePasses, Found, HostPasses, Passes

_without_leak_warnings()

# Objects to which a compiled graph refers by a number, or by a tensor that holds the number.
_engines: weakref.WeakValueDictionary[int, Engine] = weakref.WeakValueDictionary()
_batches: weakref.WeakValueDictionary[int, Handle] = weakref.WeakValueDictionary()
_runs: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)

# The bits of the mode of a pass.
GRADIENTS, DROPOUT, INPUT_GRADIENTS = 1, 2, 4


def gradient_mode(inputs: Sequence[Optional[Tensor]], parameters: Sequence[Tensor]) -> int:
    """Returns the bits of a pass's mode for the gradients that the pass needs."""
    mode = 0
    if torch.is_grad_enabled():
        for x in inputs:
            if x is not None and x.requires_grad:
                mode |= GRADIENTS | INPUT_GRADIENTS
        for parameter in parameters:
            if parameter.requires_grad:
                return mode | GRADIENTS
    return mode


def uncast(x: Optional[Tensor]) -> Optional[Tensor]:
    """Casts tensors that autocast has cast to a smaller type back to float32."""
    is_cast = x is not None and x.dtype in (torch.bfloat16, torch.float16) and torch.is_autocast_enabled(x.device.type)
    return x.float() if is_cast and x is not None else x


class Handle:
    """A C++ batch. `tensor` represents the batch in a compiled graph."""

    def __init__(self, graphs: Graphs, samples: Any) -> None:
        self.batch = _Batch(graphs, samples)
        self.graphs = graphs
        number = next(_numbers)
        self.tensor = torch.tensor([number], device="cpu")
        self.plans: dict[Any, Any] = {}  # kind of a pass -> its prepared plan
        _batches[number] = self


class Table(NamedTuple):
    """Gradient options of a table, as in nn.Embedding: the padding row without a gradient (-1 for none), and sparse."""

    padding: int
    sparse: bool


class Engine:
    """A model and its passes, for each kind of device that its parameters have been on.

    tables: name -> gradient options of a table.
    """

    def __init__(self, model: Model, outputs: Sequence[str], options: dict[str, Any],
                 tables: Mapping[str, Table] = {}) -> None:
        self.evaluator = _Evaluator(model, outputs, **options)
        self.names: list[str] = self.evaluator.names
        self.outputs: list[tuple[str, int]] = self.evaluator.outputs
        self.inputs: list[tuple[str, int]] = self.evaluator.inputs
        self.has_dropout = self.evaluator.has_dropout
        asked = [(p, *tables[name]) for p, name in enumerate(self.names) if name in tables]
        self._of = Description(model, outputs, options, self.names,
                               [self.evaluator.initial(p).shape for p in range(len(self.names))], self.inputs, self.outputs,
                               sparse=[(p, padding) for p, padding, sparse in asked if sparse],
                               padded=[(p, padding) for p, padding, _ in asked if padding >= 0])
        self.sparse = bool(self._of.sparse)
        self.number = next(_numbers)
        self.operators = operators(len(self.outputs), len(self.inputs), len(self.names))
        self.inspect: Optional[Callable[[Graphs], None]] = None  # raises Error for graphs that do not fit the module
        self._host = HostPasses(self._of, self.evaluator)
        self._of_kind: dict[str, DevicePasses] = {}
        self._last: Optional[tuple[int, torch.device, list[bool]]] = None
        _engines[self.number] = self

    def on(self, device: torch.device) -> Passes:
        """Returns the passes for a device."""
        gpu = KINDS.get(device.type)
        if gpu is None:
            return self._host
        if device.type not in self._of_kind:
            self._of_kind[device.type] = DevicePasses(self._of, gpu)
        return self._of_kind[device.type]

    def device_of(self, tensors: Sequence[Any]) -> torch.device:
        """Returns the device of a pass with these inputs and parameters: the device of the parameters."""
        device: torch.device = next((x.device for x in reversed(tensors) if x is not None), torch.device("cpu"))
        return device

    def prepare(self, handle: Handle) -> None:
        """Prepares a pass of the same kind as the last pass."""
        if self._last is not None:
            mode, device, given = self._last
            self.on(device).prepare(handle, mode, device, given)

    def forward(self, handle: Handle, mode: int, seed: Optional[Tensor],
                tensors: Sequence[Any]) -> tuple[list[Tensor], Tensor]:
        """Evaluates a batch. Returns the outputs [vertices, width], and a token that keeps the pass open.

        The token is a float whose bits are the run's number. It is close to zero, since checks of operators compare it.
        """
        device = self.device_of(tensors)
        number = next(_numbers) if mode & GRADIENTS else 0
        outputs, run = self.on(device).forward(handle, mode, 0 if seed is None else int(seed.item()), number, tensors,
                                               device)
        self._last = mode, device, [x is not None for x in tensors[:len(self.inputs)]]
        if not number:
            return outputs, torch.zeros(1, dtype=torch.float64, device="cpu")
        _runs[number] = run
        return outputs, torch.from_numpy(run.token(number))

    def backward(self, token: Tensor, wanted: Sequence[bool], gradients: Sequence[Optional[Tensor]],
                 tensors: Sequence[Any], sparse: bool = False) -> Found:
        """Computes gradients. gradients: gradients of outputs, None for zeros. tensors: inputs and parameters of the
        forward pass. sparse: False puts the gradients of all tables in the flat block.
        """
        number = _number_at(token.data_ptr()) if token.device.type == "cpu" else 0
        run = _runs.get(number)
        if run is None:
            raise Error("the forward pass of this backward pass does not exist any more: its token was copied or moved "
                        "(such as by hooks on saved tensors); do not change the tensors that cavs saves")
        return self.on(self.device_of(tensors)).backward(run, number, wanted, gradients, tensors, sparse)


def _found(number: int) -> Engine:
    engine = _engines.get(number)
    if engine is None:
        raise Error("the module of this pass does not exist any more; keep the module as long as its outputs")
    return engine


def _evaluate(module: int, mode: int, batch: Tensor, sample: Tensor, seed: Optional[Tensor],
              *tensors: Any) -> tuple[Tensor, ...]:
    """Engine.forward as an operator: returns outputs and token.

    mode: bits, see above. batch: Handle.tensor. sample: [vertices], only its size is read. seed: seed of dropout masks.
    tensors: inputs (None if the graphs have them) and parameters.
    """
    handle = _batches.get(int(batch.item()))
    if handle is None:
        raise Error("the batch does not exist any more; keep the cavs.torch.Batch until the call returns")
    engine = _found(module)
    if engine.inspect is not None:
        engine.inspect(handle.graphs)
    outputs, token = engine.forward(handle, mode, seed, tensors)
    return *outputs, token


def _evaluate_fake(module: int, mode: int, batch: Tensor, sample: Tensor, seed: Optional[Tensor],
                   *tensors: Any) -> tuple[Tensor, ...]:
    engine, rows = _found(module), sample.shape[0]
    device = engine.device_of(tensors)
    return (*(torch.empty(rows, width, dtype=torch.float32, device=device) for _, width in engine.outputs),
            batch.new_empty(1, dtype=torch.float64))


def _go_back(module: int, wanted: int, token: Tensor, *tensors: Any) -> Any:
    """Engine.backward as an operator: returns the flat block and gradients of inputs, empty if bit i of `wanted` is 0.

    tensors: gradients of outputs (None for zeros), inputs and parameters.
    """
    engine = _found(module)
    outputs, inputs = len(engine.outputs), len(engine.inputs)
    flat, _, to_inputs = engine.backward(token, [bool(wanted >> i & 1) for i in range(inputs)], tensors[:outputs],
                                         tensors[outputs:])
    return (flat, *(flat.new_empty(0) if x is None else x for x in to_inputs)) if inputs else flat


def _go_back_fake(module: int, wanted: int, token: Tensor, *tensors: Any) -> Any:
    engine = _found(module)
    first, second = len(engine.outputs), len(engine.outputs) + len(engine.inputs)
    device = engine.device_of(tensors[first:])
    flat = torch.empty(engine.on(device).flat_size, dtype=torch.float32, device=device)
    to_inputs = _like_inputs(wanted, tensors[first:second], flat)
    return (flat, *to_inputs) if to_inputs else flat


def _like_inputs(wanted: int, inputs: Sequence[Optional[Tensor]], flat: Tensor) -> list[Tensor]:
    return [flat.new_empty(x.shape if x is not None and wanted >> i & 1 else 0) for i, x in enumerate(inputs)]


def _refuse(ctx: Any, *gradients: Any) -> Any:
    raise Error("double backward through a cavs.torch.Module, which has only first derivatives; do not pass "
                "create_graph=True, or detach() its outputs")


def _schema(fixed: str, counts: Sequence[tuple[str, str, int]], returned: int) -> str:
    """Returns a schema with an argument per tensor: lists take as long as a step. counts: (type, name, count)."""
    tensors = [f"{of} {name}{i}" for of, name, count in counts for i in range(count)]
    out = ", ".join(["Tensor"] * returned)
    return f"({', '.join([fixed, *tensors])}) -> {f'({out})' if returned > 1 else out}"


@functools.cache
def operators(outputs: int, inputs: int, parameters: int) -> tuple[Any, Any]:
    """Returns forward and backward operator for modules with these numbers of outputs, inputs and parameters."""
    if _FIRST + outputs + inputs + parameters > _MOST:
        return _too_many, _too_many
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


_FIRST = 5  # number of arguments of a pass before its tensors
_MOST = 64  # largest number of arguments of a PyTorch operator


def _too_many(*arguments: Any) -> Any:
    raise Error(f"a module with {len(arguments) - _FIRST} parameters and inputs cannot be used in a compiled function or "
                f"with torch.func: a PyTorch operator has at most {_MOST} arguments, including gradients of outputs; "
                "exclude the module: net.forward = torch.compiler.disable(net.forward)")



def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    ctx.module = inputs[0]
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(output[-1], *inputs[_FIRST:])


def _gradients(go_back: Any, ctx: Any, *gradients: Optional[Tensor]) -> tuple[Any, ...]:
    """Returns the gradients of all arguments of a pass, computed by the backward operator."""
    engine = _found(ctx.module)
    token, *saved = ctx.saved_tensors
    wants, inputs = ctx.needs_input_grad[_FIRST:], len(engine.inputs)
    wanted = sum(1 << i for i in range(inputs) if wants[i])
    found = go_back(ctx.module, wanted, token, *gradients[:-1], *saved)
    flat, to_inputs = (found[0], found[1:]) if inputs else (found, ())
    return (*(None,) * _FIRST, *(g if want else None for g, want in zip(to_inputs, wants)),
            *engine.on(flat.device).pieces(flat, (), wants[inputs:]))


class _Pass(torch.autograd.Function):
    """A pass without PyTorch's dispatcher, which takes as long as a small step for operators written in Python."""

    @staticmethod
    def forward(ctx: Any, engine: Engine, mode: int, handle: Handle, seed: Optional[Tensor],
                *tensors: Any) -> tuple[Tensor, ...]:
        outputs, token = engine.forward(handle, mode, seed, tensors)
        if mode & GRADIENTS:
            ctx.engine = engine
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(token, *tensors)
        return tuple(outputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Optional[Tensor]) -> tuple[Any, ...]:
        if not torch.is_grad_enabled():
            return _pass_back(ctx.engine, ctx.needs_input_grad, gradients, ctx.saved_tensors, ctx.engine.sparse)
        back: Callable[..., tuple[Any, ...]] = _PassBack.apply
        return back(ctx.engine, ctx.needs_input_grad, *gradients, *ctx.saved_tensors)


class _PassBack(torch.autograd.Function):
    """The backward pass with create_graph=True. Differentiating it raises Error."""

    @staticmethod
    def forward(ctx: Any, engine: Engine, needed: Sequence[bool], *tensors: Any) -> tuple[Any, ...]:
        outputs = len(engine.outputs)
        return _pass_back(engine, needed, tensors[:outputs], tensors[outputs:])

    @staticmethod
    def backward(ctx: Any, *gradients: Optional[Tensor]) -> Any:
        return _refuse(ctx, *gradients)


def _pass_back(engine: Engine, needed: Sequence[bool], gradients: Sequence[Optional[Tensor]],
               saved: Sequence[Any], sparse: bool = False) -> tuple[Any, ...]:
    """Returns the gradients of the arguments of _Pass."""
    to_inputs, to_parameters = needed[4 : 4 + len(engine.inputs)], needed[4 + len(engine.inputs):]
    flat, tables, found = engine.backward(saved[0], to_inputs, gradients, saved[1:], sparse)
    return None, None, None, None, *found, *engine.on(flat.device).pieces(flat, tables, to_parameters)


_PLAIN = {Tensor, torch.nn.Parameter, type(None)}


def evaluate(engine: Engine, mode: int, handle: Handle, sample: Tensor, seed: Optional[Tensor],
             tensors: Sequence[Optional[Tensor]]) -> tuple[Tensor, ...]:
    """Returns the outputs of a pass, with autograd. Only calls that are traced or dispatched use the operator."""
    if torch._C._len_torch_dispatch_stack() > 0 or not _PLAIN.issuperset(map(type, tensors)):
        found: tuple[Tensor, ...] = engine.operators[0](engine.number, mode, handle.tensor, sample, seed, *tensors)
        return found[:-1]  # without the token
    if engine.inspect is not None:
        engine.inspect(handle.graphs)
    apply: Callable[..., tuple[Tensor, ...]] = _Pass.apply  # has types only in some versions of PyTorch
    return apply(engine, mode, handle, seed, *tensors)
