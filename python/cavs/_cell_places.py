"""Finds the line of the user's code that an operation of a cell comes from, for messages."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch.fx import Node
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

if TYPE_CHECKING:
    from ._cell_trace import Trace


def operation(node: Node) -> str:
    """Returns the name of a node's operation, such as linear, add or getitem."""
    schema = getattr(node.target, "_schema", None)
    if schema is not None:
        return str(schema.name).rpartition("::")[2]
    return str(getattr(node.target, "__name__", node.op))


def line_of(text: str | None) -> str:
    """Returns the last line of the user's code in the text of a traceback; empty if there is none."""
    lines = [line.strip() for line in (text or "").splitlines()]
    found = [f"{at} {code}" for at, code in zip(lines, lines[1:]) if at.startswith("File ") and _is_users(at)]
    return found[-1] if found else ""


def _is_users(place: str) -> bool:
    return "-packages/torch/" not in place and "/cavs/_cell" not in place and "<string>" not in place


def line_of_error(error: BaseException) -> str:
    """Returns the line of the user's code where an error was raised."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "forward" in frame.name or frame.line]
    users = [frame for frame in frames if _is_users(frame.filename)]
    if users:
        return f'File "{users[-1].filename}", line {users[-1].lineno}, in {users[-1].name} {users[-1].line}'
    return line_of(str(error)) or "a line of PyTorch"


@contextlib.contextmanager
def running(cell: torch.nn.Module, method: str, training: bool) -> Iterator[torch.nn.Module]:
    """The cell with `method` as its forward, in training or evaluation mode."""
    modes = {module: module.training for module in cell.modules()}
    had = cell.__dict__.get("forward")
    if method != "forward":
        cell.__dict__["forward"] = getattr(cell, method)
    try:
        yield cell.train(training)
    finally:
        for module, mode in modes.items():
            module.training = mode
        if method != "forward":
            del cell.__dict__["forward"]
        if had is not None:
            cell.__dict__["forward"] = had


class _FunctionCalls(TorchFunctionMode):
    """Records calls of PyTorch functions with the lines of the user's code that call them, the innermost last."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str]]] = []

    def note(self, name: str) -> None:
        frames = [f for f in traceback.extract_stack() if _is_users(f.filename)]
        self.found.append((name, [f'File "{f.filename}", line {f.lineno}, in {f.name} {f.line}' for f in frames]))

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.note(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))


class _OperationCalls(TorchDispatchMode):
    """Records calls of PyTorch operators, such as select for x[1], in the same way."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls = _FunctionCalls()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.calls.note(str(func).split(".")[1])
        return func(*args, **(kwargs or {}))


def place_of(trace: Trace, node: Node) -> str:
    """Returns the place of an operation in the user's code: file, line, and path of the module."""
    line = line_of(node.meta.get("stack_trace"))
    inner = _inner_line(trace, node, line)
    paths = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values()]
    module = "".join(f", module {path}" for path in paths[-1:] if path and not path.startswith("_empty"))
    return f"\n  at {inner or line or 'a line of PyTorch'}{module}" + (f"\n  called at {line}" if inner else "")


def _inner_line(trace: Trace, node: Node, line: str) -> str:
    """Returns the line in a helper function that `line` calls (torch.export records `line` alone), or an empty text."""
    with contextlib.suppress(Exception), running(trace.cell, trace.method, False), torch.no_grad():
        with _FunctionCalls() as functions, _OperationCalls() as operations:
            trace.cell(**trace.example(trace.traced))
        at = line.split(", in ")[0] + ","
        nodes = [n for n in trace.graph.nodes if operation(n) == operation(node)]
        nodes = [n for n in nodes if line_of(n.meta.get("stack_trace")) == line]
        for calls in (operations.calls, functions):
            of_node = [lines for name, lines in calls.found if name == operation(node)]
            inner = [lines[-1] for lines in of_node if any(one.startswith(at) for one in lines)]
            if len(set(inner)) == 1 or len(inner) == len(nodes) > 0:
                found = inner[0] if len(set(inner)) == 1 else inner[nodes.index(node)]
                return "" if found.startswith(at) else found
    return ""
