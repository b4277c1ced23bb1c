"""Networks of several vertex functions as modules: one row per vertex of the data, whichever function evaluates it."""

from __future__ import annotations

import gc
import pathlib
import tempfile
import unittest

import numpy as np
import torch
import torch._dynamo.testing
from cells import CLASSES, HIDDEN, WIDTH, WORDS, chains, largest_difference
from torch import Tensor

import cavs
import cavs.torch

LIMIT = 1e-5


def tagger() -> cavs.Model:
    """Two recurrent functions, one in each direction, and a tagger that reads both. All three read "x"."""
    m = cavs.Model(seed=4)
    E, Wx, Wy = m.lookup("E", (WORDS, WIDTH)), m.parameter("Wx", (WIDTH, CLASSES)), m.parameter("Wy", (2 * HIDDEN, CLASSES))
    for name in ("forward", "backward"):
        W, U = m.parameter(f"{name}_W", (WIDTH, HIDDEN)), m.parameter(f"{name}_U", (HIDDEN, HIDDEN))

        @m.vertex_function(name, over=["vertex"], reverse=name == "backward")
        def read(v: cavs.Vertex) -> None:
            h = cavs.tanh((E(v.pull_index("word")) + v.pull("x", WIDTH)) @ W + v.gather(0, "s") @ U)
            v.scatter(s=h)
            v.push(h=h)

    @m.vertex_function("tag", over=["vertex"])
    def tag(v: cavs.Vertex) -> None:
        both = cavs.concat(v.pull("forward", HIDDEN), v.pull("backward", HIDDEN))
        v.push(logits=both @ Wy + v.pull("x", WIDTH) @ Wx)

    for name in ("forward", "backward"):
        m.connect((name, "h"), ("tag", name))
    return m


def tag_in_pytorch(p: dict[str, Tensor], words: list[int], x: Tensor) -> dict[str, Tensor]:
    """One sentence."""
    rows: dict[str, list[Tensor]] = {}
    order = list(range(len(words)))
    for name, visited in (("forward", order), ("backward", order[::-1])):
        h, made = torch.zeros(HIDDEN, dtype=x.dtype), {}
        for t in visited:
            h = torch.tanh((p["E"][words[t]] + x[t]) @ p[f"{name}_W"] + h @ p[f"{name}_U"])
            made[t] = h
        rows[f"{name}.h"] = [made[t] for t in order]
    out = {name: torch.stack(hs) for name, hs in rows.items()}
    out["logits"] = torch.cat([out["forward.h"], out["backward.h"]], 1) @ p["Wy"] + x @ p["Wx"]
    return out


def translator() -> cavs.Model:
    """A chain of sources, and a chain of targets that starts from the last source and attends to all sources."""
    m = cavs.Model(seed=5)
    U, V = m.parameter("U", (HIDDEN, HIDDEN)), m.parameter("V", (HIDDEN, HIDDEN))
    W, Wx = m.parameter("W", (WIDTH, HIDDEN)), m.parameter("Wx", (WIDTH, HIDDEN))

    @m.vertex_function("source")
    def source(v: cavs.Vertex) -> None:
        h = cavs.tanh(v.pull("x", WIDTH) @ W + v.gather(0, "h") @ U)
        v.scatter(h=h)
        v.push(h=h)

    @m.vertex_function("target")
    def target(v: cavs.Vertex) -> None:
        h = cavs.tanh(v.pull("x", WIDTH) @ Wx + (v.gather(0, "g") + v.pull("first", HIDDEN)) @ V)
        v.scatter(g=h)
        rows = v.pull_all("rows", HIDDEN)
        v.push(h=h + cavs.attention(h, rows, rows))

    m.connect(("source", "h"), ("target", "first"), cavs.RowMap.start())
    m.connect(("source", "h"), ("target", "rows"), cavs.RowMap.all())
    return m


def pairs() -> tuple[cavs.Graphs, list[tuple[int, int]]]:
    """Graphs whose samples have a chain of sources, then a chain of targets."""
    sizes = [(3, 2), (1, 4), (5, 1)]
    counts, children, types = [], [], []
    for sources, targets in sizes:
        for first, length in ((0, sources), (sources, targets)):
            counts += [0] + [1] * (length - 1)
            children += list(range(first, first + length - 1))
            types += [int(first > 0)] * length
    begin = np.cumsum([0, *(a + b for a, b in sizes)])
    x = np.random.default_rng(2).standard_normal((len(types), WIDTH)).astype(np.float32)
    return cavs.Graphs.from_arrays(begin, np.cumsum([0, *counts]), np.array(children), types=np.array(types),
                                   type_names=["source", "target"], ports={"x": x}), sizes


def translate_in_pytorch(p: dict[str, Tensor], sources: int, x: Tensor) -> Tensor:
    """h of one sample: the output of targets, the state of sources."""
    h, rows = torch.zeros(HIDDEN, dtype=x.dtype), []
    for row in x[:sources]:
        h = torch.tanh(row @ p["W"] + h @ p["U"])
        rows.append(h)
    keys, pushed = torch.stack(rows), list(rows)
    for row in x[sources:]:
        h = torch.tanh(row @ p["Wx"] + h @ p["V"])
        pushed.append(h + torch.softmax(keys @ h / HIDDEN ** 0.5, 0) @ keys)
    return torch.stack(pushed)


class Networks(unittest.TestCase):
    def check(self, found: dict[str, Tensor | None], expected: dict[str, Tensor | None]) -> None:
        self.assertEqual(found.keys(), expected.keys())
        for name, tensor in found.items():
            wanted = expected[name]
            assert tensor is not None and wanted is not None, name
            self.assertLess(largest_difference(tensor, wanted), LIMIT, name)

    def test_the_numbers_of_a_tagger_equal_plain_pytorch(self) -> None:
        graphs, samples = chains(9), [4, 1, 7, 1]
        batch = cavs.torch.Batch(graphs, samples)
        torch.manual_seed(1)
        x = torch.randn(len(batch.rows), WIDTH, requires_grad=True)
        weights = {name: torch.randn(len(x), width)
                   for name, width in (("logits", CLASSES), ("forward.h", HIDDEN), ("backward.h", HIDDEN))}
        for engine, threads in (("batched", 1), ("batched", 2), ("reference", 1)):
            net = cavs.torch.Module(tagger(), list(weights), engine=engine, threads=threads)
            out = net(batch, x=x)
            x.grad = None
            torch.stack([(out[name] * w).sum() for name, w in weights.items()]).sum().backward()

            p = {name: q.detach().double().requires_grad_() for name, q in net.named_parameters()}
            y = x.detach().double().requires_grad_()
            words, lengths = graphs["word"][batch.rows], torch.bincount(batch.sample).tolist()
            made = [tag_in_pytorch(p, w.tolist(), rows) for w, rows in
                    zip(np.split(words, np.cumsum(lengths)[:-1]), y.split(lengths))]
            expected = {name: torch.cat([one[name] for one in made]) for name in weights}
            torch.stack([(expected[name] * w).sum() for name, w in weights.items()]).sum().backward()
            with self.subTest(engine=engine, threads=threads):
                self.check({k: v.detach() for k, v in out.items()}, {k: v.detach() for k, v in expected.items()})
                self.check({"x": x.grad, **{k: q.grad for k, q in net.named_parameters()}},
                           {"x": y.grad, **{k: q.grad for k, q in p.items()}})

    def test_the_numbers_of_a_translator_equal_plain_pytorch(self) -> None:
        graphs, sizes = pairs()
        net = cavs.torch.Module(translator(), ["h"])  # of both functions, which run over different vertices
        batch = cavs.torch.Batch(graphs, [2, 0, 1])
        x = torch.from_numpy(graphs["x"])[batch.rows].requires_grad_()
        torch.manual_seed(2)
        weight = torch.randn(len(x), HIDDEN)
        out = net(batch, x=x)["h"]
        (out * weight).sum().backward()
        p = {name: q.detach().double().requires_grad_() for name, q in net.named_parameters()}
        y = x.detach().double().requires_grad_()
        parts = y.split([sum(sizes[s]) for s in (2, 0, 1)])
        expected = torch.cat([translate_in_pytorch(p, sizes[s][0], part) for s, part in zip((2, 0, 1), parts)])
        (expected * weight).sum().backward()
        self.check({"h": out.detach()}, {"h": expected.detach()})
        self.check({"x": x.grad, **{k: q.grad for k, q in net.named_parameters()}},
                   {"x": y.grad, **{k: q.grad for k, q in p.items()}})
        with torch.no_grad():  # compares every number of x's gradient with finite differences
            self.assertTrue(torch.equal(net(batch)["h"], out))  # x from the graphs

    def test_every_network_of_the_zoo_predicts_the_same_as_the_library(self) -> None:
        for name in ("bilstm", "bilstm-tagger", "bilstm-char", "bilstm-crf", "lstm-nmt"):
            data = cavs.load_data(next(m.data for m in cavs.zoo_models() if m.name == name), limit=6,
                                  spelled_below=2 if name in ("bilstm-char", "bilstm-crf") else 0)
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                model = cavs.zoo(name, vocabulary=data.rows("word") + 100, embedding=6, hidden=8, classes=data.classes + 1)
                net, path = cavs.torch.Module(model), pathlib.Path(folder) / "net.cavs"
                net.save(path)
                predicted = cavs.load(str(path)).predict(data.train)
                for output, rows in net(data.train).items():
                    expected = torch.from_numpy(predicted[output])
                    torch.testing.assert_close(rows, expected.nan_to_num(0.0), rtol=1e-5, atol=1e-6)
                    self.assertGreater(float(rows.detach().abs().max()), 0.0)

    def test_names_of_outputs(self) -> None:
        self.assertEqual(cavs.torch.Module(tagger()).outputs, [("logits", CLASSES)])  # outputs that are not read
        self.assertEqual(cavs.torch.Module(tagger(), ["tag.logits", "backward.s"]).outputs,
                         [("tag.logits", CLASSES), ("backward.s", HIDDEN)])
        with self.assertRaisesRegex(cavs.Error, "output 'h' belongs to several vertex functions over the same vertices; "
                                                "choose one of: forward.h, backward.h"):
            cavs.torch.Module(tagger(), ["h"])
        with self.assertRaisesRegex(cavs.Error, "unknown output 'logit'.*did you mean 'logits'"):
            cavs.torch.Module(tagger(), ["logit"])
        with self.assertRaisesRegex(cavs.Error, "unknown output 'forward.x'.*known: .*forward.h"):
            cavs.torch.Module(tagger(), ["forward.x"])

    def test_data_that_do_not_fit_are_refused(self) -> None:
        net = cavs.torch.Module(translator(), ["h"])
        with self.assertRaisesRegex(cavs.Error, "type 'source'"):
            net(chains(3))

    def test_graphs_are_freed_and_others_evaluated(self) -> None:
        net = cavs.torch.Module(tagger())
        for seed in range(30):
            graphs = chains(3, seed=seed)
            out = net(graphs)["logits"]
            self.assertEqual(len(out), graphs.vertices)
            other = cavs.torch.Module(tagger())(graphs)["logits"]
            self.assertTrue(torch.equal(out, other))
            out.sum().backward()
            del graphs, out, other
            gc.collect()

    def test_several_passes_are_open_and_a_batch_is_used_twice(self) -> None:
        net = cavs.torch.Module(tagger())
        batch = cavs.torch.Batch(chains(5))
        x = torch.randn(len(batch.rows), WIDTH, requires_grad=True)
        first, second = net(batch, x=x)["logits"], net(batch, x=x * 2)["logits"]
        (grad,) = torch.autograd.grad(first.sum() + second.sum(), x)
        (one,) = torch.autograd.grad(net(batch, x=x)["logits"].sum(), x)
        (two,) = torch.autograd.grad(net(batch, x=x * 2)["logits"].sum(), x)
        torch.testing.assert_close(grad, one + two)

    def test_compiles_without_breaks_and_without_recompiling(self) -> None:
        net = cavs.torch.Module(tagger())
        torch._dynamo.reset()
        counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
        compiled = torch.compile(net, fullgraph=True, backend=counter)
        for samples in ([0], [1, 2], [3, 4, 0], [2]):
            batch = cavs.torch.Batch(chains(5), samples)
            self.assertTrue(torch.equal(compiled(batch)["logits"], net(batch)["logits"]))
        self.assertEqual(counter.frame_count, 1)


if __name__ == "__main__":
    unittest.main()
