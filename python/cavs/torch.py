"""cavs models as torch.nn.Modules, which combine with other PyTorch modules, losses and optimizers."""

from __future__ import annotations

import copy
import pathlib
import sys
import tempfile
from collections.abc import Callable, Iterable
from typing import Any

import numpy

try:
    import torch
except ModuleNotFoundError as missing:
    if missing.name != "torch":
        raise
    raise ModuleNotFoundError("cavs.torch needs PyTorch 2.4 or newer; install it: pip install torch",
                              name="torch") from None
if not hasattr(torch.library, "custom_op"):
    raise ImportError(f"cavs.torch needs PyTorch 2.4 or newer, found {torch.__version__}; "
                      "upgrade it: pip install --upgrade torch")

from torch import Tensor

from ._cells import Batched, Child, Children, EdgeIndex, Edges, Index, Input, batched
from ._core import Error, Graphs, Model, _save_module, load
from ._torch_ops import DROPOUT, Engine, Handle, evaluate, gradient_mode, uncast

__all__ = ["Batch", "Batched", "Child", "Children", "EdgeIndex", "Edges", "Index", "Input", "Module", "batched"]


def _mark_dynamic(tensor: Any) -> None:
    """Tells torch.compile that the size of this tensor varies."""
    dynamo = sys.modules.get("torch._dynamo")
    if dynamo is not None:
        dynamo.maybe_mark_dynamic(tensor, 0)
    else:  # does the same without importing torch._dynamo, which takes seconds
        tensor._dynamo_weak_dynamic_indices = {0}


class Batch:
    """The graphs of one forward pass: all samples of `graphs`, or the given sample numbers, in this order.

    Vertices are numbered through all samples of the batch; tensors of a batch have one row per vertex.

    sample: [vertices], the position of each vertex's sample in the batch, for pooling.
    rows: [vertices], the number of each vertex in `graphs`, to index tensors with a row per vertex of `graphs`.
    roots: the vertices of the batch without parents, ascending.
    types: names of the vertex types.

    The three tensors are on the CPU; to() returns a batch with them on another device. Modules on any device accept any
    batch. Make batches outside of functions that torch.compile compiles. Cost: linear in the vertices of the batch.
    """

    def __init__(self, graphs: Graphs, samples: Iterable[int] | Tensor | None = None) -> None:
        if not isinstance(graphs, Graphs):
            raise Error(f"a batch is made of a {type(graphs).__name__}; expected cavs.Graphs")
        if isinstance(samples, Tensor):
            samples = samples.numpy()
        elif samples is not None:
            samples = numpy.array(list(samples))
        self.graphs, self._samples = graphs, samples
        self.types = tuple(graphs.type_names)
        self._handle = Handle(graphs, samples)
        self._tensor = self._handle.tensor
        self._set(torch.from_numpy(self._handle.batch.sample()), torch.from_numpy(self._handle.batch.rows()),
                  torch.from_numpy(self._handle.batch.roots()))

    def _set(self, sample: Tensor, rows: Tensor, roots: Tensor) -> None:
        self.sample, self.rows, self.roots = sample, rows, roots
        for tensor in (sample, rows, roots):
            _mark_dynamic(tensor)

    def _with(self, change: Callable[[Tensor], Tensor]) -> Batch:
        """Returns a batch with the same graphs and plans, and tensors changed by `change`."""
        made = object.__new__(Batch)
        made.__dict__.update(self.__dict__)
        made._set(change(self.sample), change(self.rows), change(self.roots))
        return made

    def to(self, device: torch.device | str | int, non_blocking: bool = False) -> Batch:
        """Returns the batch with its tensors on a device."""
        return self._with(lambda tensor: tensor.to(device, non_blocking=non_blocking))

    def pin_memory(self) -> Batch:
        """Returns the batch with its tensors in pinned memory, for to(device, non_blocking=True) and DataLoader."""
        return self._with(Tensor.pin_memory)

    def prepare(self, net: torch.nn.Module) -> Batch:
        """Plans the passes of all cavs modules in `net` that are on a GPU, so that the passes only launch kernels.

        Planning runs on the host, so another thread may plan while earlier passes run. The plan is for the same inputs
        and gradients as the module's last pass; before a module's first pass, nothing is planned. Pickling a batch,
        such as in a worker of a DataLoader, drops its plans. Returns the batch.
        """
        for module in net.modules():
            prepare = getattr(module, "_prepare_batch", None)
            if prepare is not None:
                prepare(self)
        return self

    def __len__(self) -> int:
        return len(self._handle.batch)

    def __reduce__(self) -> tuple[Any, ...]:
        return Batch, (self.graphs, self._samples)

    def __repr__(self) -> str:
        return f"<cavs.torch.Batch: {len(self)} samples, {self._handle.batch.vertices} vertices>"


class Module(torch.nn.Module):
    """A cavs model as a PyTorch module, which owns the parameters.

    net(batch) evaluates a Batch (or Graphs, as one batch) and returns a dict: output -> tensor [vertices, width].
    A float port that the model pulls comes from the graphs, or is passed by name as a tensor [vertices, width]:
    net(batch, x=encoder(words)). Parameters and these tensors get gradients. The model's own losses are ignored.

    All tensors are float32 on the device of the parameters: the CPU, or a CUDA GPU (net.to("cuda")), where tensors are
    used in place, in the order of the current stream. Several passes may be open at the same time; a pass is freed with
    the autograd graph of its outputs. A pass without gradients keeps nothing. In training mode, PyTorch's generator
    draws the dropout masks. Under autocast, inputs are cast to float32.

    model: the model or network, which is copied. Tensors of a network have one row per vertex of the data, whichever
    functions run there.
    outputs: names of pushes or states, in a network also FUNCTION.NAME; empty for all pushes that no connection reads.
    threads, engine: as in Trainer; used only on the CPU.
    policy, precision: as in Trainer. On a GPU, "fp32" follows PyTorch's switch for TF32.
    """

    def __init__(self, model: Model, outputs: Iterable[str] = (), *, threads: int = 1, engine: str = "batched",
                 policy: str = "frontier", precision: str = "fp32") -> None:
        super().__init__()
        if not isinstance(model, Model):
            raise Error(f"a module is made of a {type(model).__name__}; expected a cavs.Model; to load a checkpoint, "
                        "use cavs.torch.Module.load(path)")
        if isinstance(outputs, str):
            raise Error(f"outputs is the text '{outputs}'; expected a list of names: outputs=['{outputs}']")
        self._model = copy.copy(model)
        self._wanted = list(outputs)
        self._options: dict[str, Any] = {"threads": threads, "engine": engine, "policy": policy, "precision": precision}
        self._start()
        for p, (name, key) in enumerate(zip(self._engine.names, self._keys)):
            if hasattr(self, key):
                raise Error(f"parameter '{name}' has the name of an attribute of modules; give it another name")
            self.register_parameter(key, torch.nn.Parameter(torch.from_numpy(self._engine.evaluator.initial(p))))

    def _start(self) -> None:
        """Creates the members that copies and files do not contain."""
        self._engine = Engine(self._model, self._wanted, self._options)
        self._number = self._engine.number
        self._keys = [name.replace(".", "/") for name in self._engine.names]
        self._inputs = [name for name, _ in self._engine.inputs]
        self._outputs = [name for name, _ in self._engine.outputs]
        self._has_dropout = self._engine.has_dropout
        self._operator = self._engine.operators[0]

    @property
    def model(self) -> Model:
        """A copy of the model as it was declared."""
        return copy.copy(self._model)

    @property
    def inputs(self) -> list[tuple[str, int]]:
        """Names and widths of the float ports that the model pulls."""
        return list(self._engine.inputs)

    @property
    def outputs(self) -> list[tuple[str, int]]:
        """Names and widths of the tensors that a pass returns."""
        return list(self._engine.outputs)

    def forward(self, batch: Batch | Graphs, /, **inputs: Tensor) -> dict[str, Tensor]:
        if isinstance(batch, Graphs):
            batch = Batch(batch)
        elif not isinstance(batch, Batch):
            raise Error(f"a module is called with a {type(batch).__name__}; expected a cavs.torch.Batch or cavs.Graphs")
        for name, value in inputs.items():
            if value is not None and not isinstance(value, Tensor):
                raise Error(f"input '{name}' is of type {type(value).__name__}; expected a torch.Tensor, such as "
                            "torch.from_numpy(array)")
        unknown = [name for name in inputs if name not in self._inputs]
        if unknown:
            raise Error(f"the outputs do not depend on an input '{unknown[0]}'; known: "
                        f"{', '.join(self._inputs) or 'none'}")
        given = [uncast(inputs.get(name)) for name in self._inputs]
        compiling = torch.compiler.is_compiling()
        own: Any = {} if compiling else self._parameters  # without parameters that are computed from others
        parameters = [own[key] if key in own else getattr(self, key) for key in self._keys]
        mode = gradient_mode(given, parameters)
        seed = None
        if self.training and self._has_dropout:
            mode |= DROPOUT
            seed = torch.randint(0, 2**31 - 1, (1,), device="cpu")
        if compiling:  # the last value is the token
            values = self._operator(self._number, mode, batch._tensor, batch.sample, seed, *given, *parameters)
        else:
            values = evaluate(self._engine, mode, batch._handle, batch.sample, seed, [*given, *parameters])
        return dict(zip(self._outputs, values))

    def _prepare_batch(self, batch: Batch) -> None:
        self._engine.prepare(batch._handle)

    def extra_repr(self) -> str:
        inputs = f"inputs={self.inputs}, " if self._inputs else ""
        return f"{inputs}outputs={self.outputs}, {', '.join(f'{k}={v!r}' for k, v in self._options.items())}"

    def save(self, path: str | pathlib.Path) -> None:
        """Saves model and parameters as a checkpoint for prediction, for load(), cavs.load and `cavs predict`."""
        values = [(name, getattr(self, key).detach().cpu().contiguous().numpy())
                  for name, key in zip(self._engine.names, self._keys)]
        _save_module(self._model, values, str(path))

    @classmethod
    def load(cls, path: str | pathlib.Path, outputs: Iterable[str] = (), **options: Any) -> Module:
        """Makes a module of the model and parameters in a checkpoint of save(), cavs.fit or `cavs train`.

        options: options of Module.
        """
        trained = load(str(path))
        made = cls(trained.model, outputs, **options)
        with torch.no_grad():
            for name, key in zip(made._engine.names, made._keys):
                getattr(made, key).copy_(torch.from_numpy(trained.parameters[name]))
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Module:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        state = {k: v for k, v in self.__dict__.items() if k not in ("_engine", "_operator", "_model")}
        made.__dict__.update(copy.deepcopy(state, memo), _model=self._model)
        made._start()
        return made

    def __getstate__(self) -> dict[str, Any]:
        """The state, with model and parameters as the bytes of a safetensors file. They are restored on the CPU."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("_engine", "_operator", "_model", "_parameters")}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "module.cavs"
            self.save(path)
            state["safetensors"] = path.read_bytes()
        state["frozen"] = [key for key in self._keys if not getattr(self, key).requires_grad]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        rest = dict(state)
        data, frozen = rest.pop("safetensors"), rest.pop("frozen")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "module.cavs"
            path.write_bytes(data)
            trained = load(str(path))
        set_state: Any = super().__setstate__  # __setstate__ has no type annotations
        set_state({**rest, "_model": trained.model, "_parameters": {}})
        self._start()
        for name, key in zip(self._engine.names, self._keys):
            self.register_parameter(key, torch.nn.Parameter(torch.from_numpy(trained.parameters[name]),
                                                            requires_grad=key not in frozen))
