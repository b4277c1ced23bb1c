#!/usr/bin/env python3
"""Measures the cost of cavs.torch.batched: making a module, a tiny pass, and an embedding inside the cell.

The cell is a child-sum Tree-LSTM. Making a module is measured in seconds of CPU time, with PyTorch's export imported
before. The tiny pass has 11 vertices, h = 16, and is compared with cavs.torch.Module: the best of 600 rounds in turn.
The embedding is outside or inside the cell, with a sparse or a dense gradient: milliseconds of CPU time per step of 25
trees, the best for each minibatch.

Example: batched_cost.py path/to/sst
"""

import pathlib
import sys
import time

import numpy as np
import torch
import torch._dynamo
import torch._export.non_strict_utils
import torch.export._trace
from torch import nn

import cavs
import cavs.torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "peers"))
import batched  # noqa: E402
import child_sum  # noqa: E402

H, LIMIT, BATCH_SIZE, ROUNDS = 150, 200, 25, 5


class ChildSum(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.iou_x, self.iou_h = nn.Linear(d, 3 * h), nn.Linear(h, 3 * h, bias=False)
        self.f_x, self.f_h = nn.Linear(d, h), nn.Linear(h, h, bias=False)

    def forward(self, x, h, c):
        i, o, u = (self.iou_x(x) + self.iou_h(h.sum(0))).chunk(3)
        f = torch.sigmoid(self.f_x(x) + self.f_h(h))
        c = torch.sigmoid(i) * torch.tanh(u) + (f * c).sum(0)
        return torch.sigmoid(o) * torch.tanh(c), c


def seconds(what):
    begin = time.process_time()
    made = what()
    return made, time.process_time() - begin


def making():
    print("| making, s | translation | check |\n| --- | --- | --- |")
    for name in ("the first time", "again"):
        net, made = seconds(lambda: cavs.torch.batched(ChildSum(H, H), {"h": H, "c": H}, check=False, x=H))
        print(f"| {name} | {made:.2f} | {seconds(net.check)[1]:.2f} |", flush=True)


def tiny(rounds=600, steps=8):
    below = [[]] * 6 + [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    graphs = cavs.Graphs.from_arrays(np.array([0, 11]), np.cumsum([0, *map(len, below)]), np.array(sum(below, [])))
    batch, x = cavs.torch.Batch(graphs), torch.randn(graphs.vertices, 16)
    cell = cavs.torch.batched(ChildSum(16, 16), {"h": 16, "c": 16}, x=16)
    nets = {"batched": cell, "Module": cavs.torch.Module(cell.plan(batch.types).model, outputs=["h", "c"])}

    def forward(net):
        with torch.no_grad():
            net(batch, x=x)

    def train(net):
        net.zero_grad()
        net(batch, x=x)["h"].sum().backward()

    best = {}
    for run in (forward, train):
        for _ in range(rounds):
            for name, net in nets.items():
                run(net)  # fills the caches with its code and data
                begin = time.process_time()
                for _ in range(steps):
                    run(net)
                best[name, run] = min(best.get((name, run), np.inf), (time.process_time() - begin) / steps * 1e6)
    print("\n| a tiny pass, us | batched | Module | ratio |\n| --- | --- | --- | --- |")
    for run in (forward, train):
        ours, theirs = best["batched", run], best["Module", run]
        print(f"| {run.__name__} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.2f} |", flush=True)


def embeddings(folder):
    data = cavs.load_data(f"sst:{folder}", limit=LIMIT)
    parts = batched.parts_of(data.train, BATCH_SIZE)
    shapes = {"embedding": (data.rows("word"), H), "W": (H, 3 * H), "U": (H, 3 * H), "b": (3 * H,), "Wf": (H, H),
              "Uf": (H, H), "bf": (H,), "output_W": (H, data.classes), "output_b": (data.classes,)}
    start = {name: 0.05 * torch.randn(shape) for name, shape in shapes.items()}
    nets = {}
    for gradient in ("sparse", "dense"):
        child_sum.ChildSum.sparse = gradient == "sparse"
        nets |= {(where, gradient): make(start) for where, make in (("outside", batched.Trees), ("inside", batched.TreesOfWords))}
    steps = {key: torch.optim.Adagrad(net.parameters(), lr=0.05) for key, net in nets.items()}
    best = {}
    for key in list(nets) * ROUNDS:
        child_sum.ChildSum.sparse = key[1] == "sparse"
        for number, part in enumerate(parts):
            steps[key].zero_grad()
            loss, forward = seconds(lambda: nets[key].loss(part))
            taken = [forward, seconds(loss.backward)[1], seconds(steps[key].step)[1]]
            best[key, number] = np.minimum(best.get((key, number), np.inf), np.array(taken) * 1e3)
    print(f"\n| embedding of {shapes['embedding'][0]:,} words | gradient | forward, ms | backward | Adagrad | all |\n"
          "| --- | --- | --- | --- | --- | --- |")
    for key in nets:
        mean = np.mean([best[key, number] for number in range(len(parts))], 0)
        print(f"| {key[0]} | {key[1]} | {' | '.join(f'{ms:.1f}' for ms in mean)} | {mean.sum():.1f} |")


if __name__ == "__main__":
    torch.set_num_threads(1)
    making()
    tiny()
    embeddings(sys.argv[1])
