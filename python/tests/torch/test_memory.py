"""Open passes end with their last reference, and the memory of a long loop does not grow."""

from __future__ import annotations

import gc
import pathlib
import threading
import unittest

import torch
from cells import WIDTH, child_sum_model, trees
from torch import Tensor

import cavs
import cavs.torch
from cavs import _torch_ops


def resident() -> int:
    """Resident memory of this process, in bytes."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


def open_runs() -> int:
    gc.collect()
    return len(_torch_ops._runs)


class Memory(unittest.TestCase):
    def setUp(self) -> None:
        self.net = cavs.torch.Module(child_sum_model(), ["h"])
        self.batch = cavs.torch.Batch(trees(3))

    def loss(self) -> Tensor:
        h: Tensor = self.net(self.batch)["h"]
        return h.square().sum()

    def test_runs_end_with_their_graph(self) -> None:
        self.assertEqual(open_runs(), 0)
        losses = [self.loss() for _ in range(5)]
        self.assertEqual(open_runs(), 5)
        losses[2].backward()
        self.assertEqual(open_runs(), 4)
        losses[0].backward(retain_graph=True)
        self.assertEqual(open_runs(), 4)
        del losses[3:]
        self.assertEqual(open_runs(), 2)
        kept = [loss.detach() for loss in losses]
        del losses
        self.assertEqual(open_runs(), 0)
        self.assertEqual(len(kept), 3)

    def test_an_output_that_is_kept_keeps_no_run(self) -> None:
        out = self.net(self.batch)["h"].detach()
        self.assertEqual(open_runs(), 0)
        self.assertTrue(out.isfinite().all())
        with torch.no_grad():
            out = self.net(self.batch)["h"]
        self.assertEqual(open_runs(), 0)

    def test_a_run_outlives_its_batch(self) -> None:
        expected = torch.autograd.grad(self.loss(), self.net.get_parameter("W"))[0]
        loss = self.loss()
        del self.batch
        gc.collect()
        loss.backward()
        found = self.net.get_parameter("W").grad
        assert found is not None
        self.assertTrue(torch.equal(found, expected))

    def test_graphs_are_freed_with_their_last_reference(self) -> None:
        before = len(_torch_ops._batches)  # including batches that PyTorch keeps for compiled functions of other tests
        for seed in range(3):
            self.loss().backward()
            self.batch = cavs.torch.Batch(trees(3, seed=seed))
        gc.collect()
        self.assertEqual(len(_torch_ops._batches), before)

    def test_20000_steps_grow_memory_by_less_than_one_percent(self) -> None:
        optimizer = torch.optim.SGD(self.net.parameters(), 1e-4)
        x = torch.randn(len(self.batch.sample), WIDTH)

        def steps(count: int) -> None:
            for i in range(count):
                batch = self.batch if i % 10 else cavs.torch.Batch(self.batch.graphs)
                optimizer.zero_grad()
                self.net(batch, x=x.requires_grad_())["h"].square().sum().backward()
                x.grad = None
                optimizer.step()
                if i % 7 == 0:
                    self.loss()  # without a backward pass

        steps(2000)
        gc.collect()
        before = resident()
        steps(20_000)
        gc.collect()
        self.assertLess(resident(), before * 1.01)

    def test_threads_share_a_module(self) -> None:
        expected = [torch.autograd.grad(self.loss(), list(self.net.parameters()))] * 4
        found: list[tuple[Tensor, ...]] = []

        def work() -> None:
            for _ in range(50):
                grads = torch.autograd.grad(self.loss(), list(self.net.parameters()))
            found.append(grads)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one, wanted in zip(found, expected, strict=True):
            for a, b in zip(one, wanted):
                self.assertTrue(torch.equal(a, b))


if __name__ == "__main__":
    unittest.main()
