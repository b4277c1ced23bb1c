"""Models that tests declare."""

import cavs


def tree_lstm(embedding, hidden, words, classes, seed=1):
    """The child-sum Tree-LSTM of the zoo, with the same names."""
    m = cavs.Model(seed=seed)
    d, h, zeros = embedding, hidden, cavs.Initializer.zeros()
    E = m.lookup("embedding", (words, d))
    W, U, b = m.parameter("W", (d, 3 * h)), m.parameter("U", (h, 3 * h)), m.parameter("b", 3 * h, zeros)
    Wf, Uf, bf = m.parameter("Wf", (d, h)), m.parameter("Uf", (h, h)), m.parameter("bf", h, zeros)
    Wy, by = m.parameter("output_W", (h, classes)), m.parameter("output_b", classes, zeros)

    @m.vertex_function
    def tree_lstm(v):
        x = E(v.pull_index("word"))
        hs, cs = v.children("h"), v.children("c")
        i, o, u = (x @ W + hs.sum() @ U + b).split(3)
        f = cavs.sigmoid(x @ Wf + hs @ Uf + bf)
        c = cavs.sigmoid(i) * cavs.tanh(u) + (f * cs).sum()
        y = cavs.sigmoid(o) * cavs.tanh(c)
        v.scatter(c=c, h=y)
        logits = y @ Wy + by
        v.push(logits=logits)
        v.loss(cavs.softmax_cross_entropy(logits, v.pull_index("label")))

    return m
