"""Lattices of characters and words: an arc is a vertex between the positions where it begins and ends."""

import cavs

from .parts import embedding, predict_class


def add_position(m, config, states):
    """A position is the mean of the arcs that end there, and has a tag."""
    @m.vertex_function
    def position(v):
        means = {name: v.children(name).mean() for name in states}
        v.scatter(**means)
        predict_class(m, v, config, means["h"])


def add_arcs(m, config, make_cell):
    """A step on every arc, with different weights for arcs of characters and of words."""
    E = embedding(m, config)
    for name in ("character", "word"):
        cell = make_cell(m, name, config.embedding, config.hidden)

        @m.vertex_function(name)
        def arc(v):
            cell.step(v, E(v.pull_index("word")))


def lattice_lstm(config):
    """Lattice LSTM (Zhang and Yang, ACL 2018) in the simplified form of ED-Batch (section 5.1)."""
    m = cavs.Model(config.seed)
    add_arcs(m, config, cavs.LstmCell)
    add_position(m, config, ("h", "c"))
    return m


def lattice_gru(config):
    m = cavs.Model(config.seed)
    add_arcs(m, config, cavs.GruCell)
    add_position(m, config, ("h",))
    return m
