"""torch.utils.data.DataLoader with workers, forked and spawned; modules in forks."""

from __future__ import annotations

import os
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.multiprocessing
from cells import child_sum_model, trees
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

import cavs
import cavs.torch

FORK: dict[str, Callable[[], Tensor]] = {}  # functions that a fork inherits


class Trees(Dataset[tuple[cavs.Graphs, int]]):
    """A data set of the graphs and label of each sample."""

    def __init__(self) -> None:
        self.graphs = trees(30)

    def __len__(self) -> int:
        return len(self.graphs)

    def __getitem__(self, i: int) -> tuple[cavs.Graphs, int]:
        return self.graphs[int(i)], i % 3


def joined(samples: list[tuple[cavs.Graphs, int]]) -> tuple[cavs.torch.Batch, Tensor]:
    return cavs.torch.Batch(cavs.Graphs.concat([graphs for graphs, _ in samples])), torch.tensor([y for _, y in samples])


def losses(**options: Any) -> list[float]:
    """Results of two epochs of training on the batches of a DataLoader."""
    loader = DataLoader(Trees(), batch_size=8, shuffle=True, collate_fn=joined,
                        generator=torch.Generator().manual_seed(1), **options)
    net = cavs.torch.Module(child_sum_model())
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    found = []
    for _ in range(2):
        for batch, labels in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(net(batch)["logits"][batch.roots], labels)
            loss.backward()
            optimizer.step()
            found.append(float(loss.detach()))
    return found


def in_worker(out: Any) -> None:
    try:
        out.put(FORK["use"]().numpy())
    except cavs.Error as error:
        out.put(str(error))


class Loading(unittest.TestCase):
    def test_workers_make_the_same_batches_as_no_workers(self) -> None:
        expected = losses()
        self.assertEqual(len(expected), 8)
        self.assertLess(expected[-1], expected[0])
        for method in ("fork", "spawn"):
            with self.subTest(method):
                found = losses(num_workers=2, multiprocessing_context=method)
                self.assertEqual(found, expected)


class Forks(unittest.TestCase):
    """A fork does not have its parent's threads."""

    def in_fork(self, threads: int) -> tuple[Any, Any]:
        """Results of a module of the parent in a fork, and afterwards in the parent."""
        net, batch = cavs.torch.Module(child_sum_model(), threads=threads), cavs.torch.Batch(trees(20))

        def use() -> Tensor:
            W = net.get_parameter("W")
            return torch.autograd.grad(net(batch)["logits"].square().sum(), W)[0]

        before = use()
        FORK["use"] = use
        self.addCleanup(FORK.clear)
        context = torch.multiprocessing.get_context("fork")
        out = context.SimpleQueue()
        process = context.Process(target=in_worker, args=(out,))
        process.start()
        process.join(timeout=60)
        hung = process.is_alive()
        process.kill()
        self.assertFalse(hung, "the fork has not ended")
        self.assertEqual(process.exitcode, 0)
        found = out.get()
        self.assertTrue(torch.equal(use(), before))
        return found, before.numpy()

    def test_a_module_of_one_thread_works_in_both(self) -> None:
        found, here = self.in_fork(threads=1)
        np.testing.assert_array_equal(found, here)

    def test_a_module_with_threads_is_refused(self) -> None:
        found, _ = self.in_fork(threads=2)
        self.assertRegex(found, f"several threads was made in process {os.getpid()}.*spawn")


if __name__ == "__main__":
    unittest.main()
