"""Modules on a GPU: tests that the stand-in (on_standin.py) cannot run, of PyTorch's streams, memory, graphs, NCCL."""

from __future__ import annotations

import gc
import tempfile
import unittest
from typing import Any

import numpy as np
import torch
import torch.distributed
from cells import WIDTH, child_sum_model, trees
from torch import Tensor

import cavs
import cavs.torch

GPU = torch.device("cuda")


@unittest.skipUnless(torch.cuda.is_available(), "needs a GPU")
class OnGpu(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(1)
        self.model = child_sum_model(hidden=20)
        self.net = cavs.torch.Module(self.model).to(GPU)
        self.batch = cavs.torch.Batch(trees(5)).to(GPU)

    def step(self, net: Any = None) -> list[Tensor]:
        """Returns logits, and gradients of x and of the parameters."""
        net = self.net if net is None else net
        parameters = list(net.parameters())
        x = torch.ones(len(self.batch.sample), WIDTH, device=parameters[0].device, requires_grad=True)
        logits = net(self.batch, x=x)["logits"]
        return [logits.detach(), *torch.autograd.grad(logits.square().sum(), [x, *parameters])]

    def expect_same(self, found: list[Tensor], expected: list[Tensor]) -> None:
        for a, b in zip(found, expected):
            self.assertTrue(torch.equal(a, b))

    def test_the_bits_equal_those_of_the_engine_alone(self) -> None:
        matmul: Any = torch.backends.cuda.matmul
        self.addCleanup(setattr, matmul, "allow_tf32", matmul.allow_tf32)
        for precision in ("fp32", "tf32"):
            matmul.allow_tf32 = precision == "tf32"
            session = cavs.Session(self.model, device="cuda", precision=precision, loss=False)
            run = session.forward(self.batch.graphs)
            logits = self.net(self.batch)["logits"]
            np.testing.assert_array_equal(run.output("logits"), logits.detach().cpu().numpy())
            self.net.zero_grad()
            logits.backward(torch.ones_like(logits))
            gradients = run.backward({"logits": torch.ones_like(logits)})  # tensors on the GPU
            for name, p in self.net.named_parameters():
                assert p.grad is not None
                np.testing.assert_array_equal(gradients[name], p.grad.cpu().numpy(), name)

    def test_modules_move(self) -> None:
        expected = self.step()
        state = {name: p.cpu() for name, p in self.net.state_dict().items()}
        for found, wanted in zip(self.step(self.net.cpu()), expected):
            torch.testing.assert_close(found, wanted.cpu(), rtol=1e-4, atol=1e-5)
        self.net.to(GPU).load_state_dict(state)
        self.expect_same(self.step(), expected)

    def test_streams_of_pytorch(self) -> None:
        expected = self.step()
        found = []
        for _ in range(4):
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                found.append(self.step())
        torch.cuda.synchronize()
        for one in found:
            self.expect_same(one, expected)

    def test_no_pass_waits(self) -> None:
        self.step()
        torch.cuda.synchronize()
        done = torch.cuda.Event()
        torch.cuda._sleep(2_000_000_000)  # in clock cycles: about a second
        self.step()
        done.record()
        self.assertFalse(done.query())

    def test_memory_is_pytorchs(self) -> None:
        self.step()
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        logits = self.net(self.batch)["logits"]
        self.assertGreater(torch.cuda.memory_allocated(), before + 4 * logits.numel())
        del logits
        gc.collect()
        self.assertEqual(torch.cuda.memory_allocated(), before)

    def test_a_pass_cannot_be_captured_in_a_graph(self) -> None:
        self.step()
        with self.assertRaisesRegex(cavs.Error, "cannot be captured in a CUDA graph"):
            with torch.cuda.graph(torch.cuda.CUDAGraph()):
                self.net(self.batch)
        self.step()

    def test_autocast_casts_inputs_back(self) -> None:
        x = torch.randn(len(self.batch.sample), WIDTH, device=GPU).bfloat16()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            found = self.net(self.batch, x=x)["logits"]
        self.assertTrue(torch.equal(found, self.net(self.batch, x=x.float())["logits"]))

    def test_compiled(self) -> None:
        self.expect_same(self.step(torch.compile(self.net, fullgraph=True, backend="aot_eager")), self.step())

    def test_nccl(self) -> None:
        expected = self.step()
        with tempfile.NamedTemporaryFile() as file:
            torch.distributed.init_process_group("nccl", init_method=f"file://{file.name}.ranks", rank=0, world_size=1)
            self.addCleanup(torch.distributed.destroy_process_group)
            parallel = torch.nn.parallel.DistributedDataParallel(self.net, device_ids=[0])
            x = torch.ones(len(self.batch.sample), WIDTH, device=GPU)
            parallel(self.batch, x=x)["logits"].square().sum().backward()
        for p, wanted in zip(self.net.parameters(), expected[2:]):
            assert p.grad is not None
            self.assertTrue(torch.equal(p.grad, wanted))


if __name__ == "__main__":
    unittest.main()
