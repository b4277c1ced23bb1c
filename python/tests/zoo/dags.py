"""Directed acyclic graphs: a vertex may have many parents."""

import cavs

from .parts import ZEROS, embedding, predict_class


def dag_rnn(config):
    """A vertex adds up the states of its children (Shuai et al., CVPR 2016, equation 5)."""
    m = cavs.Model(config.seed)
    d, h = config.embedding, config.hidden
    E = embedding(m, config)
    U, W, b = m.parameter("U", (d, h)), m.parameter("W", (h, h)), m.parameter("b", h, ZEROS)

    @m.vertex_function
    def vertex(v):
        y = cavs.tanh(E(v.pull_index("word")) @ U + v.children("h").sum() @ W + b)
        v.scatter(h=y)
        predict_class(m, v, config, y)

    return m
