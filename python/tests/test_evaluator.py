"""The evaluator of cavs.torch without PyTorch: rows at addresses of NumPy arrays have the numbers of a Session."""

import gc
import unittest

import numpy as np

import cavs
from models import tree_lstm

WIDTH, HIDDEN, CLASSES = 4, 5, 3
GRADIENTS, INPUT_GRADIENTS = 1, 4  # bits of a pass's mode


def cells(*functions):
    """A network of recurrent functions over all vertices, every second of which runs in reverse."""
    m = cavs.Model(seed=2)
    W = m.parameter("W", (WIDTH, CLASSES))
    for number, name in enumerate(functions):
        Wx, U = m.parameter(f"{name}_Wx", (WIDTH, HIDDEN)), m.parameter(f"{name}_U", (HIDDEN, HIDDEN))

        @m.vertex_function(name, over=["vertex"], reverse=number % 2 == 1)
        def read(v):
            h = cavs.tanh(v.pull("x", WIDTH) @ Wx + v.children("s").sum() @ U)
            v.scatter(s=h)
            v.push(**{f"{name}_h": h})

    @m.vertex_function("top", over=["vertex"])
    def top(v):
        read = [v.pull(name, HIDDEN) for name in functions]
        v.push(logits=v.pull("x", WIDTH) @ W + cavs.concat(*read)[:CLASSES], seen=cavs.concat(*read))
    for name in functions:
        m.connect((name, f"{name}_h"), ("top", name))
    return m


def tree():
    """A Tree-LSTM with a row of "x" in place of words, whose states are also pushed."""
    m = tree_lstm(WIDTH, HIDDEN, words=7, classes=CLASSES)
    V = m.parameter("V", (WIDTH, CLASSES))
    m.extend("tree_lstm", lambda v: v.push(hidden=v.scattered("h"), scores=v.pull("x", WIDTH) @ V))
    return m


def trees(x, word=True):
    """Three trees of 5, 1 and 4 vertices."""
    ports = {"x": x, **({"word": np.array([0, 3, -1, 6, 2, 5, 1, 1, -1, 4])} if word else {})}
    return cavs.Graphs.from_edges([5, 1, 4], [0, 1, 2, 3, 6, 7, 8], [2, 2, 4, 4, 8, 8, 9], ports=ports)


def addresses(arrays):
    """The address of an array; 0 for None."""
    return [0 if a is None else a.ctypes.data for a in arrays]


class Evaluator:
    """A _core._Evaluator and the arrays of its parameters."""

    def __init__(self, model, outputs, threads=1):
        self.core = cavs._core._Evaluator(model, outputs, threads, "batched", "frontier", "fp32")
        self.parameters = [self.core.initial(p) for p in range(len(self.core.names))]
        for p, values in enumerate(self.parameters):
            self.core.bind(p, values)

    def forward(self, batch, mode, x=None, written=()):
        """Returns the run, and its outputs by name."""
        outputs = {name: np.full((batch.vertices, width), np.nan, np.float32) for name, width in self.core.outputs}
        run = self.core.forward(batch, mode, 0, list(written), addresses([x] * len(self.core.inputs)),
                                addresses(outputs.values()), x)
        return run, outputs

    def backward(self, run, gradients, x=None):
        """Gradients of the parameters by name, and of x. x: its shape, or None if its gradient is not wanted."""
        flat = np.full(self.core.flat_size, np.nan, np.float32)
        to_x = None if x is None else np.full_like(x, np.nan)
        run.backward(addresses(gradients.get(name) for name, _ in self.core.outputs), flat.ctypes.data,
                     addresses([to_x] * len(self.core.inputs)))
        return {name: flat[begin:begin + values.size].reshape(values.shape)
                for name, begin, values in zip(self.core.names, self.core.offsets, self.parameters)}, to_x


class Case(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(1)
        self.x = self.rows(10, WIDTH)

    def rows(self, *shape):
        return self.rng.normal(size=shape).astype(np.float32)

    def check(self, model, graphs, names, evaluator, samples, x=None):
        """Compares outputs and gradients with a Session. names: name in the session -> name in the evaluator."""
        run = cavs.Session(model, pull_gradients=True, push_gradients=True, loss=False).forward(graphs, samples)
        batch = cavs._core._Batch(graphs, None if samples is None else np.array(samples))
        passed, outputs = evaluator.forward(batch, GRADIENTS | INPUT_GRADIENTS * (x is not None), x)
        given = {}
        for name, ours in names.items():
            np.testing.assert_array_equal(outputs[ours], run.output(name), ours)
            given[name] = self.rows(*outputs[ours].shape)
        expected = run.backward(given)
        found, to_x = evaluator.backward(passed, {names[name]: rows for name, rows in given.items()}, x)
        self.assertEqual(list(found), list(expected))
        for name, gradient in found.items():
            np.testing.assert_array_equal(gradient, expected[name], name)
            self.assertGreater(np.abs(gradient).max(), 0, name)
        if x is not None:
            np.testing.assert_array_equal(to_x, run.pull_gradient("x"))
            self.assertTrue(to_x.all())


class Numbers(Case):
    def test_of_a_tree_equal_those_of_a_session(self):
        graphs = trees(self.x)
        names = {"hidden": "h", "scores": "scores", "logits": "logits"}  # the state h has another name
        rows = np.concatenate([np.arange(6, 10), np.arange(0, 5)])
        for threads in (1, 2):
            with self.subTest(threads=threads):
                evaluator = Evaluator(tree(), list(names.values()), threads)
                self.assertEqual(evaluator.core.inputs, [("x", WIDTH)])
                self.check(tree(), graphs, names, evaluator, None)
                self.check(tree(), graphs, names, evaluator, [2, 0])
                self.check(tree(), graphs, names, evaluator, None, self.x)
                self.check(tree(), graphs, names, evaluator, [2, 0], self.x[rows])

    def test_of_a_network_equal_those_of_a_session(self):
        model, names = cells("up", "down"), {"logits": "logits", "seen": "seen"}
        graphs = trees(self.x, word=False)
        evaluator = Evaluator(model, list(names))
        self.check(model, graphs, names, evaluator, None)
        self.check(model, graphs, names, evaluator, [1, 2], self.x[5:])

    def test_an_output_without_gradient_counts_as_zeros(self):
        evaluator, batch = Evaluator(tree(), ["logits", "h"]), cavs._core._Batch(trees(self.x), None)
        dy = self.rows(10, CLASSES)
        found = []
        for gradients in ({"logits": dy}, {"logits": dy, "h": np.zeros((10, HIDDEN), np.float32)}):
            run, _ = evaluator.forward(batch, GRADIENTS)
            found.append(evaluator.backward(run, gradients)[0])
        for name in found[0]:
            np.testing.assert_array_equal(found[0][name], found[1][name], name)


class Rows(Case):
    def test_of_tables_are_those_that_were_read(self):
        """Gradients of other parameters do not change, and rows of an earlier pass are not returned again."""
        evaluator, graphs = Evaluator(tree(), ["logits"]), trees(self.x)
        names = evaluator.core.names
        table = next(p for p, values in enumerate(evaluator.parameters) if values.shape == (7, WIDTH))
        for samples, without, read in (([0], -1, [0, 2, 3, 6]), ([2], -1, [1, 4]), ([0, 1, 2], 1, [0, 2, 3, 4, 5, 6]),
                                       ([2], -1, [1, 4])):
            batch = cavs._core._Batch(graphs, np.array(samples))
            dy = self.rows(batch.vertices, CLASSES)
            expected, _ = evaluator.backward(evaluator.forward(batch, GRADIENTS)[0], {"logits": dy})
            found = [None if p == table else np.full_like(values, np.nan) for p, values in enumerate(evaluator.parameters)]
            run, _ = evaluator.forward(batch, GRADIENTS)
            [(rows, values)] = run.backward_rows(addresses([dy]), addresses(found), addresses([None] * len(
                evaluator.core.inputs)), [(table, without)])
            self.assertEqual(rows.tolist(), read)
            np.testing.assert_array_equal(values, expected[names[table]][rows])
            for name, gradient in zip(names, found):
                if gradient is not None:
                    np.testing.assert_array_equal(gradient, expected[name], name)


class Memory(Case):
    def test_a_run_outlives_batch_graphs_and_evaluator(self):
        for model, outputs, word in ((tree(), ["scores"], True), (cells("up"), ["logits"], False)):
            def opened(x):
                evaluator = Evaluator(model, outputs)
                return evaluator, evaluator.forward(cavs._core._Batch(trees(self.x, word), None),
                                                    GRADIENTS | INPUT_GRADIENTS, x)[0]
            evaluator, run = opened(self.x)
            expected, to_x = evaluator.backward(run, {outputs[0]: self.x[:, :CLASSES].copy()}, self.x)
            evaluator, run = opened(self.x.copy())  # only the run keeps the input alive
            evaluator.core = Evaluator(model, outputs).core
            gc.collect()
            found, again = evaluator.backward(run, {outputs[0]: self.x[:, :CLASSES].copy()}, self.x)
            np.testing.assert_array_equal(again, to_x)
            for name in expected:
                np.testing.assert_array_equal(found[name], expected[name], name)

    def test_a_token_keeps_the_run_and_has_its_number(self):
        evaluator = Evaluator(tree(), ["logits"])
        token = evaluator.forward(cavs._core._Batch(trees(self.x), None), GRADIENTS)[0].token(2**40 + 7)
        gc.collect()
        self.assertEqual(cavs._core._number_at(token.ctypes.data), 2**40 + 7)

    def test_parameters_are_used_in_place(self):
        evaluator, batch = Evaluator(tree(), ["logits"]), cavs._core._Batch(trees(self.x), None)
        before = evaluator.forward(batch, 0)[1]["logits"]
        bias = evaluator.core.names.index("output_b")
        evaluator.parameters[bias][:] = [1, 2, 3]
        after = evaluator.forward(batch, 0, written=[bias])[1]["logits"]
        np.testing.assert_allclose(after, before + [1, 2, 3], rtol=1e-5, atol=1e-6)
        other = evaluator.parameters[bias] + 1
        evaluator.core.bind(bias, other)
        del evaluator.parameters[bias]  # its memory may now be reused
        gc.collect()
        np.testing.assert_allclose(evaluator.forward(batch, 0)[1]["logits"], after + 1, rtol=1e-5, atol=1e-6)


class Batches(Case):
    def test_have_the_rows_of_their_vertices(self):
        batch = cavs._core._Batch(trees(self.x), np.array([2, 0]))
        self.assertEqual((len(batch), batch.vertices), (2, 9))
        np.testing.assert_array_equal(batch.sample(), [0] * 4 + [1] * 5)
        np.testing.assert_array_equal(batch.rows(), [6, 7, 8, 9, 0, 1, 2, 3, 4])
        np.testing.assert_array_equal(batch.roots(), [3, 8])

    def test_refuse(self):
        for samples, message in (([0, 3], "sample 3 is not in the graphs; expected 0 to 2"), ([], "no samples"),
                                 ([-1], "sample -1"), ([0.5], "samples is")):
            with self.assertRaisesRegex(cavs.Error, message):
                cavs._core._Batch(trees(self.x), np.array(samples, float if samples == [0.5] else int))
        wrong = cavs.Graphs.from_edges([1], [], [], ports={"word": np.array([7]), "x": self.x[:1]})
        with self.assertRaisesRegex(cavs.Error, "'word' of vertex 0 of sample 0 is 7"):
            Evaluator(tree(), ["h"]).forward(cavs._core._Batch(wrong, None), 0)
        with self.assertRaisesRegex(cavs.Error, "output 's' belongs to several vertex functions"):
            Evaluator(cells("up", "down"), ["s"])


if __name__ == "__main__":
    unittest.main()
