"""Outputs, states and gradients as arrays."""

import gc
import threading
import unittest

import numpy as np

import cavs
from cases import SessionCase
from models import tree_lstm


class Runs(SessionCase):
    def test_outputs_are_those_of_a_prediction(self):
        trainer = cavs.Trainer(self.model(), self.data, lr=0.05)
        trainer.step()
        session = cavs.Session(self.model(), trainer.parameters, training=False)
        run = session.forward(self.data.dev)
        np.testing.assert_array_equal(run.output("logits"), trainer.trained().predict(self.data.dev)["logits"])
        self.assertEqual(run.vertices, self.data.dev.vertices)
        np.testing.assert_array_equal(run.sample_begin, self.data.dev.sample_begin)

    def test_rows_of_some_samples_equal_those_in_all(self):
        session = cavs.Session(self.model(), training=False)
        whole, begin = session.forward(self.data.train).output("logits"), self.data.train.sample_begin
        part = session.forward(self.data.train, [3, 1])
        np.testing.assert_array_equal(part.output("logits"),
                                      np.concatenate([whole[begin[s]:begin[s + 1]] for s in (3, 1)]))

    def test_hidden_states_of_all_vertices(self):
        m = self.model()
        m.extend("tree_lstm", lambda v: v.push(hidden=v.scattered("h")))
        session = cavs.Session(m)
        self.assertEqual((session.states, session.outputs), (["c", "h"], ["hidden", "logits"]))
        run = session.forward(self.data.train)
        np.testing.assert_array_equal(run.state("h"), run.output("hidden"))
        self.assertEqual(run.state("h").shape, (self.data.train.vertices, 6))

    def test_the_loss_is_that_of_training(self):
        trainer = cavs.Trainer(self.model(), self.data, batch_size=20, shuffle=False)
        session = cavs.Session(self.model())
        run = session.forward(self.data.train)
        step = trainer.step()
        self.assertAlmostEqual(run.loss, step.loss, places=5)
        self.assertEqual(run.labels, step.labels)
        self.assertAlmostEqual(run.mean_loss, step.loss_sum / step.labels, places=5)
        self.assertAlmostEqual(session.forward(self.data.train, loss_divisor=5).loss, run.loss * 4, places=4)

    def test_arrays_outlive_the_run_and_the_session(self):
        session = cavs.Session(self.model())
        run = session.forward(self.data.train)
        logits, W = run.output("logits"), run.backward()["W"]
        parameters = session.parameters.view("W")
        expected = logits.copy(), W.copy(), parameters.copy()
        del session, run
        gc.collect()
        again = cavs.Session(self.model(seed=2))  # would overwrite freed memory
        again.forward(self.data.train).backward()
        for array, copy in zip((logits, W, parameters), expected):
            np.testing.assert_array_equal(array, copy)

    def test_a_run_keeps_its_values_while_others_exist(self):
        session = cavs.Session(self.model())
        first = session.forward(self.data.train, [0, 1])
        logits = first.output("logits")
        session.forward(self.data.train, [2, 3])
        np.testing.assert_array_equal(first.output("logits"), logits)
        first.backward()

    def test_a_network_is_evaluated_on_its_own_graphs(self):
        data = cavs.zoo_data("bilstm", limit=3)
        m = cavs.zoo("bilstm", vocabulary=data.rows("word"), embedding=3, hidden=4, classes=data.classes)
        run = cavs.Session(m, training=False).forward(data.train)
        self.assertEqual(run.output("logits").shape, (run.vertices, data.classes))

    def test_refuses(self):
        session = cavs.Session(self.model())
        run = session.forward(self.data.train)
        other = cavs.zoo("tree-gru")
        wrong = np.zeros((3, 5), np.float32)
        for use in [lambda: run.output("no"), lambda: run.state("no"), lambda: run.pull_gradient("word"),
                    lambda: session.forward(self.data.train, [99]), lambda: session.forward(self.data.train, [-1]),
                    lambda: session.forward(self.data.train, []), lambda: session.forward(self.data.train, [0.5]),
                    lambda: session.forward(self.data.train, loss_divisor=-1),
                    lambda: run.backward({"logits": wrong}), lambda: run.backward({"no": wrong}),
                    lambda: cavs.Session(self.model(), threads=0), lambda: cavs.Session(self.model(), engine="fast"),
                    lambda: cavs.Session(self.model(), policy="no"), lambda: cavs.Session(cavs.Model()),
                    lambda: cavs.Session(other, session.parameters), lambda: cavs.Session(self.model(), pushes=["no"]),
                    lambda: cavs.Session(self.model(), training=False).forward(self.data.train).backward()]:
            with self.assertRaises(cavs.Error):
                use()
        for use in [lambda: cavs.Session(), lambda: session.forward("data"), lambda: run.backward("W"),
                    lambda: session.forward(self.data.train, epoch=-1)]:
            with self.assertRaises(TypeError):
                use()
        with self.assertRaisesRegex(KeyError, "no parameter 'no'.*known: "):
            run.backward()["no"]

    def test_parameters_that_change_between_forward_and_backward(self):
        session = cavs.Session(self.model())
        run = session.forward(self.data.train)
        name = next(iter(session.parameters))
        session.parameters[name] = session.parameters[name] * 3
        with self.assertRaisesRegex(cavs.Error, f"parameter '{name}' has changed since the run"):
            run.backward()
        session.forward(self.data.train).backward()

    def test_threads_take_turns_or_are_refused(self):
        session = cavs.Session(self.model())
        expected = session.forward(self.data.train).output("logits")
        failures = []

        def work():
            for _ in range(30):
                try:
                    run = session.forward(self.data.train)
                    if not np.array_equal(run.output("logits"), expected):
                        failures.append("other numbers")
                    del run
                except cavs.Error as error:
                    if "in use" not in str(error):
                        failures.append(str(error))
        threads = [threading.Thread(target=work) for _ in range(3)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(failures, [])


class Gradients(SessionCase):
    def test_equal_the_update_of_a_training_step(self):
        trainer = cavs.Trainer(self.model(), self.data, optimizer=cavs.optimizer("sgd", lr=0.5), batch_size=20,
                               shuffle=False)
        gradients = cavs.Session(self.model()).forward(self.data.train).backward()
        before = dict(trainer.parameters.items())
        trainer.step()
        for name in trainer.parameters:
            np.testing.assert_allclose(trainer.parameters[name], before[name] - 0.5 * gradients[name], rtol=1e-5,
                                       atol=1e-6)
        self.assertEqual(list(gradients), list(trainer.parameters))
        rows = gradients.rows("embedding")
        np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(np.abs(gradients["embedding"]).sum(axis=1)))

    def test_devices_are_named(self):
        model = tree_lstm(8, 8, self.data.rows("word"), self.data.classes)
        with self.assertRaisesRegex(cavs.Error, "device cuda has no engine reference; use engine batched or persis"):
            cavs.Session(model, device="cuda", engine="reference")
        with self.assertRaisesRegex(cavs.Error, "device cpu has no engine persistent; use engine batched or"):
            cavs.Session(model, engine="persistent")
        with self.assertRaisesRegex(cavs.Error, "has no number from 0 after the colon"):
            cavs.Session(model, device="cuda:first")
        with self.assertRaisesRegex(cavs.Error, "unknown device 'gpu'"):
            cavs.Trainer(model, self.data.train, device="gpu")

    def test_of_pulls_agree_with_finite_differences(self):
        m = cavs.Model()
        W = m.parameter("W", (3, 2))

        @m.vertex_function
        def vertex(v):
            h = cavs.tanh(v.pull("x", 3) @ W + v.children("h").sum())
            v.scatter(h=h)
            v.loss(cavs.sum_features(h ** 2))

        session = cavs.Session(m, pull_gradients=True)
        x = np.random.default_rng(2).normal(size=(5, 3)).astype(np.float32)

        def run(x):
            return session.forward(cavs.Graphs.from_edges([5], [0, 1, 2, 2], [2, 2, 3, 4], ports={"x": x}))
        forward = run(x)
        with self.assertRaisesRegex(cavs.Error, "backward"):
            forward.pull_gradient("x")
        forward.backward()
        gradient = forward.pull_gradient("x")
        for i in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[i] = 1e-2
            slope = (run(x + step).loss - run(x - step).loss) / 2e-2
            self.assertAlmostEqual(float(gradient[i]), slope, places=2)

    def test_of_pushes_are_added(self):
        m = cavs.Model()
        W = m.parameter("W", (4, 2))
        m.vertex_function("vertex")(lambda v: v.push(y=v.pull("x", 4) @ W))
        x, dy = np.random.default_rng(3).normal(size=(2, 6, 4)).astype(np.float32)
        graphs = cavs.Graphs.from_edges([6], [], [], ports={"x": x})
        session = cavs.Session(m, pull_gradients=True)
        run = session.forward(graphs)
        gradients = run.backward({"y": dy[:, :2]})
        np.testing.assert_allclose(gradients["W"], x.T @ dy[:, :2], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(run.pull_gradient("x"), dy[:, :2] @ session.parameters["W"].T, rtol=1e-4, atol=1e-5)

    def test_of_pushes_and_a_loss_are_added(self):
        dy = np.random.default_rng(4).normal(size=(self.data.train.vertices, self.data.classes)).astype(np.float32)
        by_loss = cavs.Session(self.model()).forward(self.data.train).backward()
        by_pushes = cavs.Session(self.model(), loss=False).forward(self.data.train).backward({"logits": dy})
        both = cavs.Session(self.model(), push_gradients=True).forward(self.data.train).backward({"logits": dy})
        for name in both:
            if name != "Wf":  # no vertex has both a word and children
                self.assertGreater(min(np.abs(by_loss[name]).max(), np.abs(by_pushes[name]).max()), 1e-4, name)
            np.testing.assert_allclose(both[name], by_loss[name] + by_pushes[name], rtol=1e-4, atol=1e-5, err_msg=name)
        with self.assertRaisesRegex(cavs.Error, "uses the gradient of push 'logits'"):
            cavs.Session(self.model()).forward(self.data.train).backward({"logits": dy})


class Networks(unittest.TestCase):
    """There is one row per vertex of the data, whichever functions run over it."""

    WIDTH = 3

    def model(self):
        """Two functions sum over all vertices from both ends; a third reads both and runs only over inner vertices."""
        m = cavs.Model(seed=1)
        for name, reverse in (("up", False), ("down", True)):
            @m.vertex_function(name, over=["leaf", "inner"], reverse=reverse)
            def read(v):
                s = v.pull("x", self.WIDTH) + v.children("s").sum()
                v.scatter(s=s)
                v.push(**{name: s, "sum": s})

        @m.vertex_function("top", over=["inner"])
        def top(v):
            v.push(y=v.pull("up", self.WIDTH) * v.pull("down", self.WIDTH))
        m.connect(("up", "up"), ("top", "up"))
        m.connect(("down", "down"), ("top", "down"))
        return m

    def setUp(self):
        self.x = np.random.default_rng(1).normal(size=(7, self.WIDTH)).astype(np.float32)
        self.graphs = cavs.Graphs.from_edges([3, 4], [0, 1, 3, 4, 5], [2, 2, 6, 6, 6], ports={"x": self.x},
                                             types=[0, 0, 1, 0, 0, 0, 1], type_names=["leaf", "inner"])
        self.up, self.down = self.x.copy(), self.x.copy()
        self.up[2], self.up[6] = self.x[:3].sum(0), self.x[3:].sum(0)
        self.down[[0, 1]] += self.x[2]
        self.down[[3, 4, 5]] += self.x[6]

    def test_outputs_and_states_have_rows_of_the_data(self):
        session = cavs.Session(self.model(), training=False)
        for samples, rows in ((None, np.arange(7)), ([1, 0], [3, 4, 5, 6, 0, 1, 2])):
            run = session.forward(self.graphs, samples)
            self.assertEqual(run.vertices, 7)
            np.testing.assert_array_equal(run.sample_begin, [0, 3, 7] if samples is None else [0, 4, 7])
            product = np.zeros_like(self.x)
            product[[2, 6]] = (self.up * self.down)[[2, 6]]
            np.testing.assert_allclose(run.output("y"), product[rows], rtol=1e-6)
            # Both directions have these outputs: the row is that of the function that was declared first.
            np.testing.assert_allclose(run.output("sum"), self.up[rows], rtol=1e-6)
            np.testing.assert_allclose(run.state("s"), self.up[rows], rtol=1e-6)

    def test_outputs_are_those_of_a_prediction(self):
        session = cavs.Session(self.model(), training=False)
        predicted = cavs.Trainer(self.model_with_loss(), self.graphs).trained().predict(self.graphs)["y"]
        self.assertEqual(np.isnan(predicted).all(1).tolist(), (self.graphs.types == 0).tolist())
        np.testing.assert_array_equal(session.forward(self.graphs).output("y"), np.nan_to_num(predicted))

    def model_with_loss(self):
        m = self.model()
        W = m.parameter("W", (self.WIDTH, 1))
        m.extend("top", lambda v: v.loss(cavs.sum_features(v.pushed("y") @ W)))
        return m

    def test_gradients_of_pushes_and_pulls_have_rows_of_the_data(self):
        dy = np.random.default_rng(2).normal(size=(7, self.WIDTH)).astype(np.float32)
        run = cavs.Session(self.model_with_loss(), loss=False, pull_gradients=True).forward(self.graphs)
        run.backward({"sum": dy})  # the gradient belongs to "up", the first function; "down" gets none
        expected = dy.copy()
        expected[[0, 1]] += dy[2]
        expected[[3, 4, 5]] += dy[6]
        np.testing.assert_allclose(run.pull_gradient("x"), expected, rtol=1e-5, atol=1e-6)
        run = cavs.Session(self.model_with_loss(), loss=False, pull_gradients=True).forward(self.graphs)
        run.backward({"y": dy})  # leaves do not push y: their rows are ignored
        expected = np.zeros_like(self.x)
        for root, leaves in ((2, [0, 1]), (6, [3, 4, 5])):
            expected[root] = dy[root] * (self.up[root] + self.down[root])
            expected[leaves] = dy[root] * self.down[root]
        np.testing.assert_allclose(run.pull_gradient("x"), expected, rtol=1e-5, atol=1e-6)
        with self.assertRaisesRegex(cavs.Error, r"has shape \[3, 3\]; expected \[7, 3\]: \[vertices, width\]"):
            run.backward({"y": dy[:3]})


if __name__ == "__main__":
    unittest.main()
