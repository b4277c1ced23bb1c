"""Passes under autograd: several open passes, the same batch twice, no gradients, repeated and reordered passes."""

from __future__ import annotations

import unittest

import torch
from cells import WIDTH, child_sum_model, trees
from torch import Tensor
from torch.utils.checkpoint import checkpoint

import cavs
import cavs.torch
from cavs import _torch_ops


def gradients(net: torch.nn.Module) -> list[Tensor]:
    return [p.grad.clone() for p in net.parameters() if p.grad is not None]


class Autograd(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(1)
        self.net = cavs.torch.Module(child_sum_model(), ["h", "logits"])
        self.batches = [cavs.torch.Batch(trees(4, seed=s)) for s in range(3)]

    def loss(self, batch: cavs.torch.Batch, net: cavs.torch.Module | None = None) -> Tensor:
        out: dict[str, Tensor] = (net or self.net)(batch)
        return out["h"].square().sum() + out["logits"].logsumexp(1).sum()

    def gradients_of(self, batch: cavs.torch.Batch) -> list[Tensor]:
        self.net.zero_grad()
        self.loss(batch).backward()
        return gradients(self.net)

    def assert_same(self, found: list[Tensor], expected: list[Tensor]) -> None:
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)

    def test_several_passes_are_open_and_end_in_any_order(self) -> None:
        expected = [self.gradients_of(batch) for batch in self.batches]
        losses = [self.loss(batch) for batch in self.batches]
        for i in (1, 2, 0):
            self.net.zero_grad()
            losses[i].backward()
            for found, wanted in zip(gradients(self.net), expected[i]):
                self.assertTrue(torch.equal(found, wanted))

    def test_the_same_batch_twice_in_one_loss(self) -> None:
        once = self.gradients_of(self.batches[0])
        self.net.zero_grad()
        (self.loss(self.batches[0]) + self.loss(self.batches[0])).backward()
        self.assert_same(gradients(self.net), [2 * g for g in once])

    def test_backward_adds_to_gradients(self) -> None:
        expected = [self.gradients_of(batch) for batch in self.batches[:2]]
        self.net.zero_grad()
        for batch in self.batches[:2]:
            self.loss(batch).backward()
        self.assert_same(gradients(self.net), [a + b for a, b in zip(*expected)])

    def test_backward_twice_through_a_retained_graph(self) -> None:
        expected = self.gradients_of(self.batches[0])
        self.net.zero_grad()
        loss = self.loss(self.batches[0])
        loss.backward(retain_graph=True)
        self.assert_same(gradients(self.net), expected)
        loss.backward()
        self.assert_same(gradients(self.net), [2 * g for g in expected])
        with self.assertRaisesRegex(RuntimeError, "retain_graph|second time"):
            loss.backward()

    def test_no_grad_and_eval(self) -> None:
        expected = self.net(self.batches[0])["logits"]
        with torch.no_grad():
            found = self.net(self.batches[0])["logits"]
        self.assertFalse(found.requires_grad)
        torch.testing.assert_close(found, expected.detach(), rtol=1e-5, atol=1e-6)
        with torch.inference_mode():
            torch.testing.assert_close(self.net(self.batches[0])["logits"], expected.detach(), rtol=1e-5, atol=1e-6)
        training = self.gradients_of(self.batches[0])
        self.net.eval()
        self.assert_same(self.gradients_of(self.batches[0]), training)

    def test_frozen_parameters_and_only_inputs(self) -> None:
        expected = dict(zip((n for n, _ in self.net.named_parameters()), self.gradients_of(self.batches[0])))
        self.net.zero_grad()
        self.net.get_parameter("E").requires_grad_(False)
        self.loss(self.batches[0]).backward()
        self.assertIsNone(self.net.get_parameter("E").grad)
        for name, p in self.net.named_parameters():
            if name != "E":
                assert p.grad is not None
                self.assertTrue(torch.equal(p.grad, expected[name]), name)
        self.net.requires_grad_(False)
        self.assertFalse(self.loss(self.batches[0]).requires_grad)
        x = torch.randn(len(self.batches[0].sample), WIDTH, requires_grad=True)
        self.net(self.batches[0], x=x)["h"].sum().backward()
        assert x.grad is not None
        self.assertGreater(float(x.grad.abs().sum()), 0)

    def test_double_backward_is_refused(self) -> None:
        for wanted in ("parameters", "input"):
            x = torch.randn(len(self.batches[0].sample), WIDTH, requires_grad=True)
            of = x if wanted == "input" else self.net.get_parameter("W")
            (first,) = torch.autograd.grad(self.net(self.batches[0], x=x)["h"].square().sum(), of, create_graph=True)
            with self.assertRaisesRegex(cavs.Error, "double backward .* create_graph=True"):
                first.sum().backward()

    def test_writing_parameters_or_inputs_between_the_passes_is_refused(self) -> None:
        loss = self.loss(self.batches[0])
        with torch.no_grad():
            self.net.get_parameter("W").mul_(2)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            loss.backward()
        x = torch.randn(len(self.batches[0].sample), WIDTH, requires_grad=True)
        y = x * 1
        loss = self.net(self.batches[0], x=y)["h"].sum()
        y.mul_(2)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            loss.backward()

    def test_outputs_may_be_written(self) -> None:
        expected = self.gradients_of(self.batches[0])
        self.net.zero_grad()
        out = self.net(self.batches[0])
        loss = out["h"].square().sum() + out["logits"].logsumexp(1).sum()
        with torch.no_grad():
            out["logits"].detach().clone().zero_()
        out["logits"].mul(0)
        loss.backward()
        self.assert_same(gradients(self.net), expected)
        out = self.net(self.batches[0])
        self.net.zero_grad()
        out["h"].mul_(2).sum().backward()  # in place: the gradient of mul_ by 2 does not need the old values
        found = gradients(self.net)
        self.net.zero_grad()
        (2 * self.net(self.batches[0])["h"]).sum().backward()
        self.assert_same(found, gradients(self.net))

    def test_inputs_in_any_layout(self) -> None:
        vertices = len(self.batches[0].sample)
        base = torch.randn(WIDTH, 2 * vertices, requires_grad=True)
        x = base.t()[::2]
        self.assertFalse(x.is_contiguous())
        self.net(self.batches[0], x=x)["h"].square().sum().backward()
        found, base.grad = base.grad, None
        self.net(self.batches[0], x=x.contiguous())["h"].square().sum().backward()
        assert found is not None and base.grad is not None
        self.assertTrue(torch.equal(found, base.grad))

    def test_activation_checkpointing(self) -> None:
        expected = self.gradients_of(self.batches[0])
        self.net.zero_grad()
        loss: Tensor = checkpoint(self.loss, self.batches[0], use_reentrant=False)
        loss.backward()
        self.assert_same(gradients(self.net), expected)

    def test_a_token_that_hooks_have_copied_is_named(self) -> None:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
            loss = self.loss(self.batches[0])
        with self.assertRaisesRegex(cavs.Error, "hooks on saved tensors"):
            loss.backward()

    def test_other_parameters_for_one_call(self) -> None:
        others = {name: (0.5 * p).detach().requires_grad_() for name, p in self.net.named_parameters()}
        expected = self.gradients_of(self.batches[0])
        self.net.zero_grad()
        own = self.loss(self.batches[0])
        out = torch.func.functional_call(self.net, others, (self.batches[0],))
        own.backward()  # after other weights were used
        self.assert_same(gradients(self.net), expected)
        (out["h"].square().sum() + out["logits"].logsumexp(1).sum()).backward()
        with torch.no_grad():
            for p in self.net.parameters():
                p.mul_(0.5)
        self.assert_same([p.grad for p in others.values() if p.grad is not None], self.gradients_of(self.batches[0]))

    def test_the_operators_pass_opcheck(self) -> None:
        batch = self.batches[0]
        parameters = [p.detach().requires_grad_() for p in self.net.parameters()]
        x = torch.randn(len(batch.sample), WIDTH, requires_grad=True)
        number = self.net._number
        forward, backward = _torch_ops.operators(2, 1, len(parameters))
        plain = [p.detach() for p in parameters]
        for mode, given, used in ((5, x, parameters), (1, None, parameters), (0, None, plain)):
            torch.library.opcheck(forward, (number, mode, batch._tensor, batch.sample, None, given, *used))
        h, _, token = forward(number, 5, batch._tensor, batch.sample, None, x, *parameters)
        torch.library.opcheck(backward, (number, 1, token.detach(), torch.ones_like(h), None, x.detach(), *plain))


class Dropout(unittest.TestCase):
    def setUp(self) -> None:
        self.net = cavs.torch.Module(child_sum_model(dropout=0.5))
        self.batch = cavs.torch.Batch(trees(5))

    def test_masks_are_drawn_by_pytorchs_generator_only_in_training(self) -> None:
        torch.manual_seed(7)
        first, second = self.net(self.batch)["logits"], self.net(self.batch)["logits"]
        self.assertFalse(torch.equal(first, second))
        torch.manual_seed(7)
        self.assertTrue(torch.equal(self.net(self.batch)["logits"], first))
        with torch.no_grad():
            torch.manual_seed(7)
            self.assertTrue(torch.equal(self.net(self.batch)["logits"], first))
        self.net.eval()
        before = torch.get_rng_state()
        expected = cavs.torch.Module(child_sum_model())(self.batch)["logits"]
        torch.testing.assert_close(self.net(self.batch)["logits"], expected, rtol=1e-5, atol=1e-6)
        self.assertTrue(torch.equal(before, torch.get_rng_state()))

    def test_checkpointing_draws_the_same_masks(self) -> None:
        def loss(batch: cavs.torch.Batch) -> Tensor:
            out: dict[str, Tensor] = self.net(batch)
            return out["logits"].square().sum()

        torch.manual_seed(7)
        loss(self.batch).backward()
        expected = gradients(self.net)
        self.net.zero_grad()
        torch.manual_seed(7)
        again: Tensor = checkpoint(loss, self.batch, use_reentrant=False)
        again.backward()
        for found, wanted in zip(gradients(self.net), expected):
            self.assertTrue(torch.equal(found, wanted))


if __name__ == "__main__":
    unittest.main()
