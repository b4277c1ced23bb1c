"""Input, labels and targets of edges, compared with NumPy, one edge at a time."""

import unittest

import numpy as np

import cavs

WIDTH, HIDDEN, ORDERS = 3, 4, 3
CHILD, PARENT = [0, 1, 3, 2, 4], [2, 2, 4, 4, 5]  # vertex 2 has the children 0 and 1, vertex 4 has 3 and 2
ORDER = np.array([2, 0, -1, 1, 2])
LENGTH = np.array([[0.5, 1], [-1, 2], [1.5, 0], [np.nan, np.nan], [-0.5, 0.25]], np.float32)


def graphs():
    """One sample with 6 vertices and 5 edges; edge 2 has no order, edge 3 no length."""
    x = np.random.default_rng(1).normal(size=(6, WIDTH)).astype(np.float32)
    return cavs.Graphs.from_edges([6], CHILD, PARENT, ports={"x": x}, edge_ports={"order": ORDER, "length": LENGTH})


def model(loss, first=0):
    """h of a vertex, from its x and its children from slot `first` on, each with the input of its edge."""
    m = cavs.Model(seed=3)
    W, U = m.parameter("W", (WIDTH, HIDDEN)), m.parameter("U", (HIDDEN, HIDDEN))
    L, B = m.parameter("L", (2, HIDDEN)), m.lookup("B", (ORDERS, HIDDEN))
    D = m.parameter("D", (HIDDEN, 2))

    @m.vertex_function
    def vertex(v):
        below, length = v.children("h", first), v.pull_edges("length", 2, first)
        order = v.pull_edge_index("order", first)
        message = cavs.tanh(below @ U + length @ L + B(order))
        h = cavs.tanh(v.pull("x", WIDTH) @ W + message.sum())
        v.scatter(h=h)
        v.push(h=h)
        v.loss(loss(v, h, message, length, order, D))

    return m


def in_numpy(p, loss, first=0):
    """h of every vertex, and the loss. loss: a function of h, message, length and order of one vertex's edges."""
    x, hs, total = graphs()["x"].astype(np.float64), [], 0.0
    length = np.nan_to_num(LENGTH.astype(np.float64))
    for v in range(6):
        edges = [e for e in range(5) if PARENT[e] == v][first:]
        messages = [np.tanh(hs[CHILD[e]] @ p["U"] + length[e] @ p["L"] + (p["B"][ORDER[e]] if ORDER[e] >= 0 else 0))
                    for e in edges]
        hs.append(np.tanh(x[v] @ p["W"] + sum(messages, np.zeros(HIDDEN))))
        total += loss(p, hs[v], messages, edges)
    return np.array(hs), total


def slopes(f, p, name, step=1e-5):
    """The gradient of f() with respect to p[name], by finite differences."""
    gradient = np.zeros_like(p[name])
    for i in np.ndindex(gradient.shape):
        before = p[name][i]
        p[name][i] = before + step
        above = f()
        p[name][i] = before - step
        gradient[i] = (above - f()) / (2 * step)
        p[name][i] = before
    return gradient


class Edges(unittest.TestCase):
    def check(self, loss, expected_loss, first=0):
        """Compares outputs, loss and gradients of all parameters. Returns the run."""
        session = cavs.Session(model(loss, first))
        run = session.forward(graphs())
        gradients = run.backward()
        p = {name: values.astype(np.float64) for name, values in session.parameters.items()}
        hs, total = in_numpy(p, expected_loss, first)
        np.testing.assert_allclose(run.output("h"), hs, rtol=1e-5, atol=1e-6)
        self.assertAlmostEqual(run.loss, total, 5)
        for name in p:
            np.testing.assert_allclose(gradients[name], slopes(lambda: in_numpy(p, expected_loss, first)[1], p, name),
                                       rtol=1e-3, atol=1e-5, err_msg=name)
        return run

    def test_input_is_combined_with_the_children(self):
        for first in (0, 1):
            with self.subTest(first=first):
                self.check(lambda v, h, *edges: cavs.sum_features(h ** 2), lambda p, h, *edges: (h ** 2).sum(), first)

    def test_an_absent_row_has_no_loss(self):
        """The loss is the squared difference from lengths that are present."""
        def loss(v, h, message, length, order, D):
            off = message @ D - length
            return v.where_edge_present("length", cavs.dot(off, off)).sum()

        def expected(p, h, messages, edges):
            return sum(((m @ p["D"] - LENGTH[e]) ** 2).sum() for m, e in zip(messages, edges) if e != 3)

        run = self.check(loss, expected)
        self.assertEqual(run.labels, 4)
        everywhere = model(lambda v, h, message, length, order, D: cavs.dot(message @ D - length, message @ D - length).sum())
        self.assertGreater(cavs.Session(everywhere).forward(graphs()).loss, run.loss + 1e-4)

    def test_a_loss_by_an_index_that_is_absent(self):
        def loss(v, h, message, length, order, D):
            return v.where_edge_present("order", cavs.sum_features(message)).sum()

        run = self.check(loss, lambda p, h, messages, edges: sum(m.sum() for m, e in zip(messages, edges) if e != 2))
        self.assertEqual(run.labels, 4)

    def test_labels_of_edges(self):
        """Each edge has a class, except one."""
        def loss(v, h, message, length, order, D):
            return cavs.softmax_cross_entropy(message[:ORDERS], order).sum()

        def expected(p, h, messages, edges):
            return sum(np.log(np.exp(m[:ORDERS]).sum()) - m[ORDER[e]] for m, e in zip(messages, edges) if ORDER[e] >= 0)

        self.assertEqual(self.check(loss, expected).labels, 4)

    def test_targets_of_edges(self):
        run = self.check(lambda v, h, message, length, order, D: cavs.mean_squared_error(message @ D, length).sum(),
                         lambda p, h, messages, edges: sum(((m @ p["D"] - LENGTH[e]) ** 2).mean()
                                                           for m, e in zip(messages, edges) if e != 3))
        self.assertEqual(run.labels, 4)

    def test_training_reads_them(self):
        """The order of an edge is learned from its length."""
        rng = np.random.default_rng(2)
        order = rng.integers(0, 2, 400)
        length = (np.where(order, 1.2, 1.5) + rng.normal(scale=0.02, size=400)).reshape(-1, 1)
        data = cavs.Graphs.from_edges([2] * 400, np.arange(0, 800, 2), np.arange(1, 800, 2),
                                      edge_ports={"order": order, "length": length})
        m = cavs.Model(seed=1)
        W, b = m.parameter("W", (1, 2)), m.parameter("b", 2)

        @m.vertex_function
        def vertex(v):
            v.scatter(one=v.constant(1))
            logits = (v.pull_edges("length", 1) - 1.35) * 10 @ W + b
            v.loss((cavs.softmax_cross_entropy(logits, v.pull_edge_index("order")) * v.children("one")).sum())
            v.push(right=cavs.dot(cavs.hard_max(logits), cavs.one_hot(v.pull_edge_index("order"), 2)).sum())

        trained = cavs.fit(m, data, epochs=5, lr=0.1, progress=False)
        self.assertGreater(trained.predict(data)["right"].sum() / 400, 0.99)

    def test_refuses(self):
        m = cavs.Model()
        for use, message in [(lambda v: v.pull_edges("length", 0), "length"), (lambda v: v.pull_edges("length", 2, -1), "-1"),
                             (lambda v: v.pull_edge_index(""), "name"),
                             (lambda v: v.where_edge_present("", v.pull_edges("length", 2)), "name")]:
            with self.assertRaisesRegex(cavs.Error, message):
                m.vertex_function("vertex")(use)
        session = cavs.Session(model(lambda v, h, *edges: cavs.sum_features(h)))
        without = cavs.Graphs.from_edges([6], CHILD, PARENT, ports={"x": graphs()["x"]})
        with self.assertRaisesRegex(cavs.Error, "edges.*'length'|'length'.*edges|'order'"):
            session.forward(without)


if __name__ == "__main__":
    unittest.main()
