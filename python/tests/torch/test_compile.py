"""torch.compile: one graph without breaks, for batches of any shape, with the bits of eager mode."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import unittest
from typing import Any

import torch
import torch._dynamo.testing
from cells import WIDTH, child_sum_model, trees
from torch import Tensor

import cavs
import cavs.torch


class Classifier(torch.nn.Module):
    """An encoder, a Tree-LSTM and a loss in one forward."""

    def __init__(self, dropout: float = 0) -> None:
        super().__init__()
        self.encoder = torch.nn.Linear(4, WIDTH)
        self.tree = cavs.torch.Module(child_sum_model(dropout), ["h"])
        self.top = torch.nn.Linear(6, 3)

    def forward(self, batch: cavs.torch.Batch, features: Tensor, labels: Tensor) -> Tensor:
        h = self.tree(batch, x=self.encoder(features).tanh())["h"]
        return torch.nn.functional.cross_entropy(self.top(h[batch.roots]), labels)


Arguments = tuple[cavs.torch.Batch, Tensor, Tensor]


def arguments(samples: int, seed: int) -> Arguments:
    batch = cavs.torch.Batch(trees(samples, seed=seed))
    return batch, torch.randn(len(batch.sample), 4), torch.randint(0, 3, (len(batch.roots),))


class Compiled(unittest.TestCase):
    def setUp(self) -> None:
        torch._dynamo.reset()
        torch.manual_seed(1)

    def gradients(self, step: Any, net: torch.nn.Module, of: Arguments) -> list[Tensor]:
        net.zero_grad()
        loss = step(*of)
        loss.backward()
        return [loss.detach(), *(p.grad.clone() for p in net.parameters() if p.grad is not None)]

    def test_one_graph_for_all_shapes(self) -> None:
        net = Classifier()
        all_arguments = [arguments(2 + k, seed=k) for k in range(8)]
        expected = [self.gradients(net, net, of) for of in all_arguments]
        counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
        step = torch.compile(net, fullgraph=True, backend=counter, dynamic=True)
        for of, wanted in zip(all_arguments, expected):
            for a, b in zip(self.gradients(step, net, of), wanted):
                self.assertTrue(torch.equal(a, b))
        self.assertEqual(counter.frame_count, 1)

    def test_the_module_alone_does_not_need_dynamic(self) -> None:
        """A batch marks its sizes as dynamic."""
        net = cavs.torch.Module(child_sum_model(), ["h", "logits"])
        counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
        step = torch.compile(net, fullgraph=True, backend=counter)
        for k in range(5):
            batch = cavs.torch.Batch(trees(3 + k, seed=k))
            self.assertTrue(torch.equal(step(batch)["logits"], net(batch)["logits"]))
            step(batch)["h"].sum().backward()
        self.assertEqual(counter.frame_count, 1)

    def test_batches_made_before_the_compiler_is_loaded(self) -> None:
        """PyTorch loads its compiler at the first call; these batches are made before."""
        program = """
import sys, torch, cavs.torch
from cells import child_sum_model, trees
net = cavs.torch.Module(child_sum_model(), ["h"])
batches = [cavs.torch.Batch(trees(3 + k, seed=k)) for k in range(3)]
assert "torch._dynamo" not in sys.modules
import torch._dynamo.testing
counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
step = torch.compile(net, fullgraph=True, backend=counter)
for batch in batches:
    assert torch.equal(step(batch)["h"], net(batch)["h"])
print(counter.frame_count)
"""
        done = subprocess.run([sys.executable, "-c", program], cwd=pathlib.Path(__file__).parent, capture_output=True,
                              text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)

    def test_weights_that_an_optimiser_changes(self) -> None:
        net = Classifier(dropout=0.3).eval()  # gradients without dropout
        step = torch.compile(net, fullgraph=True, backend="aot_eager", dynamic=True)
        optimizer = torch.optim.SGD(net.parameters(), 0.5)
        batch = arguments(6, seed=1)
        for _ in range(4):
            expected = self.gradients(net, net, batch)
            for a, b in zip(self.gradients(step, net, batch), expected):
                self.assertTrue(torch.equal(a, b))
            optimizer.step()

    def test_training_with_dropout(self) -> None:
        net = Classifier(dropout=0.5)
        step = torch.compile(net, fullgraph=True, backend="aot_eager", dynamic=True)
        batch = arguments(6, seed=1)
        losses = {float(step(*batch).detach()) for _ in range(5)}
        self.assertEqual(len(losses), 5)

    def test_inductor(self) -> None:
        net = Classifier()
        step = torch.compile(net, fullgraph=True, dynamic=True)
        for k in range(3):
            of = arguments(3 + k, seed=k)
            expected = self.gradients(net, net, of)
            for a, b in zip(self.gradients(step, net, of), expected):
                torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6)

    def test_without_gradients(self) -> None:
        net = Classifier().eval()
        step = torch.compile(net, fullgraph=True, backend="aot_eager", dynamic=True)
        of = arguments(4, seed=2)
        with torch.no_grad():
            self.assertTrue(torch.equal(step(*of), net(*of)))


if __name__ == "__main__":
    unittest.main()
