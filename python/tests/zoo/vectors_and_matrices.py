"""Models with a vector and a matrix per vertex."""

import cavs

from .parts import ZEROS
from .trees import output

RANK = 3  # rank of the part of a word's matrix that is added to its diagonal


def word_matrix(m, config, word):
    """A matrix U V + diag(a), a form that keeps the table small. Its initial value is the identity with some noise."""
    h, words = config.hidden, config.vocabulary
    left, right = m.lookup("left", (words, h * RANK))(word), m.lookup("right", (words, RANK * h))(word)
    a = m.lookup("diagonal", (words, h), cavs.Initializer.constant(1))(word)
    return cavs.reshape(left, (h, RANK)) @ cavs.reshape(right, (RANK, h)) + cavs.diagonal(a)


def mv_rnn(config):
    """MV-RNN (Socher et al., EMNLP 2012): v = tanh(W [M1 v2; M2 v1] + b), M = Wm [M1; M2] + B. "M" is
    transposed, so that a row vector multiplies it."""
    m = cavs.Model(config.seed)
    h = config.hidden
    E = m.lookup("embedding", (config.vocabulary, h))
    Wl, Wr, b = m.parameter("Wl", (h, h)), m.parameter("Wr", (h, h)), m.parameter("b", h, ZEROS)
    half = cavs.Initializer.xavier_uniform(0.7)  # so that the sum of two has the scale of one
    Ml, Mr, B = m.parameter("Ml", (h, h), half), m.parameter("Mr", (h, h), half), m.parameter("B", (h, h), ZEROS)

    @m.vertex_function
    def leaf(v):
        word = v.pull_index("word")
        v.scatter(h=E(word), M=word_matrix(m, config, word))

    @m.vertex_function
    def inner(v):
        left, right = v.gather(0, "M"), v.gather(1, "M")
        y = cavs.tanh((v.gather(1, "h") @ left) @ Wl + (v.gather(0, "h") @ right) @ Wr + b)
        # The parameter as a value, which each row of a matrix is multiplied by.
        v.scatter(h=y, M=cavs.batch_matmul(left, Ml) + cavs.batch_matmul(right, Mr) + B)

    output(m, config)
    return m
