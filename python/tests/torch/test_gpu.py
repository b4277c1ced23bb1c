"""Modules with tensors on a GPU, as far as the stand-in for a GPU can test them: on_standin.py runs these tests."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref
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
    """Uses of torch.cuda, without a GPU."""

    def test_a_stream_that_is_captured_is_refused(self) -> None:
        with mock.patch("torch.cuda.is_current_stream_capturing", return_value=True):
            with self.assertRaisesRegex(cavs.Error, "cannot be captured in a CUDA graph.*torch.cuda.graph"):
                _torch_gpu.Cuda().stream(torch.device("cuda"))

    def test_precision_follows_the_switch_for_tf32(self) -> None:
        matmul: Any = torch.backends.cuda.matmul
        before = matmul.allow_tf32
        self.addCleanup(setattr, matmul, "allow_tf32", before)
        for allowed in (False, True):
            matmul.allow_tf32 = allowed
            self.assertEqual(_torch_gpu.Cuda().precision("fp32"), "tf32" if allowed else "fp32")
            self.assertEqual(_torch_gpu.Cuda().precision("bf16"), "bf16")

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

    def test_the_bits_equal_those_of_the_engine_alone(self) -> None:
        """In TF32, according to PyTorch's switch."""
        for precision in ("fp32", "bf16", "tf32"):
            model, graphs = child_sum_model(hidden=20), trees(4)
            net = cavs.torch.Module(model, precision="fp32" if precision == "tf32" else precision)
            patch = mock.patch.object(STANDIN, "precision", return_value=precision)
            patch.start()
            self.addCleanup(patch.stop)
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
        """A write that does not change the version takes effect, as nothing is copied."""
        before = self.step(self.batches[0])
        W = self.net.get_parameter("W")
        numbers = W.detach().numpy().copy()
        W.detach().numpy()[:] *= 2
        self.assertFalse(torch.equal(self.step(self.batches[0])[0], before[0]))
        W.detach().numpy()[:] = numbers
        for found, expected in zip(self.step(self.batches[0]), before):
            self.assertTrue(torch.equal(found, expected))

    def test_memory_may_be_unaligned(self) -> None:
        """Copies of 16 bytes need aligned addresses, which a view of a larger tensor may not have."""
        def moved(tensor: Tensor) -> Tensor:
            return torch.cat([torch.zeros(1), tensor.detach().flatten()])[1:].view(tensor.shape).requires_grad_()

        expected = self.step(self.batches[0])
        parameters, x = {name: moved(p) for name, p in self.net.named_parameters()}, moved(self.x(self.batches[0]))
        self.assertNotEqual(x.data_ptr() % 16, 0)
        h = torch.func.functional_call(self.net, parameters, (self.batches[0],), {"x": x})["h"]
        for found, wanted in zip(torch.autograd.grad(h.square().sum(), [x, *parameters.values()]), expected):
            self.assertTrue(torch.equal(found, wanted))

    def test_a_prepared_batch_is_not_planned_again(self) -> None:
        batch = self.batches[1]
        self.assertEqual(batch.prepare(self.net)._handle.plans, {})  # there was no pass before
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
        for found, wanted in zip(self.step(batch.to("cpu")), expected):  # shares the plans
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

    def test_deterministic_mode(self) -> None:
        """In this mode PyTorch fills new memory with NaN. The bits of a sample equal those of the sample alone."""
        graphs = self.batches[0].graphs
        expected = self.step(self.batches[0])
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        for found, wanted in zip(self.step(self.batches[0]), expected):
            self.assertTrue(torch.equal(found, wanted))
        alone = cavs.torch.Batch(graphs, [1])
        self.assertTrue(torch.equal(self.net(alone)["h"], self.net(graphs)["h"][alone.rows]))

    def test_passes_that_are_dropped_or_fail_free_their_memory(self) -> None:
        made: list[weakref.ref[Tensor]] = []

        def memory(size: int, device: torch.device) -> Tensor:
            tensor = torch.empty(size, dtype=torch.uint8)
            made.append(weakref.ref(tensor))
            return tensor

        def fail(gradient: Tensor) -> None:
            raise ValueError("a hook's")

        with mock.patch.object(STANDIN, "memory", side_effect=memory):
            losses = [loss_of(self.net, batch, self.x(batch)) for batch in self.batches]
            x = self.x(self.batches[0])
            x.register_hook(fail)
            broken = loss_of(self.net, self.batches[0], x)
        self.assertEqual(len(_torch_ops._runs), 4)
        losses[1].backward()
        with self.assertRaisesRegex(ValueError, "a hook's"):
            broken.backward()
        del losses, broken, x
        gc.collect()
        self.assertEqual(len(_torch_ops._runs), 0)
        self.assertEqual([ref() for ref in made], [None] * 4)

    def test_a_pass_without_memory_does_not_change_the_module(self) -> None:
        expected = self.step(self.batches[0])
        with mock.patch.object(STANDIN, "memory", side_effect=torch.cuda.OutOfMemoryError("none left")):
            with self.assertRaisesRegex(torch.cuda.OutOfMemoryError, "none left"):
                self.net(self.batches[0])
        for found, wanted in zip(self.step(self.batches[0]), expected):
            self.assertTrue(torch.equal(found, wanted))

    def test_another_thread_runs_the_backward_pass(self) -> None:
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


@unittest.skipUnless(STANDIN, "needs the stand-in: on_standin.py")
class Training(unittest.TestCase):
    """cavs.fit, the command and a PyTorch loop give the same results."""

    def test_a_step_equals_a_step_of_fit_and_of_the_command(self) -> None:
        spec = "random-trees:train=12,test=4,leaves=5,vocabulary=10"
        data = cavs.load_data(spec)
        model = cavs.zoo("tree-lstm", vocabulary=data.rows("word"), embedding=4, hidden=6, classes=data.classes)
        reports: list[cavs.EpochReport] = []
        trained = cavs.fit(model, data, device="cuda", epochs=1, batch_size=12, optimizer="sgd", lr=0.1, progress=False,
                           on_epoch=reports.append)

        net = cavs.torch.Module(model)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        labels = torch.from_numpy(data.train["label"]).long()
        losses = torch.nn.functional.cross_entropy(net(data.train)["logits"], labels, ignore_index=-1, reduction="sum")
        (losses / len(data.train)).backward()
        optimizer.step()
        self.assertAlmostEqual(float(losses.detach()) / int((labels >= 0).sum()), reports[0].train_loss, delta=1e-6)
        for name, p in net.named_parameters():
            np.testing.assert_allclose(p.detach().numpy(), trained.parameters[name], rtol=0, atol=1e-6, err_msg=name)

        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = os.path.join(folder, "ours.cavs"), os.path.join(folder, "theirs.cavs")
            trained.save(ours)
            found = cavs.torch.Module.load(ours)(data.dev)["logits"]
            np.testing.assert_array_equal(found.detach().numpy(), trained.predict(data.dev, device="cuda")["logits"])
            self.assertEqual(trained.predict_text("(c0 (c1 w3) (c2 w5))", device="cuda")[0].classes,
                             trained.predict_text("(c0 (c1 w3) (c2 w5))")[0].classes)
            self.assertAlmostEqual(trained.evaluate(data.dev, device="cuda").loss, trained.evaluate(data.dev).loss, delta=1e-5)
            command = os.environ.get("CAVS_COMMAND", "")
            if not command:
                self.skipTest("CAVS_COMMAND does not name the command")
            subprocess.run([command, "train", "tree-lstm", "--data", spec, "--embedding", "4", "--hidden", "6",
                            "--batch-size", "12", "--epochs", "1", "--optimizer", "sgd", "--lr", "0.1", "--device", "cuda",
                            "--save", theirs], check=True, capture_output=True)
            of_command = cavs.load(theirs)
        for name in trained.parameters:
            np.testing.assert_array_equal(of_command.parameters[name], trained.parameters[name], name)


class Exported:
    """A tensor that a library exports as GPU memory by DLPack."""

    def __init__(self, x: Tensor) -> None:
        self.x = x
        STANDIN.addresses([x])

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0  # kDLCUDA

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self.x.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        ctypes.c_int32.from_address(pointer(capsule, b"dltensor") + ctypes.sizeof(ctypes.c_void_p)).value = 2
        return capsule


class Described:
    """A tensor that a library exports as GPU memory by __cuda_array_interface__."""

    def __init__(self, x: Tensor) -> None:
        self.x = x
        STANDIN.addresses([x])
        a = x.numpy()
        self.__cuda_array_interface__ = {"shape": a.shape, "typestr": a.dtype.str, "data": (x.data_ptr(), False),
                                         "version": 3, "strides": a.strides, "stream": 1}


KINDS: list[Any] = [Exported, Described]


@unittest.skipUnless(STANDIN, "needs the stand-in: on_standin.py")
class Arrays(unittest.TestCase):
    def test_arrays_of_a_gpu_are_accepted(self) -> None:
        given = trees(3)
        session = cavs.Session(child_sum_model(), device="cuda", loss=False)
        seed = torch.randn(given.vertices, 3)
        run = session.forward(given)
        expected, gradients = run.output("logits"), run.backward({"logits": seed.numpy()})
        for kind in KINDS:
            def on_gpu(array: Any, kind: Any = kind) -> Any:
                return kind(torch.from_numpy(np.array(array)))

            graphs = cavs.Graphs.from_arrays(
                on_gpu(given.sample_begin), on_gpu(given.child_offsets), on_gpu(given.children),
                ports={"word": on_gpu(given["word"]), "x": on_gpu(given["x"])})
            run = session.forward(graphs, on_gpu(np.arange(3)))
            np.testing.assert_array_equal(run.output("logits"), expected)
            found = run.backward({"logits": kind(seed)})
            np.testing.assert_array_equal(found["W"], gradients["W"])

    def test_values_that_are_not_arrays_are_refused(self) -> None:
        run = cavs.Session(child_sum_model(), loss=False).forward(trees(2))
        cases: list[tuple[Any, str]] = [
            (mock.Mock(__dlpack_device__=lambda: (2, 0)), "does not export its memory"),
            (mock.Mock(spec=["__cuda_array_interface__"], __cuda_array_interface__=3), "does not export its memory"),
            (Exported(torch.zeros(2, 3, dtype=torch.bool)), "expected integers or floats")]
        for given, message in cases:
            with self.assertRaisesRegex(cavs.Error, message):
                run.backward({"logits": given})

    def test_gaps_are_refused(self) -> None:
        session = cavs.Session(child_sum_model(), device="cuda", loss=False)
        graphs = trees(2)
        for kind in KINDS:
            with self.assertRaisesRegex(cavs.Error, "gradient of push 'logits' is in GPU memory with gaps.*ascontig"):
                session.forward(graphs).backward({"logits": kind(torch.zeros(3, graphs.vertices).t())})


if __name__ == "__main__":
    unittest.main()
