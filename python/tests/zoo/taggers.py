"""Taggers of sentences: networks of vertex functions that run over the same tokens, in both directions."""

import cavs

from .parts import ZEROS, class_scores, embedding, predict_class

DIRECTIONS = ("forward", "backward")


def add_bilstm(m, names, over, inputs, hidden, read):
    """Two LSTMs over the vertices of type `over`: names[0] from the first vertex, names[1] from the last. Both push
    their states as "h". read(v) is their input at a vertex."""
    for name, size, reverse in zip(names, hidden, (False, True)):
        cell = cavs.LstmCell(m, name, inputs, size)

        @m.vertex_function(name, over=[over], reverse=reverse)
        def step(v):
            v.push(h=cell.step(v, read(v), f"{name}_"))


def add_spelled_bilstm(m, config):
    """Rare words have the last states of two LSTMs over their characters in place of an embedding (Lample et al., NAACL
    2016)."""
    d, h = config.embedding, config.hidden
    front, back, width = (d + 1) // 2, max(1, d // 2), 32
    E, C = embedding(m, config), m.lookup("characters", (256, width))
    add_bilstm(m, ("spell_forward", "spell_backward"), "character", width, (front, back),
               lambda v: C(v.pull_index("character")))

    def read(v):
        word, ends = E(v.pull_index("word")), (v.pull("front", front), v.pull("back", back))
        return word + (ends[0] + ends[1] if d == 1 else cavs.concat(*ends))

    add_bilstm(m, DIRECTIONS, "token", d, (h, h), read)
    for name in DIRECTIONS:
        m.connect(("spell_forward", "h"), (name, "front"), cavs.RowMap.given("last"))
        m.connect(("spell_backward", "h"), (name, "back"), cavs.RowMap.given("first"))


def connect_both(m, layer, reader):
    """Connects the outputs of both directions to `reader` at the same token."""
    for direction in DIRECTIONS:
        m.connect((direction + layer, "h"), (reader, direction))


def pull_both(v, h):
    return cavs.concat(v.pull("forward", h), v.pull("backward", h))


def mlp(m, v, h):
    return cavs.tanh(cavs.Linear(m, "hidden", 2 * h, h)(pull_both(v, h)))


def add_tagger(m, config, layer=""):
    @m.vertex_function("output", over=["token"])
    def output(v):
        predict_class(m, v, config, mlp(m, v, config.hidden))

    connect_both(m, layer, "output")


def bilstm(config):
    m = cavs.Model(config.seed)
    d, h = config.embedding, config.hidden
    E = embedding(m, config)
    add_bilstm(m, DIRECTIONS, "token", d, (h, h), lambda v: E(v.pull_index("word")))
    add_tagger(m, config)
    return m


def bilstm_char(config):
    m = cavs.Model(config.seed)
    add_spelled_bilstm(m, config)
    add_tagger(m, config)
    return m


def bilstm_tagger(config):
    """Two layers; the second reads both directions of the first."""
    m = cavs.Model(config.seed)
    d, h = config.embedding, config.hidden
    E = embedding(m, config)
    add_bilstm(m, ("forward1", "backward1"), "token", d, (h, h), lambda v: E(v.pull_index("word")))
    add_bilstm(m, ("forward2", "backward2"), "token", 2 * h, (h, h), lambda v: pull_both(v, h))
    for name in ("forward2", "backward2"):
        connect_both(m, "1", name)
    add_tagger(m, config, "2")
    return m


def bilstm_crf(config):
    """A linear-chain CRF over the tags (Lample et al., NAACL 2016). Its likelihood is a chain in the log semiring;
    Viterbi's choices and the marginals are chains in reverse over the same scores."""
    m = cavs.Model(config.seed)
    k = config.classes
    add_spelled_bilstm(m, config)
    T, S = m.parameter("transitions", (k, k)), m.parameter("start", k, ZEROS)

    @m.vertex_function("crf", over=["token"])
    def crf(v):
        scores = class_scores(m, config, mlp(m, v, config.hidden))
        inner = v.gather(0, "one")  # 0 at the first token, which has no child
        here = scores + (1 - inner) * S
        alpha = inner * cavs.log_matmul(v.gather(0, "alpha"), T) + here
        z = cavs.log_sum_exp(alpha)
        tag = cavs.one_hot(v.pull_index("label"), k)
        v.scatter(one=v.constant(1), alpha=alpha - z, tag=tag)
        v.loss(z - cavs.dot(tag, v.gather(0, "tag") @ T + here))
        best = inner * cavs.max_matmul(v.gather(0, "best"), T) + here
        v.scatter(best=best)
        v.push(best=best, alpha=alpha)

    connect_both(m, "", "crf")

    @m.vertex_function("decode", over=["token"], reverse=True)
    def decode(v):
        choice = cavs.hard_max(v.pull("best", k) + v(T) @ v.gather(0, "choice"))
        v.scatter(choice=choice)
        v.push(logits=choice)
        alpha, ones = v.pull("alpha", k), cavs.reshape(v(S) * 0 + 1, (1, k))
        here = cavs.reshape(alpha, (k, 1)) @ ones + v(T)  # log P(this tag, the next one)
        following = cavs.reshape(ones, (k, 1)) @ cavs.reshape(cavs.log_matmul(alpha, T), (1, k))
        inner = v.gather(0, "one")  # 0 at the last token
        marginals = inner * (cavs.exp(here - following) @ v.gather(0, "marginals")) + (1 - inner) * cavs.softmax(alpha)
        v.scatter(one=v.constant(1), marginals=marginals)
        v.push(probabilities=marginals)

    m.connect(("crf", "best"), ("decode", "best"))
    m.connect(("crf", "alpha"), ("decode", "alpha"))
    return m
