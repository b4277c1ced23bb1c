"""Recursive nets over trees."""

import cavs
from cavs import sigmoid, tanh

from .parts import ZEROS, class_scores, embedding, predict_class


def child_sum_lstm(m, config, v):
    """A vertex of a child-sum Tree-LSTM (Tai et al., ACL 2015, equations 2-8), any number of children; returns h."""
    d, h = config.embedding, config.hidden
    E = embedding(m, config)
    W, U, b = m.parameter("W", (d, 3 * h)), m.parameter("U", (h, 3 * h)), m.parameter("b", 3 * h, ZEROS)
    Wf, Uf, bf = m.parameter("Wf", (d, h)), m.parameter("Uf", (h, h)), m.parameter("bf", h, ZEROS)

    x = E(v.pull_index("word"))                      # [d]; zeros where a vertex has no word
    hs, cs = v.children("h"), v.children("c")        # one row per child
    i, o, u = (x @ W + hs.sum() @ U + b).split(3)
    f = sigmoid(x @ Wf + hs @ Uf + bf)               # vertex rows meet edge rows
    c = sigmoid(i) * tanh(u) + (f * cs).sum()
    y = sigmoid(o) * tanh(c)
    v.scatter(c=c, h=y)
    return y


def tree_lstm(config):
    m = cavs.Model(config.seed)

    @m.vertex_function
    def tree_lstm(v):
        predict_class(m, v, config, child_sum_lstm(m, config, v))

    return m


def tree_lstm_binary(config):
    """An N-ary Tree-LSTM with different weights for two children (Tai et al., equations 9-14); a class per vertex."""
    m = cavs.Model(config.seed)
    d, h = config.embedding, config.hidden
    E = embedding(m, config)
    W, bw = m.parameter("W", (d, 3 * h)), m.parameter("bw", 3 * h, ZEROS)
    Ul, Ur, b = m.parameter("Ul", (h, 3 * h)), m.parameter("Ur", (h, 3 * h)), m.parameter("b", 3 * h, ZEROS)
    Fl, Fr = m.parameter("Fl", (h, h)), m.parameter("Fr", (h, h))
    bl, br = m.parameter("bl", h, ZEROS), m.parameter("br", h, ZEROS)

    def finish(v, c, o):
        y = sigmoid(o) * tanh(c)
        v.scatter(c=c, h=y)
        predict_class(m, v, config, y)

    @m.vertex_function
    def leaf(v):
        i, o, u = (E(v.pull_index("word")) @ W + bw).split(3)
        finish(v, sigmoid(i) * tanh(u), o)

    @m.vertex_function
    def inner(v):
        left, right = v.gather(0, "h"), v.gather(1, "h")
        i, o, u = (left @ Ul + right @ Ur + b).split(3)
        c = (sigmoid(i) * tanh(u) + sigmoid(left @ Fl + bl) * v.gather(0, "c")
             + sigmoid(right @ Fr + br) * v.gather(1, "c"))
        finish(v, c, o)

    return m


def tree_fc(config):
    """A fully connected layer over the children of complete binary trees (Looks et al., ICLR 2017)."""
    m = cavs.Model(config.seed)
    h = config.hidden
    E = m.lookup("embedding", (config.vocabulary, h))
    Wl, Wr, b = m.parameter("Wl", (h, h)), m.parameter("Wr", (h, h)), m.parameter("b", h, ZEROS)

    @m.vertex_function
    def leaf(v):
        v.scatter(h=E(v.pull_index("word")))

    @m.vertex_function
    def inner(v):
        y = cavs.relu(v.gather(0, "h") @ Wl + v.gather(1, "h") @ Wr + b)
        v.scatter(h=y)
        predict_class(m, v, config, y)

    return m


# Parts of models whose leaf, inner and output vertices have different types.


def lstm_leaf(m, config):
    d, h = config.embedding, config.hidden
    E = embedding(m, config)
    W, b = m.parameter("W", (d, 3 * h)), m.parameter("b", 3 * h, ZEROS)

    @m.vertex_function
    def leaf(v):
        i, o, u = (E(v.pull_index("word")) @ W + b).split(3)
        c = sigmoid(i) * tanh(u)
        v.scatter(c=c, h=sigmoid(o) * tanh(c))


def lstm_inner(m, config, name="inner"):
    """A forget gate per child, with one bias. Parameters are named after the type, so each type has its own."""
    h = config.hidden
    Ul, Ur = m.parameter(f"{name}_Ul", (h, 3 * h)), m.parameter(f"{name}_Ur", (h, 3 * h))
    Fl, Fr = m.parameter(f"{name}_Fl", (h, h)), m.parameter(f"{name}_Fr", (h, h))
    b, bf = m.parameter(f"{name}_b", 3 * h, ZEROS), m.parameter(f"{name}_bf", h, ZEROS)

    @m.vertex_function(name)
    def inner(v):
        left, right = v.gather(0, "h"), v.gather(1, "h")
        i, o, u = (left @ Ul + right @ Ur + b).split(3)
        # The right child is first: gradients are added up in this order, which determines their last bits.
        c_right = sigmoid(right @ Fr + bf) * v.gather(1, "c")
        c_left = sigmoid(left @ Fl + bf) * v.gather(0, "c")
        c = sigmoid(i) * tanh(u) + (c_left + c_right)
        v.scatter(c=c, h=sigmoid(o) * tanh(c))


def rnn_leaf(m, config):
    E = embedding(m, config)
    W, b = m.parameter("W", (config.embedding, config.hidden)), m.parameter("b", config.hidden, ZEROS)

    @m.vertex_function
    def leaf(v):
        v.scatter(h=tanh(E(v.pull_index("word")) @ W + b))


def rnn_inner(m, config):
    h = config.hidden
    L, R, b = m.parameter("L", (h, h)), m.parameter("R", (h, h)), m.parameter("inner_b", h, ZEROS)

    @m.vertex_function
    def inner(v):
        v.scatter(h=tanh(v.gather(0, "h") @ L + v.gather(1, "h") @ R + b))


def output(m, config):
    @m.vertex_function
    def output(v):
        predict_class(m, v, config, v.gather(0, "h"))


def mlp_output(m, config):
    h = config.hidden
    Wm, bm = m.parameter("Wm", (h, h)), m.parameter("bm", h, ZEROS)

    @m.vertex_function
    def output(v):
        predict_class(m, v, config, tanh(v.gather(0, "h") @ Wm + bm))


def tree_lstm_nary(config):
    m = cavs.Model(config.seed)
    lstm_leaf(m, config)
    lstm_inner(m, config)
    output(m, config)
    return m


def tree_lstm_2type(config):
    """Two types of inner vertices: no order by depth keeps the types together (ED-Batch, section 5.1)."""
    m = cavs.Model(config.seed)
    lstm_leaf(m, config)
    lstm_inner(m, config, "inner")
    lstm_inner(m, config, "inner2")
    output(m, config)
    return m


def td_lstm(config):
    """A time-delay net that combines neighbours with an LSTM (VPPS, section IV-E)."""
    m = cavs.Model(config.seed)
    lstm_leaf(m, config)
    lstm_inner(m, config)
    mlp_output(m, config)
    return m


def rvnn(config):
    """A recursive net whose leaves have other weights (Irsoy and Cardie, NIPS 2014)."""
    m = cavs.Model(config.seed)
    rnn_leaf(m, config)
    rnn_inner(m, config)
    mlp_output(m, config)
    return m


def td_rnn(config):
    """A time-delay net: neighbours are combined until one vertex is left (VPPS, section IV-E)."""
    m = cavs.Model(config.seed)
    E = m.lookup("embedding", (config.vocabulary, config.hidden))

    @m.vertex_function
    def leaf(v):
        v.scatter(h=E(v.pull_index("word")))

    rnn_inner(m, config)
    mlp_output(m, config)
    return m


def thinking_rvnn(config):
    """Each inner vertex is followed by a chain of GRU steps with shared weights, whose length is in the input graph."""
    m = cavs.Model(config.seed)
    h = config.hidden
    rnn_leaf(m, config)
    rnn_inner(m, config)
    U, C = m.parameter("step_U", (h, 2 * h)), m.parameter("step_C", (h, h))
    g, c = m.parameter("step_b", 2 * h, ZEROS), m.parameter("step_c", h, ZEROS)

    @m.vertex_function
    def step(v):
        v.scatter(h=cavs.gru_step(g, c, v.gather(0, "h"), U, C))

    output(m, config)
    return m


def tree_gru(config):
    """The mean of two GRU steps, one per child with weights of its own (ED-Batch's TreeGRU)."""
    m = cavs.Model(config.seed)
    d, h = config.embedding, config.hidden
    E = embedding(m, config)
    W, b = m.parameter("W", (d, 2 * h)), m.parameter("b", 2 * h, ZEROS)
    Ul, bl = m.parameter("Ul", (h, 2 * h)), m.parameter("bl", 2 * h, ZEROS)
    Ur, br = m.parameter("Ur", (h, 2 * h)), m.parameter("br", 2 * h, ZEROS)
    Cl, cl = m.parameter("Cl", (h, h)), m.parameter("cl", h, ZEROS)
    Cr, cr = m.parameter("Cr", (h, h)), m.parameter("cr", h, ZEROS)

    @m.vertex_function
    def leaf(v):
        z, c = (E(v.pull_index("word")) @ W + b).split(2)
        v.scatter(h=(1 - sigmoid(z)) * tanh(c))

    @m.vertex_function
    def inner(v):
        left = cavs.gru_step(bl, cl, v.gather(0, "h"), Ul, Cl)
        right = cavs.gru_step(br, cr, v.gather(1, "h"), Ur, Cr)
        v.scatter(h=(left + right) * 0.5)

    output(m, config)
    return m


def distribution_of(score, classes):
    """The distribution over 1 .. classes whose mean is the score, and which is 0 except at the two nearest classes."""
    return cavs.concat(*[cavs.relu(1 - abs(score - i)) for i in range(1, classes + 1)])


def mean_of(distribution, classes):
    mean = distribution[0:1]
    for i in range(1, classes):
        mean = mean + distribution[i:i + 1] * (i + 1)
    return mean


def tree_lstm_relatedness(config):
    """The similarity of two sentences (Tai et al., section 4.2, equation 15), from the product and the distance of the
    roots of two trees. The loss is the Kullback-Leibler divergence from the distribution of the score."""
    m = cavs.Model(config.seed)
    h = config.hidden

    @m.vertex_function
    def node(v):
        child_sum_lstm(m, config, v)

    Wx, Wd, b = m.parameter("Wx", (h, h)), m.parameter("Wd", (h, h)), m.parameter("bx", h, ZEROS)

    @m.vertex_function
    def pair(v):
        left, right = v.gather(0, "h"), v.gather(1, "h")
        logits = class_scores(m, config, sigmoid((left * right) @ Wx + abs(left - right) @ Wd + b))
        target = distribution_of(v.pull("score", 1), config.classes)
        v.push(logits=logits, score=mean_of(cavs.softmax(logits), config.classes))
        logarithm = cavs.log(cavs.max(target, v.constant(1e-30)))  # 0 log 0 is 0
        v.loss(v.where_present("score", cavs.dot(target, logarithm - cavs.log_softmax(logits))))

    return m
