"""Models of the zoo with several vertex types, one vertex at a time. models_torch.py runs them with autograd.

Arguments of a cell: the parameters, the type of the vertex, its word or pixels, the states (c, h) of its children in
the order of their slots (zeros for an absent child), and zeros. Returns the cell's state and the input of the output
layer or None.
"""

import torch


def lstm_step(gates, before):
    """Splits gates i, f, o, u."""
    i, f, o, u = gates.chunk(4)
    c = f.sigmoid() * before + i.sigmoid() * u.tanh()
    return c, o.sigmoid() * c.tanh()


def gru_step(gates, candidate, old, U, C):
    """Cho et al. (2014), equations 5-8, given the input's part of gates r and z and of the candidate."""
    r, z = (gates + old @ U).sigmoid().chunk(2)
    return z * old + (1 - z) * (candidate + (r * old) @ C).tanh()


def nary_lstm(p, kind, word, children, zero):
    """Tai et al. (2015), equations 9-14 with N = 2 and one bias for both forget gates. Outputs are vertices."""
    if kind == "output":
        return (zero, zero), children[0][1]
    if kind == "leaf":
        i, o, u = (p["embedding"][word] @ p["W"] + p["b"]).chunk(3)
        c = i.sigmoid() * u.tanh()
    else:
        of = lambda name: p[f"{kind}_{name}"]
        (left_c, left), (right_c, right) = children
        i, o, u = (left @ of("Ul") + right @ of("Ur") + of("b")).chunk(3)
        c = (i.sigmoid() * u.tanh() + (left @ of("Fl") + of("bf")).sigmoid() * left_c
             + (right @ of("Fr") + of("bf")).sigmoid() * right_c)
    return (c, o.sigmoid() * c.tanh()), None


def tree_gru(p, kind, word, children, zero):
    """The mean of one GRU step per child. A leaf steps from zeros, where the reset gate has no effect."""
    if kind == "output":
        return (zero, zero), children[0][1]
    if kind == "leaf":
        z, c = (p["embedding"][word] @ p["W"] + p["b"]).chunk(2)
        return (zero, (1 - z.sigmoid()) * c.tanh()), None
    (_, left), (_, right) = children
    steps = [gru_step(p["b" + k], p["c" + k], h, p["U" + k], p["C" + k]) for k, h in (("l", left), ("r", right))]
    return (zero, (steps[0] + steps[1]) / 2), None


def mv_rnn(p, kind, word, children, zero):
    """Socher et al. (2012). The state is a matrix, as in the paper, and a vector, instead of c and h."""
    if kind == "output":
        return (zero, zero), children[0][1]
    h = len(p["b"])
    if kind == "leaf":
        factors = p["left"][word].reshape(h, -1) @ p["right"][word].reshape(-1, h)
        return ((factors + p["diagonal"][word].diag()).t(), p["embedding"][word]), None
    (L, l), (R, r) = children
    vector = (torch.cat([p["Wl"], p["Wr"]]).t() @ torch.cat([L @ r, R @ l]) + p["b"]).tanh()
    return (torch.cat([p["Ml"], p["Mr"]]).t() @ torch.cat([L, R]) + p["B"].t(), vector), None


def mean_state(children, zero):
    """Mean over the arcs that end at a position, or zeros at the first position."""
    return tuple(sum(states, zero) / max(1, len(children)) for states in zip((zero, zero), *children))


def lattice_lstm(p, kind, word, children, zero):
    if kind == "position":
        state = mean_state(children, zero)
        return state, state[1]
    (c, h), = children
    x = p["embedding"][word]
    return lstm_step(x @ p[kind + "_W"] + h @ p[kind + "_U"] + p[kind + "_b"], c), None


def lattice_gru(p, kind, word, children, zero):
    if kind == "position":
        state = mean_state(children, zero)
        return state, state[1]
    (_, h), = children
    x = p["embedding"][word]
    return (zero, gru_step(x @ p[kind + "_W"] + p[kind + "_b"], x @ p[kind + "_V"] + p[kind + "_c"], h,
                           p[kind + "_U"], p[kind + "_C"])), None


def lstm_nmt(p, kind, word, children, zero):
    """The decoder attends over the encoder's states, its children after the first (Luong et al., 2015, section 3.1)."""
    c, h = children[0] if children else (zero, zero)
    x = (p["embedding"][word] @ p[kind + "_project_W"] + p[kind + "_project_b"]).tanh()
    c, h = lstm_step(x @ p[kind + "_W"] + h @ p[kind + "_U"] + p[kind + "_b"], c)
    if kind == "encoder":
        return (c, h), None
    memory = torch.stack([state for _, state in children[1:]])
    weights = (memory @ (h @ p["Wa"]) / len(h) ** 0.5).softmax(0)
    return (c, h), ((weights @ memory) @ p["Wc"] + h @ p["Uc"]).tanh()


def fitting(state, width):
    """Gives the zeros of an absent child the width of the output layer."""
    return state if len(state) == width else state.new_zeros(width)


def bilstm(p, kind, word, children, zero):
    """Lample et al. (2016), without the CRF. Below the chains of words are chains of the characters of rare words,
    or above them is a second layer, which reads both directions of the first."""
    if kind == "output" or kind.endswith("2"):
        (_, forward), (_, backward), *children = children
        x = torch.cat([forward, backward])
        if kind == "output":
            return (zero, zero), (x @ p["hidden_W"] + p["hidden_b"]).tanh()
        c, h = children[0] if children else (zero, zero)
        return lstm_step(x @ p[kind + "_W"] + h @ p[kind + "_U"] + p[kind + "_b"], c), None
    table = p["characters" if kind.startswith("spell") else "embedding"]
    x = table[word] if word >= 0 else table.new_zeros(table.shape[1])
    if "characters" in p and not kind.startswith("spell"):
        widths = [len(p[f"spell_{direction}_U"]) for direction in ("forward", "backward")]
        x = x + torch.cat([fitting(end, width) for (_, end), width in zip(children, widths)])
        children = children[2:]
    width = len(p[kind + "_U"])
    c, h = (fitting(state, width) for state in (children[0] if children else (zero, zero)))
    return lstm_step(x @ p[kind + "_W"] + h @ p[kind + "_U"] + p[kind + "_b"], c), None


def mlp(p, h):
    return (h @ p["Wm"] + p["bm"]).tanh()


def rnn_inner(p, children, zero):
    (_, left), (_, right) = children
    return zero, (left @ p["L"] + right @ p["R"] + p["inner_b"]).tanh()


def rvnn(p, kind, word, children, zero):
    """Leaves have their own weights."""
    if kind == "output":
        return (zero, zero), mlp(p, children[0][1])
    if kind == "leaf":
        return (zero, (p["embedding"][word] @ p["W"] + p["b"]).tanh()), None
    return rnn_inner(p, children, zero), None


def thinking_rvnn(p, kind, word, children, zero):
    """GRU steps after an inner vertex."""
    if kind == "output":
        return (zero, zero), children[0][1]
    if kind == "step":
        return (zero, gru_step(p["step_b"], p["step_c"], children[0][1], p["step_U"], p["step_C"])), None
    return rvnn(p, kind, word, children, zero)


def td_rnn(p, kind, word, children, zero):
    """Leaves are their embeddings."""
    if kind == "output":
        return (zero, zero), mlp(p, children[0][1])
    return ((zero, p["embedding"][word]) if kind == "leaf" else rnn_inner(p, children, zero)), None


def td_lstm(p, kind, word, children, zero):
    if kind == "output":
        return (zero, zero), mlp(p, children[0][1])
    return nary_lstm(p, kind, word, children, zero)


def lrcn(p, kind, pixels, children, zero):
    """Donahue et al. (2015). Images are [height, width, channels] and kernels [height, width, channels, n]."""
    x = torch.tensor(pixels, dtype=torch.float64).reshape(1, 1, 16, 16)
    for kernel, bias in (("K1", "k1"), ("K2", "k2")):
        x = torch.nn.functional.conv2d(x, p[kernel].permute(3, 2, 0, 1), p[bias], padding=1).relu()
        x = torch.nn.functional.max_pool2d(x, 2)
    x = (x[0].permute(1, 2, 0).flatten() @ p["projection_W"] + p["projection_b"]).relu()
    c, h = children[0] if children else (zero, zero)
    state = lstm_step(x @ p["W"] + h @ p["U"] + p["b"], c)
    return state, state[1]


TYPED_CELLS = {"tree-lstm-nary": nary_lstm, "tree-lstm-2type": nary_lstm, "tree-gru": tree_gru, "mv-rnn": mv_rnn,
               "lattice-lstm": lattice_lstm, "lattice-gru": lattice_gru, "bilstm-tagger": bilstm,
               "bilstm": bilstm, "bilstm-char": bilstm, "lstm-nmt": lstm_nmt, "rvnn": rvnn, "thinking-rvnn": thinking_rvnn, "td-rnn": td_rnn, "td-lstm": td_lstm,
               "lrcn": lrcn}
