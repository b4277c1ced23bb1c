"""Language models and translation over chains."""

import cavs

from .parts import embedding, predict_class


def lstm(config):
    """A vertex reads a word and predicts the next one."""
    m = cavs.Model(config.seed)
    E = embedding(m, config)
    cell = cavs.LstmCell(m, "", config.embedding, config.hidden)

    @m.vertex_function
    def token(v):
        predict_class(m, v, config, cell.step(v, E(v.pull_index("word"))))

    return m


def gru(config):
    m = cavs.Model(config.seed)
    E = embedding(m, config)
    cell = cavs.GruCell(m, "", config.embedding, config.hidden)

    @m.vertex_function
    def token(v):
        predict_class(m, v, config, cell.step(v, E(v.pull_index("word"))))

    return m


def lstm_nmt(config):
    """An encoder-decoder with attention and teacher forcing. The child of the decoder's first vertex is the encoder's
    last vertex; a connection passes all states of the encoder (Sutskever et al., 2014; Luong et al., 2015)."""
    m = cavs.Model(config.seed)
    d, h = config.embedding, config.hidden
    E = embedding(m, config)

    def step(v, name):
        project = cavs.Linear(m, f"{name}_project", d, d)
        x = cavs.dropout(cavs.tanh(project(E(v.pull_index("word")))), config.dropout)
        return cavs.LstmCell(m, name, d, h).step(v, x)

    @m.vertex_function
    def encoder(v):
        v.push(memory=step(v, "encoder"))

    @m.vertex_function
    def decoder(v):
        y = step(v, "decoder")
        memory = v.pull_all("memory", h)  # the states of all vertices of the encoder
        Wa, Wc, Uc = m.parameter("Wa", (h, h)), m.parameter("Wc", (h, h)), m.parameter("Uc", (h, h))
        y = cavs.tanh(cavs.attention(y @ Wa, memory, memory) @ Wc + y @ Uc)
        predict_class(m, v, config, y)

    m.connect(("encoder", "memory"), ("decoder", "memory"), cavs.RowMap.all())
    return m
