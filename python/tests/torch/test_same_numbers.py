"""Loss, outputs and gradients equal those of the same cell in plain PyTorch."""

from __future__ import annotations

import itertools
import unittest

import numpy as np
import torch
from cells import (CLASSES, HIDDEN, WIDTH, Case, cases, child_sum_cell, child_sum_model, largest_difference, plain, total,
                   trees, word_row)
from torch import Tensor

import cavs
import cavs.torch

LIMIT = 1e-5


def loss_of(out: dict[str, Tensor], labels: Tensor) -> Tensor:
    """A loss that depends on all outputs, each in a different way."""
    return (torch.nn.functional.cross_entropy(out["logits"], labels) + out["h"].square().mean() * 3
            - out["c"].cos().sum() / len(labels))


class SameNumbers(unittest.TestCase):
    def check(self, case: Case, net: cavs.torch.Module, samples: list[int] | None) -> None:
        """Compares gradients of parameters, encoder and input, with an encoder below the cell and a loss above."""
        batch = cavs.torch.Batch(case.graphs, samples)
        samples = list(range(len(case.graphs))) if samples is None else samples
        torch.manual_seed(3)
        vertices, encoder = len(batch.sample), torch.nn.Linear(4, WIDTH)
        features = torch.randn(vertices, 4)
        labels = torch.randint(0, CLASSES, (vertices,))

        x = encoder(features).tanh()
        x.retain_grad()
        net.zero_grad()
        out = net(batch, x=x)
        loss = loss_of(out, labels)
        loss.backward()

        expected_encoder = torch.nn.Linear(4, WIDTH).double()
        expected_encoder.load_state_dict(encoder.state_dict())
        parameters = {name: p.detach().double().requires_grad_() for name, p in net.named_parameters()}
        y = expected_encoder(features.double()).tanh()
        y.retain_grad()
        expected = plain(case.cell, parameters, case.graphs, samples, y)
        expected_loss = loss_of(expected, labels)
        expected_loss.backward()

        self.assertLess(largest_difference(loss.detach(), expected_loss.detach()), LIMIT)
        pairs: list[tuple[str, Tensor | None, Tensor | None]] = [("x", x.grad, y.grad)]
        pairs += [(name, out[name].detach(), expected[name].detach()) for name in ("h", "c", "logits")]
        pairs += [(name, p.grad, parameters[name].grad) for name, p in net.named_parameters()]
        pairs += [("encoder", p.grad, q.grad) for p, q in zip(encoder.parameters(), expected_encoder.parameters())]
        for name, found, wanted in pairs:
            assert found is not None and wanted is not None, name
            self.assertLess(largest_difference(found, wanted), LIMIT, name)

    def test_of_three_cells_with_every_engine(self) -> None:
        for case, engine, threads in itertools.product(cases(), ("batched", "reference"), (1, 2)):
            with self.subTest(case.name, engine=engine, threads=threads):
                net = cavs.torch.Module(case.model, ["h", "logits", "c"], engine=engine, threads=threads)
                self.check(case, net, None)
                self.check(case, net, [4, 1, 7])

    def test_inputs_may_come_from_the_graphs(self) -> None:
        for case in cases():
            with self.subTest(case.name):
                net = cavs.torch.Module(case.model, ["h", "logits"])
                samples = [5, 0, 2]
                batch = cavs.torch.Batch(case.graphs, samples)
                begin = case.graphs.sample_begin
                rows = np.concatenate([np.arange(begin[s], begin[s + 1]) for s in samples])
                x = torch.from_numpy(case.graphs["x"][rows])
                from_graphs, given = net(batch), net(batch, x=x)
                for name in ("h", "logits"):
                    self.assertTrue(torch.equal(from_graphs[name], given[name]))

    def test_edges_have_input(self) -> None:
        """Edges have a number and a name, some of them absent. Compares gradients of their factors."""
        m = cavs.Model(seed=6)
        W, U, L = m.parameter("W", (WIDTH, HIDDEN)), m.parameter("U", (HIDDEN, HIDDEN)), m.parameter("L", (2, HIDDEN))
        B = m.lookup("B", (CLASSES, HIDDEN))

        @m.vertex_function
        def vertex(v: cavs.Vertex) -> None:
            message = v.children("h") @ U + v.pull_edges("length", 2) @ L + B(v.pull_edge_index("order"))
            h = cavs.tanh(v.pull("x", WIDTH) @ W + cavs.tanh(message).sum())
            v.scatter(h=h)

        plain_trees = trees(8)
        rng, edges = np.random.default_rng(1), plain_trees.edges
        length, order = rng.standard_normal((edges, 2)).astype(np.float32), rng.integers(-1, CLASSES, edges)
        length[::5] = np.nan
        graphs = cavs.Graphs.from_arrays(plain_trees.sample_begin, plain_trees.child_offsets, plain_trees.children,
                                         edge_ports={"length": length, "order": order})
        net, samples = cavs.torch.Module(m, ["h"]), [6, 0, 7, 3]
        batch = cavs.torch.Batch(graphs, samples)
        x = torch.randn(len(batch.rows), WIDTH, requires_grad=True)
        weight = torch.randn(len(x), HIDDEN)
        out = net(batch, x=x)["h"]
        (out * weight).sum().backward()

        p = {name: q.detach().double().requires_grad_() for name, q in net.named_parameters()}
        y = x.detach().double().requires_grad_()
        numbers = torch.from_numpy(np.nan_to_num(length)).double()
        offsets, children = graphs.child_offsets.tolist(), graphs.children.tolist()
        rows: list[Tensor] = []
        for s in samples:
            first = len(rows)
            for v in range(graphs.sample_begin[s], graphs.sample_begin[s + 1]):
                messages = [rows[first + children[e]] @ p["U"] + numbers[e] @ p["L"] + word_row({"E": p["B"]}, order[e])
                            for e in range(offsets[v], offsets[v + 1])]
                rows.append(torch.tanh(y[len(rows)] @ p["W"] + total([torch.tanh(row) for row in messages], p["U"][0])))
        expected = torch.stack(rows)
        (expected * weight).sum().backward()
        self.assertLess(largest_difference(out.detach(), expected.detach()), LIMIT)
        for name, found, wanted in [("x", x.grad, y.grad), *((k, q.grad, p[k].grad) for k, q in net.named_parameters())]:
            assert found is not None and wanted is not None, name
            self.assertLess(largest_difference(found, wanted), LIMIT, name)

    def test_graphs_do_not_need_ports_of_given_inputs(self) -> None:
        net = cavs.torch.Module(child_sum_model())
        x = torch.randn(trees(4).vertices, WIDTH)
        without = net(trees(4, ports=False), x=x)["logits"]
        self.assertTrue(torch.equal(without, net(trees(4), x=x)["logits"]))
        with self.assertRaisesRegex(cavs.Error, "pulls 'x'"):
            net(trees(4, ports=False))

    def test_an_output_without_gradient_counts_as_zeros(self) -> None:
        net = cavs.torch.Module(child_sum_model(), ["h", "c", "logits"])
        graphs, x = trees(5), torch.randn(trees(5).vertices, WIDTH, requires_grad=True)
        net(graphs, x=x)["h"].sum().backward()
        parameters = {name: p.detach().double().requires_grad_() for name, p in net.named_parameters()}
        y = x.detach().double().requires_grad_()
        plain(child_sum_cell, parameters, graphs, list(range(5)), y)["h"].sum().backward()
        assert x.grad is not None and y.grad is not None
        self.assertLess(largest_difference(x.grad, y.grad), LIMIT)
        self.assertEqual(float(net.get_parameter("Wy").grad.abs().max()), 0.0)  # type: ignore[union-attr]
        for name in ("W", "U", "E", "bf"):
            found, wanted = net.get_parameter(name).grad, parameters[name].grad
            assert found is not None and wanted is not None
            self.assertLess(largest_difference(found, wanted), LIMIT, name)

    def test_roots_and_samples_of_a_batch(self) -> None:
        graphs = trees(6)
        batch = cavs.torch.Batch(graphs, [5, 0, 3])
        sizes = np.diff(graphs.sample_begin)[[5, 0, 3]]
        self.assertEqual(batch.roots.tolist(), (np.cumsum(sizes) - 1).tolist())  # the last vertex of a tree
        self.assertEqual(batch.sample.tolist(), np.repeat([0, 1, 2], sizes).tolist())
        self.assertEqual(len(batch), 3)


if __name__ == "__main__":
    unittest.main()
