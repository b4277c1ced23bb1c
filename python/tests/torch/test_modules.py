"""cavs.torch.Module as a PyTorch module: parameters, optimizers, copies and files."""

from __future__ import annotations

import copy
import io
import pathlib
import pickle
import tempfile
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from cells import HIDDEN, WIDTH, child_sum_model, trees
from torch import Tensor

import cavs
import cavs.torch


class Modules(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(1)
        self.net = cavs.torch.Module(child_sum_model(), ["h", "logits"])
        self.batch = cavs.torch.Batch(trees(6))

    def logits(self, net: torch.nn.Module | None = None) -> Tensor:
        with torch.no_grad():
            out: dict[str, Tensor] = (net or self.net)(self.batch)
        return out["logits"]

    def test_parameters_equal_those_of_the_model(self) -> None:
        shapes = {name: list(p.shape) for name, p in self.net.named_parameters()}
        self.assertEqual(shapes["U"], [HIDDEN, 3 * HIDDEN])
        self.assertEqual(list(shapes), ["E", "W", "U", "b", "Wf", "Uf", "bf", "Wy"])
        self.assertEqual(self.net.inputs, [("x", WIDTH)])
        self.assertEqual(self.net.outputs, [("h", HIDDEN), ("logits", 3)])
        self.assertIn("outputs=[('h', 6)", repr(self.net))

    def test_memory_is_shared_and_writes_are_seen(self) -> None:
        writes: dict[str, Callable[[Tensor], object]] = {
            "in place": lambda p: p.mul_(1.5),
            "one number": lambda p: p[0].fill_(0.25),
            "through data": lambda p: p.data.mul_(1.5),
            "through NumPy": lambda p: np.multiply(p.detach().numpy(), 1.5, out=p.detach().numpy()),
            "other memory": lambda p: setattr(p, "data", p.data * 1.5),
            "init": lambda p: torch.nn.init.uniform_(p, -1, 1),
        }
        for what, write in writes.items():
            for name, p in self.net.named_parameters():
                with self.subTest(what, parameter=name), torch.no_grad():
                    before = self.logits()
                    write(p)
                    after = self.logits()
                    self.assertFalse(torch.equal(after, before))
                    fresh = cavs.torch.Module(child_sum_model(), ["h", "logits"])
                    fresh.load_state_dict(self.net.state_dict())
                    self.assertTrue(torch.equal(self.logits(fresh), after))

    def test_a_refused_pass_does_not_forget_a_write(self) -> None:
        first, last = list(self.net.parameters())[0], list(self.net.parameters())[-1]
        kept = last.data
        self.logits()
        with torch.no_grad():
            first[0].fill_(0.25)
            last.data = kept.double()
            with self.assertRaisesRegex(cavs.Error, "float64"):
                self.logits()
            last.data = kept
        fresh = cavs.torch.Module(child_sum_model(), ["h", "logits"])
        fresh.load_state_dict(self.net.state_dict())
        self.assertTrue(torch.equal(self.logits(fresh), self.logits()))

    def test_an_output_that_some_types_push_and_others_scatter(self) -> None:
        model = cavs.Model(seed=1)

        @model.vertex_function
        def leaf(v: Any) -> None:
            h = cavs.tanh(v.pull("x", 2))
            v.scatter(h=h)
            v.push(h=h)

        @model.vertex_function
        def inner(v: Any) -> None:
            v.scatter(h=v.children("h").sum() + 1)

        graphs = cavs.Graphs.from_edges([2], [0], [1], types=[0, 1], type_names=["leaf", "inner"],
                                        ports={"x": np.ones((2, 2), np.float32)})
        h = cavs.torch.Module(model, ["h"])(cavs.torch.Batch(graphs))["h"]
        self.assertTrue(torch.allclose(h[1], h[0] + 1))

    def test_every_optimiser_trains(self) -> None:
        optimisers: list[Callable[[Any], torch.optim.Optimizer]] = [
            lambda p: torch.optim.SGD(p, 0.3, momentum=0.9), lambda p: torch.optim.Adam(p, 0.02),
            lambda p: torch.optim.AdamW(p, 0.02, foreach=True), lambda p: torch.optim.Adam(p, 0.02, fused=True),
            lambda p: torch.optim.Adagrad(p, 0.1), lambda p: torch.optim.RMSprop(p, 0.01),
            lambda p: torch.optim.LBFGS(p, 0.2)]
        labels = torch.randint(0, 3, (len(self.batch.roots),))
        for make in optimisers:
            net = copy.deepcopy(self.net)
            optimizer = make(net.parameters())

            def closure() -> Tensor:
                optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(net(self.batch)["logits"][self.batch.roots], labels)
                loss.backward()
                return loss

            with self.subTest(type(optimizer).__name__):
                first = closure().item()
                for _ in range(25):
                    last = float(optimizer.step(lambda: closure().item()) or 0)
                self.assertLess(last, 0.5 * first)

    def test_gradients_can_be_clipped_and_kept(self) -> None:
        self.net(self.batch)["h"].sum().backward()
        kept = [p.grad.clone() for p in self.net.parameters() if p.grad is not None]
        norm = torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1e-3)
        self.assertGreater(float(norm), 1e-3)
        for p, before in zip(self.net.parameters(), kept):
            assert p.grad is not None
            torch.testing.assert_close(p.grad, before * (1e-3 / norm), rtol=1e-3, atol=1e-9)

    def test_state_dicts(self) -> None:
        other = cavs.torch.Module(child_sum_model(), ["h", "logits"])
        with torch.no_grad():
            for p in other.parameters():
                p.add_(0.1)
        self.assertFalse(torch.equal(self.logits(other), self.logits()))
        other.load_state_dict(self.net.state_dict())
        self.assertTrue(torch.equal(self.logits(other), self.logits()))
        with torch.no_grad():
            for p in other.parameters():
                p.add_(0.1)
        other.load_state_dict({k: v.clone() for k, v in self.net.state_dict().items()}, assign=True)
        self.assertTrue(torch.equal(self.logits(other), self.logits()))
        with self.assertRaisesRegex(RuntimeError, "size mismatch for Wy"):
            other.load_state_dict({**self.net.state_dict(), "Wy": torch.zeros(2, 2)})

    def test_copies_are_independent(self) -> None:
        model = torch.nn.Sequential(torch.nn.Linear(2, 2), self.net)
        for other in (copy.deepcopy(self.net), copy.deepcopy(model)[1]):
            assert isinstance(other, cavs.torch.Module)
            before = self.logits()
            self.assertTrue(torch.equal(self.logits(other), before))
            with torch.no_grad():
                other.get_parameter("W").zero_()
            self.assertFalse(torch.equal(self.logits(other), before))
            self.assertTrue(torch.equal(self.logits(), before))
        tied = torch.nn.ModuleList([self.net, torch.nn.Linear(1, 1)])
        tied[1].weight = self.net.get_parameter("W")
        other_tied = copy.deepcopy(tied)
        self.assertIs(other_tied[0].get_parameter("W"), other_tied[1].weight)

    def test_pickles_are_safetensors(self) -> None:
        self.net.get_parameter("E").requires_grad_(False)
        self.net.eval()
        data = pickle.dumps(self.net)
        self.assertIn(b'"parameters/Wf":{"data_offsets":', data)
        other = pickle.loads(data)
        self.assertTrue(torch.equal(self.logits(other), self.logits()))
        self.assertFalse(other.training)
        self.assertFalse(other.get_parameter("E").requires_grad)
        self.assertEqual(other.outputs, self.net.outputs)
        buffer = io.BytesIO()
        torch.save(torch.nn.ModuleDict({"tree": self.net}), buffer)
        buffer.seek(0)
        loaded = torch.load(buffer, weights_only=False)["tree"]
        self.assertTrue(torch.equal(self.logits(loaded), self.logits()))

    def test_files_are_cavs_checkpoints(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.cavs"
            self.net.save(path)
            predicted = cavs.load(str(path)).predict(trees(6))["logits"]
            torch.testing.assert_close(torch.from_numpy(predicted), self.logits(), rtol=1e-5, atol=1e-6)
            other = cavs.torch.Module.load(path, ["h", "logits"], threads=2)
            self.assertTrue(torch.equal(self.logits(other), self.logits()))
            self.assertEqual(str(other.model), str(self.net.model))

    def test_a_model_trained_by_cavs_goes_on_in_pytorch(self) -> None:
        data = cavs.load_data("random-trees:train=40,test=10,leaves=6,vocabulary=20")
        model = cavs.zoo("tree-lstm", vocabulary=data.rows("word"), embedding=8, hidden=8, classes=data.classes)
        trained = cavs.fit(model, data, epochs=1, on_epoch=None)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trees.cavs"
            trained.save(str(path))
            net = cavs.torch.Module.load(path)
        with torch.no_grad():
            logits = net(data.dev)["logits"]  # labels and losses of the model are ignored
        torch.testing.assert_close(logits, torch.from_numpy(trained.predict(data.dev)["logits"]), rtol=1e-5, atol=1e-6)

    def test_parametrisations(self) -> None:
        expected = self.logits()
        torch.nn.utils.parametrizations.weight_norm(self.net, "U")
        torch.testing.assert_close(self.logits(), expected, rtol=1e-4, atol=1e-5)
        self.net(self.batch)["logits"].sum().backward()
        for name, p in self.net.named_parameters():
            self.assertIsNotNone(p.grad, name)
        self.assertIn("parametrizations.U.original0", dict(self.net.named_parameters()))


if __name__ == "__main__":
    unittest.main()
