"""Modules of cavs.torch.batched work like other modules: state_dict, copies, compilation, saving."""

from __future__ import annotations

import copy
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
from typing import Any

import torch
from cell_expressions import Expression, SideBySide
from cells_by_style import Before, Listed, MeanOrMax
from cells_for_vertices import Attention, Binary, ChildSum, D, H, Leaf, WeightNorm, Word
from torch import Tensor, nn
from vertex_recursion import random_graphs

import cavs
import cavs.torch
from cavs.torch import Child, Children, Index, batched


class Classifier(nn.Module):
    def __init__(self, inside: bool) -> None:
        super().__init__()
        cell = ChildSum()
        self.tree: Any = batched(cell, {"h": H, "c": H}, x=D) if inside else cell
        self.top = nn.Linear(H, 3)

    def forward(self, graphs: Any, x: Tensor) -> Tensor:
        y: Tensor = self.top(self.tree(graphs, x=x)["h"])
        return y


class Modules(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(1)
        self.cell = ChildSum()
        self.net = batched(self.cell, {"h": H, "c": H}, x=D)
        self.graphs = random_graphs("trees", 1)
        self.x = torch.randn(self.graphs.vertices, D)
        self.h = self.net(self.graphs, x=self.x)["h"].detach()

    def test_the_state_dict_equals_that_of_the_cell(self) -> None:
        self.assertEqual(list(self.net.state_dict()), list(self.cell.state_dict()))
        self.assertIs(self.net.get_parameter("iou_x.weight"), self.cell.iou_x.weight)
        old, new = Classifier(False), Classifier(True)
        new.load_state_dict(old.state_dict(), strict=True)
        self.assertTrue(torch.equal(new.tree.f_h.weight, old.tree.f_h.weight))
        self.assertEqual(len(list(new.parameters())), len(list(old.parameters())))
        types = batched(
            {
                "leaf": (Leaf(), {"word": Index()}),
                "inner": (Binary(), {"left": (Child(0, "h"), Child(0, "c")), "right": (Child(1, "h"), Child(1, "c"))}),
            },
            {"h": H, "c": H},
        )
        self.assertIn("leaf.e.weight", types.state_dict())

    def test_training_changes_the_parameters_of_the_cell(self) -> None:
        optimizer = torch.optim.SGD(self.net.parameters(), lr=0.5)
        losses = []
        for _ in range(10):
            loss = (self.net(self.graphs, x=self.x)["h"] - 0.3).square().mean()
            losses.append(float(loss.detach()))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        self.assertLess(losses[-1], 0.8 * losses[0])

    def test_a_copy_has_its_own_parameters(self) -> None:
        made = copy.deepcopy(self.net).eval()
        self.assertFalse(made.training)
        self.assertTrue(torch.equal(made(self.graphs, x=self.x)["h"], self.h))
        with torch.no_grad():
            made.get_parameter("iou_x.weight").zero_()
        self.assertFalse(torch.equal(made(self.graphs, x=self.x)["h"], self.h))
        self.assertTrue(torch.equal(self.net(self.graphs, x=self.x)["h"], self.h))

    def test_pickle(self) -> None:
        made = pickle.loads(pickle.dumps(self.net.eval()))
        self.assertFalse(made.training)
        self.assertTrue(torch.equal(made(self.graphs, x=self.x)["h"], self.h))

    def test_a_pickled_leaf_branch(self) -> None:
        cell = Listed()
        net = batched(cell, {"h": H, "c": H}, x=D, hs=[Children("h")], cs=[Children("c")])
        found = net(self.graphs, x=self.x)["h"]
        self.assertTrue(torch.equal(pickle.loads(pickle.dumps(net))(self.graphs, x=self.x)["h"], found))
        self.assertTrue(torch.equal(copy.deepcopy(net)(self.graphs, x=self.x)["h"], found))

    def test_functional_call(self) -> None:
        other = {name: p * 0.5 for name, p in self.net.named_parameters()}
        found = torch.func.functional_call(self.net, other, (self.graphs,), {"x": self.x})["h"]
        with torch.no_grad():
            for name, p in self.net.named_parameters():
                p.copy_(other[name])
        self.assertTrue(torch.equal(found, self.net(self.graphs, x=self.x)["h"]))

    def test_activation_checkpoints(self) -> None:
        def gradient(use: bool) -> Tensor:
            def run(x: Tensor) -> Tensor:
                y: Tensor = self.net(self.graphs, x=x)["h"]
                return y

            x = self.x.clone().requires_grad_()
            y = torch.utils.checkpoint.checkpoint(run, x, use_reentrant=False) if use else run(x)
            y.square().sum().backward()
            assert x.grad is not None
            return x.grad

        self.assertTrue(torch.equal(gradient(True), gradient(False)))

    def test_compiled(self) -> None:
        compiled: Any = torch.compile(self.net, fullgraph=True, backend="aot_eager")
        for seed in (1, 2, 3):
            graphs = random_graphs("trees", seed)
            batch = cavs.torch.Batch(graphs)
            x = torch.randn(graphs.vertices, D, requires_grad=True)
            found = compiled(batch, x=x)["h"]
            wanted = self.net(batch, x=x)["h"]
            self.assertTrue(torch.equal(found, wanted))
            gradients = [torch.autograd.grad(y.square().sum(), x)[0] for y in (found, wanted)]
            self.assertTrue(torch.equal(*gradients))

    def test_compiled_before_any_call(self) -> None:
        """Including the parts that PyTorch computes: from parameters, before and after the recursion."""
        below: Any = {"x": D, "hs": Children("h")}
        for cell, returns in ((WeightNorm(), {"h": H}), (Before(), {"h": H, "y": 3})):
            with self.subTest(type(cell).__name__):
                net = batched(cell, returns, **below)
                compiled: Any = torch.compile(net, fullgraph=True, backend="aot_eager")
                batch = cavs.torch.Batch(self.graphs)
                found = compiled(batch, x=self.x)
                for name, y in net(batch, x=self.x).items():
                    self.assertTrue(torch.allclose(found[name], y, atol=1e-6), name)

    def test_dropout_is_applied_only_in_training(self) -> None:
        net = batched(Attention(), {"h": H}, x=D, hs=Children("h"))
        first, second = (net(self.graphs, x=self.x)["h"] for _ in range(2))
        self.assertFalse(torch.equal(first, second))
        net.eval()
        first, second = (net(self.graphs, x=self.x)["h"] for _ in range(2))
        self.assertTrue(torch.equal(first, second))
        net.train()
        net.get_submodule("drop").eval()
        with self.assertRaisesRegex(cavs.Error, r"(?s)Dropout\(p=0.1.*is now in eval mode.*call train\(\) or eval\(\) of"):
            net(self.graphs, x=self.x)

    def test_dropout_in_training(self) -> None:
        """Some elements are zeros; the others are divided by the fraction that is kept."""
        cell = Expression(lambda s, q, hs: torch.dropout(torch.ones_like(q) + 0 * q, 0.3, s.training))
        net = batched(cell, {"h": 6}, x=4, hs=Children("h"))
        graphs = random_graphs("trees", 1, samples=200)
        x = torch.randn(graphs.vertices, 4)
        y = torch.atanh(net(graphs, x=x)["h"].detach())
        kept = y > 0.5
        self.assertTrue(torch.allclose(y[kept], torch.tensor(1 / 0.7), atol=1e-5))
        self.assertTrue(torch.equal(y[~kept], torch.zeros(int((~kept).sum()))))
        share = 1 - float(kept.float().mean())
        self.assertLess(abs(share - 0.3), 5 * (0.3 * 0.7 / kept.numel()) ** 0.5)

    def test_more_tensors_than_an_operator_accepts(self) -> None:
        cell = SideBySide([lambda s, q, hs: q @ s.w + s.b] * 12)
        net = cell.batched(check=False)
        graphs = random_graphs("trees", 1, ports=cell.ports, edge_ports=cell.edge_ports)
        x = torch.randn(graphs.vertices, 4)
        self.assertEqual(net(graphs, x=x)["h11"].shape, (graphs.vertices, 6))
        batch = cavs.torch.Batch(graphs)
        with self.assertRaisesRegex(Exception, "with 73 parameters and inputs cannot be used in a compiled function"):
            torch.compile(net, fullgraph=True, backend="eager")(batch, x=x)

    def test_dropout_of_children(self) -> None:
        cell = Expression(lambda s, q, hs: torch.dropout(hs, 0.5, s.training).sum(0) + q)
        net = batched(cell, {"h": 6}, x=4, hs=Children("h"))
        x = torch.randn(self.graphs.vertices, 4)
        first, second = (net(self.graphs, x=x)["h"] for _ in range(2))
        self.assertFalse(torch.equal(first, second))
        leaves = torch.from_numpy(self.graphs.child_offsets).diff() == 0
        self.assertTrue(torch.equal(first[leaves], second[leaves]))


class Classified(nn.Module):
    """Computes states and logits from words and numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.e = nn.Embedding(11, H)
        self.x = nn.Linear(D, H)
        self.u = nn.Linear(H, H)
        self.top = nn.Linear(H, 3)

    def forward(self, word: Tensor, x: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        y = torch.tanh(self.e(word) + self.x(x) + self.u(h.sum(0)))
        return y, self.top(y)


def json_lines(graphs: cavs.Graphs) -> str:
    """The graphs as JSON lines, for `cavs predict`."""
    lines = []
    offsets = graphs.child_offsets.tolist()
    for first, last in zip(graphs.sample_begin.tolist(), graphs.sample_begin.tolist()[1:]):
        children = [graphs.children[a:b].tolist() for a, b in zip(offsets[first:last], offsets[first + 1 : last + 1])]
        pull = {name: graphs[name][first:last].tolist() for name in ("word", "x")}
        lines.append(json.dumps({"children": children, "pull": pull}) + "\n")
    return "".join(lines)


class Saved(unittest.TestCase):
    def test_the_command_predicts_the_same(self) -> None:
        command = os.environ.get("CAVS_COMMAND", "")
        if not command:
            self.skipTest("CAVS_COMMAND does not name the command")
        torch.manual_seed(1)
        net = batched(Classified(), {"h": H, "logits": 3}, word=Index(), x=D).eval()
        graphs = random_graphs("trees", 1, ports={"word": 11, "x": (D,)})
        logits = net(graphs)["logits"].detach()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cell.cavs"
            net.save(path)
            done = subprocess.run([command, "predict", path], input=json_lines(graphs), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        probabilities = torch.tensor([sample["probabilities"] for sample in found])
        self.assertTrue(torch.allclose(probabilities, torch.softmax(logits[graphs.sample_begin[1:] - 1], 1), atol=1e-6))
        self.assertEqual(sum((sample["classes"] for sample in found), []), logits.argmax(1).tolist())

    def test_a_checkpoint_predicts_the_same(self) -> None:
        torch.manual_seed(1)
        net = batched(Word(), {"h": H, "logits": 3}, word=Index(), hs=Children("h")).eval()
        graphs = random_graphs("trees", 1, ports={"word": 11})
        wanted = net(graphs)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cell.cavs"
            net.save(path)
            found = cavs.load(str(path)).predict(graphs)
            module = cavs.torch.Module.load(path, ["h", "logits"])
        for name, y in wanted.items():
            self.assertTrue(torch.equal(torch.from_numpy(found[name]), y), name)
            self.assertTrue(torch.equal(module.eval()(graphs)[name], y), name)

    def test_types(self) -> None:
        torch.manual_seed(1)
        below = {"left": (Child(0, "h"), Child(0, "c")), "right": (Child(1, "h"), Child(1, "c"))}
        net = batched({"leaf": (Leaf(), {"word": Index()}), "inner": (Binary(), below)}, {"h": H, "c": H})
        graphs = random_graphs("binary", 1, ports={"word": 11}, types=True)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cell.cavs"
            net.save(path)
            found = cavs.load(str(path)).predict(graphs)
        self.assertTrue(torch.equal(torch.from_numpy(found["h"]), net(graphs)["h"]))

    def test_a_cell_with_parts_of_pytorch_is_not_saved(self) -> None:
        net = batched(Before(), {"h": H, "y": 3}, x=D, hs=Children("h"))
        with self.assertRaisesRegex(
            cavs.Error, r"(?s)aten\.\w+.* is computed by PyTorch.*cells_by_style.py.*to do"
        ):
            net.save("nothing.cavs")


class Calls(unittest.TestCase):
    """Arguments and graphs of a call."""

    def setUp(self) -> None:
        self.net = batched(ChildSum(), {"h": H, "c": H}, check=False, x=D)
        self.graphs = random_graphs("trees", 1)
        self.x = torch.randn(self.graphs.vertices, D)

    def test_inputs(self) -> None:
        rows = self.graphs.vertices
        for given, message in (
            ({"y": self.x}, "the cell has no input 'y'; known: x"),
            ({"x": self.x[1:]}, rf"input 'x' has shape \[{rows - 1}, 5\]; expected \[{rows}, 5\]"),
            ({"x": 3}, "input 'x' is of type int"),
            ({"x": self.x.long()}, "input 'x' has dtype torch.int64; expected torch.float32"),
            ({"x": self.x.double()}, r"input 'x' has dtype torch.float64; .*\.float\(\)"),
        ):
            with self.subTest(message), self.assertRaisesRegex(cavs.Error, message):
                self.net(self.graphs, **given)
        with self.assertRaisesRegex(cavs.Error, "called with a int; expected a cavs.torch.Batch or cavs.Graphs"):
            self.net(3)
        words = batched(Word(), {"h": H, "logits": 3}, check=False, word=Index(given=True), hs=Children("h"))
        with self.assertRaisesRegex(cavs.Error, r"input 'word' is missing: .* expects a LongTensor \[\d+\]"):
            words(self.graphs)
        ports = batched(Word(), {"h": H, "logits": 3}, check=False, word=Index(), hs=Children("h"))
        with self.assertRaisesRegex(cavs.Error, r"input 'word' comes from an index port .* or declare Index\(given=True\)"):
            ports(self.graphs, word=torch.zeros(rows, dtype=torch.long))

    def test_an_absent_word_is_zeros_in_a_port_and_an_error_in_a_tensor(self) -> None:
        class Row(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.e = nn.Embedding(3, H)

            def forward(self, word: Tensor) -> Tensor:
                y: Tensor = self.e(word)
                return y

        cell = Row()
        graphs = cavs.from_objects([{"word": -1, "children": []}, {"word": 2, "children": []}], ports={"word": "word"})
        h = batched(cell, {"h": H}, word=Index())(graphs)["h"]
        self.assertTrue(torch.equal(h, torch.stack([torch.zeros(H), cell.e.weight[2]])))
        with self.assertRaisesRegex(IndexError, "out of range"):
            batched(cell, {"h": H}, word=Index(given=True))(graphs, word=torch.tensor([-1, 2]))

    def test_types_without_a_cell(self) -> None:
        net = batched({"leaf": (Leaf(), {"word": Index()})}, {"h": H, "c": H}, check=False)
        with self.assertRaisesRegex(cavs.Error, "(?s)of type 'inner'; there are cells for: leaf.* to do: .*type="):
            net(random_graphs("binary", 1, ports={"word": 11}, types=True))

    def test_vertices_at_which_the_cell_has_no_value(self) -> None:
        """mean and max over no children are NaN or an error in PyTorch, so the recursion would fail."""
        net = batched(MeanOrMax(), {"h": H})
        with self.assertRaisesRegex(cavs.Error, "a vertex of the type 'vertex' has 0 children, and MeanOrMax fails"):
            net(self.graphs)
        with self.assertRaisesRegex(cavs.Error, "has 0 children"):
            torch.compile(net, fullgraph=True, backend="eager")(cavs.torch.Batch(self.graphs))

    def test_before_pytorch_2_6(self) -> None:
        """Simulates an older PyTorch, which has no table of decompositions."""
        program = """
import torch
del torch.export.default_decompositions
import cavs, cavs.torch
try:
    cavs.torch.batched(torch.nn.LSTMCell(2, 2), {"h": 2})
except cavs.Error as error:
    print(error)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        self.assertRegex(
            done.stdout, r"^cavs.torch.batched needs PyTorch 2.6 or newer, found .*; upgrade it: pip install"
        )


if __name__ == "__main__":
    unittest.main()
