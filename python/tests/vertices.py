"""Evaluates functions of a vertex for each row of an array."""

import numpy as np

import cavs

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(4, 3)


def chain(x):
    """A chain with one row of x per vertex."""
    n = len(x)
    return cavs.Graphs.from_edges([n], np.arange(n - 1), np.arange(1, n), ports={"x": np.asarray(x, np.float32)})


def rows(x):
    """Vertices without edges, with one row of x per vertex."""
    return cavs.Graphs.from_edges([len(x)], [], [], ports={"x": np.asarray(x, np.float32)})


def run(f, x):
    """f(v, x) for each row of x, and the gradient of its sum with respect to x."""
    m = cavs.Model()

    @m.vertex_function
    def vertex(v):
        y = f(v, v.pull("x", np.shape(x)[1]))
        v.push(y=y)
        v.loss(cavs.sum_features(y))

    session = cavs.Session(m, pull_gradients=True)
    forward = session.forward(rows(x))
    forward.backward()
    return forward.output("y"), forward.pull_gradient("x")


def values(f, x):
    """f(x) for each row of x."""
    m = cavs.Model()
    m.vertex_function("vertex")(lambda v: v.push(y=f(v.pull("x", np.shape(x)[1]))))
    return cavs.Session(m, training=False).forward(rows(x)).output("y")


def sigmoid(a):
    return 1 / (1 + np.exp(-a))
