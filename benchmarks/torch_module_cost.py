#!/usr/bin/env python3
"""Measures the cost of cavs.torch.Module compared with the same steps without PyTorch.

A step is forward and backward of a child-sum Tree-LSTM on the same trees, with gradients of all parameters: by the
session alone, into given memory, and by the module, with PyTorch's autograd. "Bare" is an autograd function with the
same parameters and inputs that only makes the same two calls of the library: the time that PyTorch itself takes for
such a function, with caches filled by the library's work. Gradients and versions are prepared in the same way for all.
All run in turn, in one process. Run: python benchmarks/torch_module_cost.py
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any, Callable

import numpy as np
import torch

import cavs
import cavs.torch

WORDS, TREES = 1000, 256


def trees(leaves: int) -> cavs.Graphs:
    rng = np.random.default_rng(1)
    begin, offsets = [0], [0]
    children: list[int] = []
    words: list[int] = []
    for _ in range(TREES):
        count = int(rng.integers(leaves // 2, 2 * leaves))
        free, made = list(range(count)), count
        offsets += [len(children)] * count
        words += rng.integers(0, WORDS, count).tolist()
        while len(free) > 1:
            at = int(rng.integers(0, len(free) - 1))
            children += free[at:at + 2]
            offsets.append(len(children))
            words.append(-1)
            free[at:at + 2] = [made]
            made += 1
        begin.append(begin[-1] + made)
    return cavs.Graphs.from_arrays(np.array(begin), np.array(offsets), np.array(children),
                                   ports={"word": np.array(words)})


def in_turn(rounds: int, steps: int, *runs: Callable[[], object]) -> list[float]:
    """Microseconds per step of each run: the median of rounds that call the runs in turn."""
    for run in runs:
        run()
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds):
        for run, taken in zip(runs, times):
            start = time.perf_counter()
            for _ in range(steps):
                run()
            taken.append((time.perf_counter() - start) / steps * 1e6)
    return [statistics.median(taken) for taken in times]


class Bare(torch.autograd.Function):
    """The minimum of a pass: memory for the output and for each gradient, and the two calls."""

    @staticmethod
    def forward(ctx: Any, forward: Any, size: tuple[int, int], *parameters: torch.Tensor) -> torch.Tensor:
        output = torch.empty(size)
        ctx.run = forward(output.data_ptr())
        ctx.save_for_backward(*parameters)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[Any, ...]:
        found = [torch.empty_like(p) for p in ctx.saved_tensors]
        ctx.run(gradients[0].data_ptr())
        ctx.run = None
        return None, None, *found


def compare(graphs: cavs.Graphs, hidden: int, batch_size: int, inputs: bool) -> None:
    model = cavs.zoo("tree-lstm", vocabulary=WORDS, embedding=hidden, hidden=hidden)
    if inputs:
        model = with_inputs(hidden)
    net = cavs.torch.Module(model, outputs=["h"])
    batch = cavs.torch.Batch(graphs, range(batch_size))
    vertices = len(batch.sample)
    to_h = torch.randn(vertices, hidden)
    x = torch.randn(vertices, hidden, requires_grad=True)
    evaluator, handle = net._engine.evaluator, batch._handle.batch
    h, flat, to_x = torch.empty(vertices, hidden), torch.empty(net._engine.flat_size), torch.empty(vertices, hidden)
    mode, every = 5 if inputs else 1, list(range(len(net._engine.names)))

    def prepare() -> None:
        """Does what zero_grad() and an optimizer's step do in any PyTorch module."""
        for p in net.parameters():
            p.grad = None
            torch.autograd.graph.increment_version(p)
        x.grad = None

    def session() -> None:
        prepare()
        run = evaluator.forward(handle, mode, 0, every, [x.data_ptr()] if inputs else [], [h.data_ptr()])
        run.backward([to_h.data_ptr()], flat.data_ptr(), [to_x.data_ptr()] if inputs else [])

    def module() -> None:
        prepare()
        given: dict[str, Any] = {"x": x} if inputs else {}
        net(batch, **given)["h"].backward(to_h)

    def forward(output: int) -> Callable[[int], None]:
        run = evaluator.forward(handle, mode, 0, every, [x.data_ptr()] if inputs else [], [output])
        return lambda gradient: run.backward([gradient], flat.data_ptr(), [to_x.data_ptr()] if inputs else [])

    def bare() -> None:
        prepare()
        Bare.apply(forward, (vertices, hidden), *([x] if inputs else []), *net.parameters()).backward(to_h)

    steps = max(5, 4000 // (batch_size * hidden // 8 + 1))
    alone, with_torch, least = in_turn(9, steps, session, module, bare)
    print(f"| {hidden} | {batch_size} | {'x' if inputs else 'none'} | {alone:.0f} | {with_torch:.0f} | "
          f"{with_torch - alone:.0f} | {100 * (with_torch / alone - 1):.1f} % | {least - alone:.0f} |", flush=True)


def with_inputs(hidden: int) -> cavs.Model:
    m = cavs.Model(seed=1)
    W, U, b = m.parameter("W", (hidden, 3 * hidden)), m.parameter("U", (hidden, 3 * hidden)), m.parameter("b", 3 * hidden)
    Wf, Uf, bf = m.parameter("Wf", (hidden, hidden)), m.parameter("Uf", (hidden, hidden)), m.parameter("bf", hidden)

    @m.vertex_function
    def vertex(v: cavs.Vertex) -> None:
        x, hs, cs = v.pull("x", hidden), v.children("h"), v.children("c")
        i, o, u = (x @ W + hs.sum() @ U + b).split(3)
        f = cavs.sigmoid(x @ Wf + hs @ Uf + bf)
        c = cavs.sigmoid(i) * cavs.tanh(u) + (f * cs).sum()
        v.scatter(c=c, h=cavs.sigmoid(o) * cavs.tanh(c))

    return m


def main() -> None:
    torch.set_num_threads(1)
    graphs = trees(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
    print(f"PyTorch {torch.__version__}, one thread, {graphs.vertices / TREES:.1f} vertices per tree\n")
    print("| hidden | batch | inputs | session, us per step | module, us per step | more, us | more | bare: more, us |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for hidden, batch_size in ((16, 1), (16, 64), (64, 64), (256, 64)):
        for inputs in (False, True):
            compare(graphs, hidden, batch_size, inputs)


if __name__ == "__main__":
    main()
