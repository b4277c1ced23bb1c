"""DistributedDataParallel over Gloo: two processes train like one process with both halves of each batch."""

from __future__ import annotations

import pathlib
import tempfile
import unittest
from typing import Any

import torch
import torch.distributed
from cells import WIDTH, child_sum_model, trees
from cells_for_vertices import ChildSum
from torch import Tensor

import cavs.torch

STEPS, BATCH = 4, 8


class Net(torch.nn.Module):
    """cell: True uses a PyTorch cell in place of a cavs model."""

    def __init__(self, cell: bool = False) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.encoder = torch.nn.Linear(4, WIDTH)
        self.tree: torch.nn.Module = cavs.torch.Module(child_sum_model(), ["h"])
        if cell:
            self.tree = cavs.torch.batched(ChildSum(WIDTH, 6), {"h": 6, "c": 6}, x=WIDTH)

    def forward(self, batch: cavs.torch.Batch, features: Tensor) -> Tensor:
        h: Tensor = self.tree(batch, x=self.encoder(features))["h"]
        return h[batch.roots].square().sum()


def train(net: torch.nn.Module, rank: int, ranks: int) -> list[Tensor]:
    graphs = trees(STEPS * BATCH)
    features = torch.randn(graphs.vertices, 4, generator=torch.Generator().manual_seed(5))
    optimizer = torch.optim.Adam(net.parameters(), 0.05)
    begin = graphs.sample_begin
    for step in range(STEPS):
        samples = range(step * BATCH, (step + 1) * BATCH)[rank::ranks]
        rows = torch.cat([torch.arange(begin[s], begin[s + 1]) for s in samples])
        optimizer.zero_grad()
        loss = net(cavs.torch.Batch(graphs, samples), features[rows]) * ranks / BATCH  # gradients are averaged
        loss.backward()
        optimizer.step()
    return [p.detach().clone() for p in net.parameters()]


def work(rank: int, ranks: int, folder: str, compiled: bool, cell: bool) -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=ranks)
    net: torch.nn.Module = torch.nn.parallel.DistributedDataParallel(Net(cell))
    if compiled:
        net = torch.compile(net, backend="aot_eager", dynamic=True)  # type: ignore[assignment]
    torch.save(train(net, rank, ranks), pathlib.Path(folder) / f"{rank}.pt")
    torch.distributed.destroy_process_group()


class Distributed(unittest.TestCase):
    def check(self, compiled: bool, cell: bool = False) -> None:
        expected = train(Net(cell), 0, 1)
        with tempfile.TemporaryDirectory() as folder:
            spawn: Any = getattr(torch.multiprocessing, "spawn")  # typed or exported only in some versions
            spawn(work, (2, folder, compiled, cell), nprocs=2)
            found = [torch.load(pathlib.Path(folder) / f"{rank}.pt") for rank in range(2)]
        for first, second, wanted in zip(*found, expected):
            self.assertTrue(torch.equal(first, second))
            torch.testing.assert_close(first, wanted, rtol=1e-4, atol=1e-5)

    def test_two_processes(self) -> None:
        self.check(compiled=False)

    def test_a_cell_in_two_processes(self) -> None:
        self.check(compiled=False, cell=True)

    def test_two_processes_compiled(self) -> None:
        self.check(compiled=True)


if __name__ == "__main__":
    unittest.main()
