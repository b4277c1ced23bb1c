"""Compares layers, operators and losses with their formulas."""

import unittest

import numpy as np

import cavs
from vertices import X, chain, rows, run, sigmoid


class Formulas(unittest.TestCase):
    """Functions equal their formulas in NumPy; gradients equal finite differences."""

    def check(self, f, expected, x, atol=1e-4):
        """Checks that f(v, x) equals expected(x) for each row of x, and the gradient of its sum."""
        y, dx = run(f, x)
        x = np.asarray(x, np.float64)
        np.testing.assert_allclose(y, np.array([np.atleast_1d(expected(row)) for row in x]), rtol=1e-5, atol=1e-6)
        for i in np.ndindex(x.shape):
            step = np.zeros(x.shape[1])
            step[i[1]] = 1e-5
            slope = (np.sum(expected(x[i[0]] + step)) - np.sum(expected(x[i[0]] - step))) / 2e-5
            self.assertAlmostEqual(float(dx[i]), slope, delta=atol)

    def test_highway(self):
        w, b = np.array([[0.5, -1, 2], [1, 0.25, -0.5], [-2, 1, 0]]), np.array([0.5, -0.25, 1])
        m = cavs.Model()
        W, B = m.parameter("w", (3, 3)), m.parameter("b", 3)
        m.vertex_function("vertex")(lambda v: v.push(y=cavs.highway(v.pull("x", 3), cavs.tanh(v.pull("x", 3)), W, B)))
        session = cavs.Session(m, training=False)
        session.parameters.update({"w": w, "b": b})
        t = sigmoid(X @ w + b)
        np.testing.assert_allclose(session.forward(rows(X)).output("y"), t * np.tanh(X) + (1 - t) * X, rtol=1e-5, atol=1e-6)

    def test_an_lstm_step(self):
        def expected(x):
            i, f, o, u = x[:2], x[2:4], x[4:6], x[6:8]
            c = sigmoid(f) * x[8:] + sigmoid(i) * np.tanh(u)
            return np.concatenate([c, sigmoid(o) * np.tanh(c)])

        x = np.linspace(-2, 2, 30).reshape(3, 10)
        self.check(lambda v, x: cavs.concat(*cavs.lstm_step(x[0:8], x[8:10])), expected, x)

    def test_additive_attention(self):
        """Three vertices, with no child, one child and three children."""
        x = np.random.default_rng(1).normal(size=(6, 3)).astype(np.float32)
        below = {4: [0, 1, 2], 5: [3]}
        graphs = cavs.Graphs.from_edges([6], [c for v in below for c in below[v]], [v for v in below for _ in below[v]],
                                        ports={"x": x})
        m = cavs.Model()
        V = m.parameter("v", 3)

        @m.vertex_function
        def vertex(v):
            row = v.pull("x", 3)
            v.scatter(k=row)
            v.push(y=cavs.additive_attention(row, v.children("k"), v.children("k")[0:2], V))

        session = cavs.Session(m, training=False)
        scale, y = session.parameters["v"], session.forward(graphs).output("y")
        for v in range(6):
            keys = x[below.get(v, [])]
            weights = np.exp(np.tanh(x[v] + keys) @ scale)
            np.testing.assert_allclose(y[v], weights @ keys[:, :2] / max(weights.sum(), 1e-30), rtol=1e-5, atol=1e-6)

    def test_sample_dropout_has_one_mask_per_sample(self):
        m = cavs.Model()
        m.vertex_function("vertex")(lambda v: v.push(once=cavs.sample_dropout(v.pull("x", 40), 0.25),
                                                     each=cavs.dropout(v.pull("x", 40), 0.25)))
        graphs = cavs.Graphs.from_edges([3, 3], [], [], ports={"x": np.ones((6, 40), np.float32)})
        run = cavs.Session(m).forward(graphs)
        once = run.output("once")
        np.testing.assert_array_equal(once[[0, 0, 3, 3]], once[[1, 2, 4, 5]])
        self.assertFalse(np.array_equal(once[0], once[3]))
        self.assertEqual(set(np.unique(once)), {0, np.float32(4 / 3)})
        self.assertTrue(0.6 < (once != 0).mean() < 0.9)
        self.assertFalse(np.array_equal(run.output("each")[0], run.output("each")[1]))
        np.testing.assert_array_equal(cavs.Session(m, training=False).forward(graphs).output("once"), np.ones((6, 40)))

    def test_masked_softmax(self):
        mask = np.array([1, 0, 1], bool)

        def expected(x):
            y = np.where(mask, np.exp(x), 0)
            return y / y.sum()

        def ours(v, x):
            return cavs.masked_softmax(x, cavs.concat(v.constant(1), v.constant(0), v.constant(1)))

        self.check(lambda v, x: ours(v, x) * x, lambda x: expected(x) * x, X)
        np.testing.assert_array_equal(run(ours, X)[0][:, 1], np.zeros(4))

    def test_where_ignores_the_other_side(self):
        def ours(v, x):
            return cavs.where(cavs.greater(x, 0 * x), cavs.log(x), x * 2)  # the logarithm is NaN below 0

        self.check(lambda v, x: ours(v, x) * x, lambda x: np.where(x > 0, np.log(np.abs(x)), x * 2) * x, X)

    def test_a_vertex_counts_its_children(self):
        m = cavs.Model()

        @m.vertex_function("vertex")
        def count(v):
            v.scatter("h", v.pull("x", 2))
            v.push("count", cavs.each_child(v.constant(1)).sum())
            v.push("differences", (v.children("h") - cavs.each_child(v.pull("x", 2))).sum())

        x = np.array([[1, 2], [3, 4], [5, 7]], np.float32)
        graphs = cavs.Graphs.from_arrays([0, 3], [0, 0, 2, 5], [0, -1, 0, 1, -1], ports={"x": x})
        run = cavs.Session(m, training=False).forward(graphs)
        np.testing.assert_array_equal(run.output("count"), [[0], [1], [2]])
        np.testing.assert_array_equal(run.output("differences"), [[0, 0], x[0] - x[1], x[0] + x[1] - 2 * x[2]])

    def losses(self, loss, x, **ports):
        """For each row of x: the loss, and its gradient with respect to x."""
        m = cavs.Model()

        @m.vertex_function
        def vertex(v):
            y = loss(v, v.pull("x", x.shape[1]))
            v.push(y=y)
            v.loss(y)
        run = cavs.Session(m, pull_gradients=True).forward(cavs.Graphs.from_edges([len(x)], [], [],
                                                                                 ports={"x": x, **ports}))
        run.backward()
        return run.output("y")[:, 0], run.pull_gradient("x")

    def check_losses(self, loss, expected, x, **ports):
        """Compares the loss of each row with expected(row, number). Absent rows have no gradient."""
        y, dx = self.losses(loss, x, **ports)
        x = x.astype(np.float64)
        np.testing.assert_allclose(y, [expected(row, v) for v, row in enumerate(x)], rtol=1e-5, atol=1e-6)
        for v, i in np.ndindex(x.shape):
            step = np.zeros(x.shape[1])
            step[i] = 1e-5
            slope = (expected(x[v] + step, v) - expected(x[v] - step, v)) / 2e-5
            self.assertAlmostEqual(float(dx[v, i]), slope, delta=1e-4)

    def test_cross_entropy_with_weights_and_smoothing(self):
        label, w = np.array([0, 2, -1, 1]), np.array([0.5, 2, 3])
        for weights, e in ((None, 0.25), (w, 0), (w, 0.25)):
            def expected(x, v):
                minus_log = np.log(np.exp(x).sum()) - x
                scale = np.ones(3) if weights is None else weights
                target = (1 - e) * np.eye(3)[label[v]] + e / 3 if label[v] >= 0 else np.zeros(3)
                return (target * scale * minus_log).sum()

            with self.subTest(weights=weights, smoothing=e):
                self.check_losses(lambda v, x: cavs.softmax_cross_entropy(
                    x, v.pull_index("label"), class_weights=None if weights is None else list(weights), label_smoothing=e),
                    expected, X, label=label)
        for options, message in (({"class_weights": [1, 2]}, "2 class weights for 3 classes"),
                                 ({"label_smoothing": 1.5}, "label smoothing is 1.5")):
            with self.assertRaisesRegex(cavs.Error, message):
                self.losses(lambda v, x: cavs.softmax_cross_entropy(x, v.pull_index("label"), **options), X, label=label)

    def test_cross_entropy_of_candidates(self):
        label, mask = np.array([0, 2, -1, 1]), np.array([[1, 1, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]], np.float32)

        def expected(x, v):
            return np.log(np.exp(x)[mask[v] > 0].sum()) - x[label[v]] if label[v] >= 0 else 0.0

        self.check_losses(lambda v, x: cavs.masked_softmax_cross_entropy(x, v.pull("mask", 3), v.pull_index("label")),
                          expected, X, label=label, mask=mask)

    def test_binary_cross_entropy(self):
        target = np.array([[1, 0, 1], [0, 0, 1], [np.nan] * 3, [1, 1, 1]], np.float32)
        known = np.array([[1, 1, 0], [0, 1, 1], [1, 1, 1], [1, 0, 1]], np.float32)
        for present, weight in ((None, 1), (None, 3), (known, 1), (known, 3)):
            def expected(x, v):
                each = -weight * target[v] * np.log(sigmoid(x)) - (1 - target[v]) * np.log(1 - sigmoid(x))
                chosen = each if present is None else each[present[v] > 0]
                return 0.0 if v == 2 else chosen.mean()

            with self.subTest(present=present is not None, weight=weight):
                self.check_losses(lambda v, x: cavs.binary_cross_entropy(
                    x, v.pull("target", 3), None if present is None else v.pull("known", 3), positive_weight=weight),
                    expected, X, target=target, known=known)

    def test_squared_error_of_known_targets(self):
        target, known = X[::-1].copy(), np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0], [1, 1, 1]], np.float32)
        self.check_losses(lambda v, x: cavs.mean_squared_error(x, v.pull("target", 3), present=v.pull("known", 3)),
                          lambda x, v: ((x - target[v]) ** 2 * known[v]).sum() / max(known[v].sum(), 1), X, target=target,
                          known=known)

    def test_margin_ranking(self):
        order = np.array([1, -1, 1, -1], np.float32)
        scores = np.array([[1, 0.5], [2, -1], [-1, 1], [0, 2]], np.float32)
        self.check_losses(lambda v, x: cavs.margin_ranking(cavs.sum_features(x[0:1]), cavs.sum_features(x[1:2]),
                                                           cavs.sum_features(v.pull("order", 1)), margin=0.75),
                          lambda x, v: max(0.0, 0.75 - order[v] * (x[0] - x[1])), scores, order=order)

    def test_rows_of_the_root(self):
        """RowMap.root connects a pull port to the row that the root of the sample pushes."""
        m = cavs.Model()

        @m.vertex_function("sums", over=["vertex"])
        def sums(v):
            s = v.pull("x", 2) + v.children("s").sum()
            v.scatter(s=s)
            v.push(s=s)

        m.vertex_function("share", over=["vertex"])(lambda v: v.push(y=v.pull("x", 2) / v.pull("total", 2)))
        m.connect(("sums", "s"), ("share", "total"), cavs.RowMap.root())
        x = np.array([[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]], np.float32)
        graphs = cavs.Graphs.from_edges([3, 2], [0, 1, 3], [2, 2, 4], ports={"x": x})
        run = cavs.Session(m, training=False).forward(graphs)
        total = np.array([[9, 12]] * 3 + [[16, 18]] * 2)
        np.testing.assert_allclose(run.output("y"), x / total, rtol=1e-6)


class Layers(unittest.TestCase):
    def test_equations(self):
        """Layers equal their equations, with parameters of the documented names."""
        rng = np.random.default_rng(1)
        x = rng.normal(size=(4, 3)).astype(np.float32)
        m = cavs.Model()
        linear, lstm = cavs.Linear(m, "linear", 3, 2), cavs.LstmCell(m, "lstm", 3, 2)
        gru = cavs.GruCell(m, "gru", 3, 2)

        @m.vertex_function
        def vertex(v):
            row = v.pull("x", 3)
            v.push(linear=linear(row), lstm=lstm.step(v, row, "l_"), gru=gru.step(v, row))

        session = cavs.Session(m, training=False)
        run = session.forward(chain(x))
        p = {name: values.astype(np.float64) for name, values in session.parameters.items()}
        np.testing.assert_allclose(run.output("linear"), x @ p["linear_W"] + p["linear_b"], rtol=1e-4, atol=1e-6)
        c, h, g = np.zeros(2), np.zeros(2), np.zeros(2)
        for t in range(4):
            i, f, o, u = np.split(x[t] @ p["lstm_W"] + h @ p["lstm_U"] + p["lstm_b"], 4)
            c = sigmoid(i) * np.tanh(u) + sigmoid(f) * c
            h = sigmoid(o) * np.tanh(c)
            r, z = np.split(sigmoid(x[t] @ p["gru_W"] + g @ p["gru_U"] + p["gru_b"]), 2)
            g = z * g + (1 - z) * np.tanh(x[t] @ p["gru_V"] + (r * g) @ p["gru_C"] + p["gru_c"])
            np.testing.assert_allclose(run.output("lstm")[t], h, rtol=1e-4, atol=1e-6)
            np.testing.assert_allclose(run.output("gru")[t], g, rtol=1e-4, atol=1e-6)

    def test_tied_embeddings_are_one_parameter(self):
        m = cavs.Model()
        tied = cavs.TiedEmbedding(m, "words", words=7, width=3)

        @m.vertex_function
        def vertex(v):
            x = tied(v, v.pull_index("word"))
            v.push(x=x, scores=tied.scores(x))

        session = cavs.Session(m, training=False)
        W = session.parameters["words_W"]
        run = session.forward(cavs.Graphs.from_edges([3], [], [], ports={"word": np.array([2, 5, -1])}))
        np.testing.assert_allclose(run.output("x"), [W[:, 2], W[:, 5], np.zeros(3)], rtol=1e-6)
        np.testing.assert_allclose(run.output("scores")[0], W[:, 2] @ W, rtol=1e-5, atol=1e-7)
        self.assertEqual(len(session.parameters), 1)

    def test_tied_embeddings_are_trained_by_both_uses(self):
        """The gradient equals finite differences over both uses together, and a training step subtracts it."""
        m = cavs.Model(seed=2)
        tied = cavs.TiedEmbedding(m, "words", words=7, width=3)

        @m.vertex_function
        def vertex(v):
            v.loss(cavs.softmax_cross_entropy(tied.scores(cavs.tanh(tied(v, v.pull_index("word")))), v.pull_index("next")))

        word, following = np.array([2, 5, 2, 6]), np.array([5, 2, 6, 0])
        graphs = cavs.Graphs.from_edges([4], [], [], ports={"word": word, "next": following})
        session = cavs.Session(m)
        W = session.parameters["words_W"].astype(np.float64)
        gradient = session.forward(graphs).backward()["words_W"]

        def loss(read, scores):
            z = np.tanh(read[:, word]).T @ scores
            return (np.log(np.exp(z).sum(1)) - z[np.arange(4), following]).sum()

        slopes = np.zeros((2, *W.shape))  # of each use alone
        for i in np.ndindex(W.shape):
            step = np.zeros_like(W)
            step[i] = 1e-5
            slopes[0][i] = (loss(W + step, W) - loss(W - step, W)) / 2e-5
            slopes[1][i] = (loss(W, W + step) - loss(W, W - step)) / 2e-5
        self.assertGreater(min(np.abs(slope).max() for slope in slopes), 0.01)
        np.testing.assert_allclose(gradient, slopes.sum(0), rtol=1e-3, atol=1e-5)
        trainer = cavs.Trainer(m, graphs, optimizer=cavs.optimizer("sgd", lr=0.5))
        trainer.step()
        np.testing.assert_allclose(trainer.parameters["words_W"], W - 0.5 * slopes.sum(0), rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
