"""Modules whose tensors are a GPU's, as far as that shows without one: on_standin.py runs these."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import unittest
from typing import Any
from unittest import mock

import numpy as np
import torch
from cells import WIDTH, child_sum_model, trees
from cells_for_vertices import ChildSum
from torch import Tensor

import cavs
import cavs.torch
from cavs import _torch_gpu, _torch_ops

STANDIN: Any = _torch_gpu.KINDS.get("cpu")


def loss_of(net: torch.nn.Module, batch: cavs.torch.Batch, x: Tensor) -> Tensor:
    h: Tensor = net(batch, x=x)["h"]
    return h.square().sum()


class Switches(unittest.TestCase):
    """What torch.cuda is asked, without a GPU."""

    def test_a_stream_that_is_captured_is_refused(self) -> None:
        with mock.patch("torch.cuda.is_current_stream_capturing", return_value=True):
            with self.assertRaisesRegex(cavs.Error, "cannot be part of a CUDA graph that is captured.*torch.cuda.graph"):
                _torch_gpu.Cuda().stream(torch.device("cuda"))

    def test_precision_follows_the_switch_for_tf32(self) -> None:
        matmul: Any = torch.backends.cuda.matmul
        before = matmul.allow_tf32
        self.addCleanup(setattr, matmul, "allow_tf32", before)
        for allowed in (False, True):
            matmul.allow_tf32 = allowed
            with mock.patch.object(_torch_gpu, "_precisions", return_value=["fp32", "tf32", "bf16"]):
                self.assertEqual(_torch_gpu.Cuda().precision("fp32"), "tf32" if allowed else "fp32")
                self.assertEqual(_torch_gpu.Cuda().precision("bf16"), "bf16")
            with mock.patch.object(_torch_gpu, "_precisions", return_value=["fp32", "bf16"]):
                self.assertEqual(_torch_gpu.Cuda().precision("fp32"), "fp32")

    def test_autocast_casts_inputs_back(self) -> None:
        net, batch = cavs.torch.Module(child_sum_model(), ["h"]), cavs.torch.Batch(trees(2))
        x = torch.randn(len(batch.sample), WIDTH).bfloat16().requires_grad_()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found = net(batch, x=x)["h"]
            compiled = torch.compile(net, fullgraph=True, backend="aot_eager")(batch, x=x)["h"]
        found.sum().backward()
        self.assertTrue(torch.equal(found, net(batch, x=x.float())["h"]))
        self.assertTrue(torch.equal(found, compiled))
        assert x.grad is not None
        self.assertEqual(x.grad.dtype, torch.bfloat16)

    def test_batches_move(self) -> None:
        batch = cavs.torch.Batch(trees(2))
        moved = batch.to("meta")
        self.assertEqual({x.device.type for x in (moved.sample, moved.rows, moved.roots)}, {"meta"})
        self.assertEqual(batch.rows.device.type, "cpu")
        self.assertIs(moved.graphs, batch.graphs)
        self.assertIs(moved._handle, batch._handle)


@unittest.skipUnless(STANDIN, "needs the stand-in: on_standin.py")
class Passes(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(1)
        self.net = cavs.torch.Module(child_sum_model(), ["h"])
        self.batches = [cavs.torch.Batch(trees(3, seed=seed)) for seed in range(3)]

    def x(self, batch: cavs.torch.Batch) -> Tensor:
        return torch.ones(len(batch.sample), WIDTH, requires_grad=True)

    def step(self, batch: cavs.torch.Batch) -> list[Tensor]:
        x = self.x(batch)
        return list(torch.autograd.grad(loss_of(self.net, batch, x), [x, *self.net.parameters()]))

    def test_no_pass_waits(self) -> None:
        self.step(self.batches[0])
        before = STANDIN.waits(), STANDIN.launches()
        for batch in self.batches:
            self.step(batch)
            with torch.no_grad():
                self.net(batch)
        self.assertEqual(STANDIN.waits(), before[0])
        self.assertGreater(STANDIN.launches(), before[1])

    def test_the_bits_are_those_of_the_engine_alone(self) -> None:
        for precision in ("fp32", "bf16"):
            model, graphs = child_sum_model(hidden=20), trees(4)
            net = cavs.torch.Module(model, precision=precision)
            logits = net(graphs)["logits"]
            given = torch.randn_like(logits)
            logits.backward(given)
            session = cavs.Session(model, device="cuda", precision=precision, loss=False, push_gradients=True,
                                   pushes=["logits"])
            run = session.forward(graphs)
            np.testing.assert_array_equal(run.output("logits"), logits.detach().numpy())
            gradients = run.backward({"logits": given.numpy()})
            for name, p in net.named_parameters():
                assert p.grad is not None
                np.testing.assert_array_equal(gradients[name], p.grad.numpy(), name)

    def test_parameters_and_gradients_are_used_in_place(self) -> None:
        """A write that changes no version is seen, as nothing is copied."""
        before = self.step(self.batches[0])
        W = self.net.get_parameter("W")
        numbers = W.detach().numpy().copy()
        W.detach().numpy()[:] *= 2
        self.assertFalse(torch.equal(self.step(self.batches[0])[0], before[0]))
        W.detach().numpy()[:] = numbers
        for found, expected in zip(self.step(self.batches[0]), before):
            self.assertTrue(torch.equal(found, expected))

    def test_a_prepared_batch_is_not_planned_again(self) -> None:
        batch = self.batches[1]
        self.assertEqual(batch.prepare(self.net)._handle.plans, {})  # no pass has been before
        expected = self.step(batch)
        threads = [threading.Thread(target=b.prepare, args=(self.net,)) for b in self.batches]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([len(b._handle.plans) for b in self.batches], [1, 1, 1])
        key, plan = next(iter(batch._handle.plans.items()))
        batch._handle.plans[key] = mock.Mock(wraps=plan, bytes=plan.bytes)
        for found, wanted in zip(self.step(batch), expected):
            self.assertTrue(torch.equal(found, wanted))
        batch._handle.plans[key].forward.assert_called_once()
        for found, wanted in zip(self.step(batch.to("cpu")), expected):  # has the same plans
            self.assertTrue(torch.equal(found, wanted))
        self.assertEqual(batch._handle.plans[key].forward.call_count, 2)

    def test_optimisers_train_as_on_the_cpu(self) -> None:
        def trained(kind: str, net: cavs.torch.Module) -> list[Tensor]:
            parameters = list(net.parameters())
            optimizer: torch.optim.Optimizer = torch.optim.Adam(parameters, 0.01, fused=kind == "fused")
            if kind == "foreach":
                optimizer = torch.optim.SGD(parameters, 0.1, momentum=0.9, foreach=True)
            scaler = torch.amp.GradScaler("cpu", enabled=kind == "scaled")
            for batch in self.batches:
                optimizer.zero_grad()
                scaler.scale(loss_of(net, batch, self.x(batch))).backward()
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(parameters, 1.0)
                scaler.step(optimizer)
                scaler.update()
            return [p.detach() for p in parameters]

        for kind in ("foreach", "fused", "scaled"):
            found = trained(kind, cavs.torch.Module(child_sum_model(), ["h"]))
            with mock.patch.dict(_torch_gpu.KINDS, clear=True):
                expected = trained(kind, cavs.torch.Module(child_sum_model(), ["h"]))
            for a, b in zip(found, expected):
                torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)

    def test_cells_are_prepared(self) -> None:
        net = cavs.torch.batched(ChildSum(WIDTH, 6), {"h": 6, "c": 6}, x=WIDTH, check=False)
        batch = self.batches[0]
        found = net(batch, x=self.x(batch))["h"]
        batch.prepare(torch.nn.Sequential(net))
        self.assertEqual(len(batch._handle.plans), 1)
        self.assertTrue(torch.equal(net(batch, x=self.x(batch))["h"], found))

    def test_passes_that_are_dropped_free_their_memory(self) -> None:
        losses = [loss_of(self.net, batch, self.x(batch)) for batch in self.batches]
        self.assertEqual(len(_torch_ops._runs), 3)
        losses[1].backward()
        del losses
        gc.collect()
        self.assertEqual(len(_torch_ops._runs), 0)

    def test_a_pass_that_gets_no_memory_leaves_the_module_as_it_was(self) -> None:
        expected = self.step(self.batches[0])
        with mock.patch.object(STANDIN, "memory", side_effect=torch.OutOfMemoryError("none left")):
            with self.assertRaisesRegex(torch.OutOfMemoryError, "none left"):
                self.net(self.batches[0])
        for found, wanted in zip(self.step(self.batches[0]), expected):
            self.assertTrue(torch.equal(found, wanted))

    def test_another_thread_goes_back(self) -> None:
        expected = self.step(self.batches[0])[1:]
        loss = loss_of(self.net, self.batches[0], self.x(self.batches[0]))
        thread = threading.Thread(target=loss.backward)
        thread.start()
        thread.join()
        for p, wanted in zip(self.net.parameters(), expected):
            assert p.grad is not None
            self.assertTrue(torch.equal(p.grad, wanted))

    def test_a_kernel_that_fails_is_an_error(self) -> None:
        program = """
import standin, torch
standin.install()
import cavs.torch
from cells import child_sum_model, trees
try:
    cavs.torch.Module(child_sum_model())(trees(2))
except cavs.Error as error:
    print(error)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              env={**os.environ, "CAVS_STANDIN": "fail_launch=3"})
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
