"""The operators behind cavs.torch: a forward and a backward pass of an evaluator, as PyTorch sees them."""

from __future__ import annotations

import functools
import itertools
import math
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor

from ._core import Error, Graphs, Model, _Batch, _Evaluator, _number_at, _Run, _without_leak_warnings

_without_leak_warnings()

# What a number or a tensor that passes through a compiled graph stands for.
_engines: weakref.WeakValueDictionary[int, Engine] = weakref.WeakValueDictionary()
_batches: weakref.WeakValueDictionary[int, Handle] = weakref.WeakValueDictionary()
_runs: weakref.WeakValueDictionary[int, _Run] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)

# Bits of a pass's mode.
GRADIENTS, DROPOUT, INPUT_GRADIENTS = 1, 2, 4


def gradient_mode(inputs: Sequence[Optional[Tensor]], parameters: Sequence[Tensor]) -> int:
    """The bits of a pass's mode that say which gradients it has."""
    mode = 0
    if torch.is_grad_enabled():
        for x in inputs:
            if x is not None and x.requires_grad:
                mode |= GRADIENTS | INPUT_GRADIENTS
        for parameter in parameters:
            if parameter.requires_grad:
                return mode | GRADIENTS
    return mode


class Handle:
    """A batch of C++; `tensor` stands for it in a compiled graph."""

    def __init__(self, graphs: Graphs, samples: Any) -> None:
        self.batch = _Batch(graphs, samples)
        self.graphs = graphs
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


class Table(NamedTuple):
    """How nn.Embedding has the gradient of a table: the row that has none (-1: all have one), and whether it is sparse."""

    padding: int
    sparse: bool


class Engine:
    """An evaluator, and which tensors its parameters are.

    Tensors are used where they are. One is looked at again when its memory, or the version that PyTorch counts, is
    another.
    tables: what is asked of the gradients of some tables, by name.
    """

    def __init__(self, model: Model, outputs: Sequence[str], options: dict[str, Any],
                 tables: Mapping[str, Table] = {}) -> None:
        self.evaluator = _Evaluator(model, outputs, **options)
        self.names: list[str] = self.evaluator.names
        self.outputs: list[tuple[str, int]] = self.evaluator.outputs
        self.inputs: list[tuple[str, int]] = self.evaluator.inputs
        self.has_dropout = self.evaluator.has_dropout
        self.shapes = [self.evaluator.initial(p).shape for p in range(len(self.names))]
        self.flat_size = self.evaluator.flat_size
        # Where the gradients of parameters lie in one block: arguments of as_strided, which takes less time than a split.
        self.places = [(shape, _strides(shape), begin) for shape, begin in zip(self.shapes, self.evaluator.offsets)]
        asked = [(p, *tables[name]) for p, name in enumerate(self.names) if name in tables]
        self.sparse = [(p, padding) for p, padding, sparse in asked if sparse]
        self.padded = [(p, padding) for p, padding, _ in asked if padding >= 0]
        self.beside, self.size_beside = self._places_beside({p for p, _ in self.sparse})
        self.last = 0  # number of the run whose parameters are in use; 0: that of a pass that keeps nothing
        self.number = next(_numbers)
        self.operators = operators(len(self.outputs), len(self.inputs), len(self.names))
        self.inspect: Optional[Callable[[Graphs], None]] = None  # raises an error for graphs that the module does not fit
        self.lock = threading.Lock()
        self._memory: list[Any] = [None] * len(self.names)
        self._versions = [-1] * len(self.names)
        _engines[self.number] = self

    def _places_beside(self, sparse: set[int]) -> tuple[list[Any], int]:
        """Where the gradients of parameters lie in a block without those of these tables, and its size."""
        places: list[Any] = []
        size = 0
        for p, shape in enumerate(self.shapes):
            places.append(None if p in sparse else (shape, _strides(shape), size))
            size += 0 if p in sparse else -(-math.prod(shape) // _ALIGNED) * _ALIGNED
        return places, size

    def use(self, parameters: Sequence[Tensor]) -> list[int]:
        """Makes these tensors the parameters. Returns the numbers of those that were written since the last time."""
        memories = [(tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype) for tensor in parameters]
        for p, tensor in enumerate(parameters):  # before any version is noted: one that is refused ends the pass
            if memories[p] != self._memory[p]:
                self._bind(p, tensor)
                self._memory[p] = memories[p]
        written = []
        for p, tensor in enumerate(parameters):
            version = -1 if tensor.is_inference() else tensor._version  # such tensors count no versions
            if version != self._versions[p] or version < 0:
                written.append(p)
                self._versions[p] = version
        return written

    def _bind(self, p: int, tensor: Tensor) -> None:
        _checked(tensor, f"parameter '{self.names[p]}'", self.shapes[p],
                 f"{list(self.shapes[p])}, as the model declares it", "call the module's")
        if not tensor.is_contiguous():
            raise Error(f"parameter '{self.names[p]}' has strides {tensor.stride()}; expected contiguous memory: "
                        "set it to its .contiguous()")
        self.evaluator.bind(p, tensor.detach().numpy())

    def given(self, inputs: Sequence[Optional[Tensor]], vertices: int) -> list[Optional[Tensor]]:
        """Inputs as C++ reads them; those that are None come from the graphs."""
        given: list[Optional[Tensor]] = []
        for (port, width), x in zip(self.inputs, inputs):
            if x is not None:
                _checked(x, f"input '{port}'", (vertices, width), f"[{vertices}, {width}], a row for each vertex of the "
                         "batch", "pass its")
                x = x.detach().contiguous()
            given.append(x)
        return given

    def forward(self, batch: _Batch, mode: int, seed: Optional[Tensor],
                tensors: Sequence[Any]) -> tuple[list[Tensor], Tensor]:
        """Evaluates a batch: the outputs [vertices, width], and a token that keeps the pass open.

        The token's bits are the run's number. As a float that is next to zero, since checks of operators compare outputs.
        """
        vertices, count = batch.vertices, len(self.inputs)
        outputs = [torch.empty(vertices, width) for _, width in self.outputs]
        given = self.given(tensors[:count], vertices) if count else []
        with self.lock:
            run = self.evaluator.forward(batch, mode, 0 if seed is None else int(seed.item()),
                                         self.use(tensors[count:]), _addresses(given), _addresses(outputs), given)
            self.last = number = next(_numbers) if mode & GRADIENTS else 0
        if not number:
            return outputs, torch.zeros(1, dtype=torch.float64)
        _runs[number] = run
        return outputs, torch.from_numpy(run.token(number))

    def backward(self, token: Tensor, wanted: Sequence[bool], gradients: Sequence[Optional[Tensor]],
                 tensors: Sequence[Any], sparse: bool = False) -> tuple[Tensor, list[Tensor], list[Optional[Tensor]]]:
        """The flat block of gradients of parameters, those of sparse tables, and those of the inputs that are wanted.

        gradients: of outputs; None: zeros. tensors: inputs and parameters of the forward pass. sparse: False where the
        gradients of all tables shall be in the flat block.
        """
        number, inputs = _number_at(token.data_ptr()), len(self.inputs)
        run = _runs.get(number)
        if run is None:
            raise Error("the forward pass of this backward pass is not open any more: its token was copied or moved (by "
                        "hooks on saved tensors, say); leave the tensors that cavs saves as they are")
        flat = torch.empty(self.size_beside if sparse else self.flat_size)
        to_inputs = [torch.empty(x.shape) if want else None for x, want in zip(tensors[:inputs], wanted)]
        from_outputs = [None if g is None else g.detach().contiguous() for g in gradients]
        with self.lock:
            if self.last != number:
                self.evaluator.touch(self.use(tensors[inputs:]))
                self.last = number
            if sparse:
                rows = run.backward_rows(_addresses(from_outputs), self._addresses_beside(flat), _addresses(to_inputs),
                                         self.sparse)
            else:
                run.backward(_addresses(from_outputs), flat.data_ptr(), _addresses(to_inputs))
                rows = []
        places = self.beside if sparse else self.places
        for p, padding in self.padded:
            if places[p] is not None:
                flat.as_strided(*places[p])[padding].zero_()
        return flat, [self._sparse(p, *found) for (p, _), found in zip(self.sparse, rows)], to_inputs

    def _addresses_beside(self, flat: Tensor) -> list[int]:
        begin = flat.data_ptr()
        return [0 if place is None else begin + place[2] * flat.itemsize for place in self.beside]

    def _sparse(self, p: int, rows: Any, values: Any) -> Tensor:
        """The gradient of a table, of the rows that were read."""
        shape = self.shapes[p]
        return torch.sparse_coo_tensor(torch.from_numpy(rows)[None], torch.from_numpy(values).view(-1, shape[1]), shape,
                                       is_coalesced=True, check_invariants=False)

    def pieces(self, flat: Tensor, tables: Sequence[Tensor], wants: Sequence[bool]) -> list[Optional[Tensor]]:
        """The gradients of those parameters that want one, of what backward() returns."""
        if not tables:
            return [flat.as_strided(*place) if want else None for place, want in zip(self.places, wants)]
        found = iter(tables)
        pieces = [next(found) if place is None else flat.as_strided(*place) for place in self.beside]
        return [piece if want else None for piece, want in zip(pieces, wants)]


_ALIGNED = 16  # numbers; each gradient in a block begins at a multiple


def _addresses(tensors: Sequence[Optional[Tensor]]) -> list[int]:
    """Where C++ finds them; 0 for None."""
    return [0 if x is None else x.data_ptr() for x in tensors]


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))


def _found(number: int) -> Engine:
    engine = _engines.get(number)
    if engine is None:
        raise Error("the module that this pass belongs to does not exist any more; keep it as long as its outputs")
    return engine


def _evaluate(module: int, mode: int, batch: Tensor, sample: Tensor, seed: Optional[Tensor],
              *tensors: Any) -> tuple[Tensor, ...]:
    """Engine.forward, as an operator: outputs and token.

    mode: bits, see above. batch: Handle.tensor. sample: [vertices], whose size alone is read. seed: of dropout masks.
    tensors: inputs (None: of the graphs) and parameters.
    """
    handle = _batches.get(int(batch.item()))
    if handle is None:
        raise Error("the batch does not exist any more; keep the cavs.torch.Batch as long as the call")
    engine = _found(module)
    if engine.inspect is not None:
        engine.inspect(handle.graphs)
    outputs, token = engine.forward(handle.batch, mode, seed, tensors)
    return *outputs, token


def _evaluate_fake(module: int, mode: int, batch: Tensor, sample: Tensor, seed: Optional[Tensor],
                   *tensors: Any) -> tuple[Tensor, ...]:
    rows = sample.shape[0]
    return (*(sample.new_empty(rows, width, dtype=torch.float32) for _, width in _found(module).outputs),
            batch.new_empty(1, dtype=torch.float64))


def _go_back(module: int, wanted: int, token: Tensor, *tensors: Any) -> Any:
    """Engine.backward, as an operator: the flat block, and gradients of inputs; empty where bit i of `wanted` is 0.

    tensors: gradients of outputs (None: zeros), inputs and parameters.
    """
    engine = _found(module)
    outputs, inputs = len(engine.outputs), len(engine.inputs)
    flat, _, to_inputs = engine.backward(token, [bool(wanted >> i & 1) for i in range(inputs)], tensors[:outputs],
                                         tensors[outputs:])
    return (flat, *(torch.empty(0) if x is None else x for x in to_inputs)) if inputs else flat


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


_FIRST = 5  # of the arguments of a pass before its tensors
_MOST = 64  # arguments of an operator of PyTorch


def _too_many(*arguments: Any) -> Any:
    raise Error(f"a module with {len(arguments) - _FIRST} parameters and inputs cannot be a part of a compiled function or "
                f"of torch.func: an operator of PyTorch has at most {_MOST} arguments, gradients of outputs among them; leave "
                "the module out: net.forward = torch.compiler.disable(net.forward)")



def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    ctx.module = inputs[0]
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(output[-1], *inputs[_FIRST:])


def _gradients(go_back: Any, ctx: Any, *gradients: Optional[Tensor]) -> tuple[Any, ...]:
    """Of all arguments of a pass, by the backward operator."""
    engine = _found(ctx.module)
    token, *saved = ctx.saved_tensors
    wants, inputs = ctx.needs_input_grad[_FIRST:], len(engine.inputs)
    wanted = sum(1 << i for i in range(inputs) if wants[i])
    found = go_back(ctx.module, wanted, token, *gradients[:-1], *saved)
    flat, to_inputs = (found[0], found[1:]) if inputs else (found, ())
    return (*(None,) * _FIRST, *(g if want else None for g, want in zip(to_inputs, wants)),
            *engine.pieces(flat, (), wants[inputs:]))


class _Pass(torch.autograd.Function):
    """The same without PyTorch's dispatcher, whose detours for operators written in Python cost as much as a small step."""

    @staticmethod
    def forward(ctx: Any, engine: Engine, mode: int, batch: _Batch, seed: Optional[Tensor],
                *tensors: Any) -> tuple[Tensor, ...]:
        outputs, token = engine.forward(batch, mode, seed, tensors)
        if mode & GRADIENTS:
            ctx.engine = engine
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(token, *tensors)
        return tuple(outputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Optional[Tensor]) -> tuple[Any, ...]:
        if not torch.is_grad_enabled():
            return _pass_back(ctx.engine, ctx.needs_input_grad, gradients, ctx.saved_tensors, bool(ctx.engine.sparse))
        back: Callable[..., tuple[Any, ...]] = _PassBack.apply
        return back(ctx.engine, ctx.needs_input_grad, *gradients, *ctx.saved_tensors)


class _PassBack(torch.autograd.Function):
    """The backward pass with create_graph=True: its own derivative is refused."""

    @staticmethod
    def forward(ctx: Any, engine: Engine, needed: Sequence[bool], *tensors: Any) -> tuple[Any, ...]:
        outputs = len(engine.outputs)
        return _pass_back(engine, needed, tensors[:outputs], tensors[outputs:])

    @staticmethod
    def backward(ctx: Any, *gradients: Optional[Tensor]) -> Any:
        return _refuse(ctx, *gradients)


def _pass_back(engine: Engine, needed: Sequence[bool], gradients: Sequence[Optional[Tensor]],
               saved: Sequence[Any], sparse: bool = False) -> tuple[Any, ...]:
    """Gradients of what _Pass is called with."""
    to_inputs, to_parameters = needed[4 : 4 + len(engine.inputs)], needed[4 + len(engine.inputs):]
    flat, tables, found = engine.backward(saved[0], to_inputs, gradients, saved[1:], sparse)
    return None, None, None, None, *found, *engine.pieces(flat, tables, to_parameters)


_PLAIN = {Tensor, torch.nn.Parameter, type(None)}


def evaluate(engine: Engine, mode: int, handle: Handle, sample: Tensor, seed: Optional[Tensor],
             tensors: Sequence[Optional[Tensor]]) -> tuple[Tensor, ...]:
    """Outputs of a pass, with autograd. What others trace or dispatch goes through the operator, all else past it."""
    if torch._C._len_torch_dispatch_stack() > 0 or not _PLAIN.issuperset(map(type, tensors)):
        found: tuple[Tensor, ...] = engine.operators[0](engine.number, mode, handle.tensor, sample, seed, *tensors)
        return found[:-1]  # without the token
    if engine.inspect is not None:
        engine.inspect(handle.graphs)
    apply: Callable[..., tuple[Tensor, ...]] = _Pass.apply  # has types in some versions of PyTorch only
    return apply(engine, mode, handle.batch, seed, *tensors)
