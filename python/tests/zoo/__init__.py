"""Every model of the zoo, declared in Python: MODELS[name](config) equals cavs.zoo(name).

The models also serve as examples of the interface. A vertex function says what happens at one vertex; the data
determine the vertices.
"""

from . import chains, dags, films, lattices, taggers, trees, vectors_and_matrices
from .parts import Config

MODELS = {
    "tree-lstm": trees.tree_lstm,
    "tree-lstm-binary": trees.tree_lstm_binary,
    "tree-fc": trees.tree_fc,
    "tree-lstm-nary": trees.tree_lstm_nary,
    "tree-gru": trees.tree_gru,
    "tree-lstm-2type": trees.tree_lstm_2type,
    "tree-lstm-relatedness": trees.tree_lstm_relatedness,
    "rvnn": trees.rvnn,
    "thinking-rvnn": trees.thinking_rvnn,
    "td-rnn": trees.td_rnn,
    "td-lstm": trees.td_lstm,
    "dag-rnn": dags.dag_rnn,
    "lrcn": films.lrcn,
    "mv-rnn": vectors_and_matrices.mv_rnn,
    "lattice-lstm": lattices.lattice_lstm,
    "lattice-gru": lattices.lattice_gru,
    "bilstm-tagger": taggers.bilstm_tagger,
    "bilstm": taggers.bilstm,
    "bilstm-char": taggers.bilstm_char,
    "bilstm-crf": taggers.bilstm_crf,
    "lstm-nmt": chains.lstm_nmt,
    "var-lstm": chains.lstm,
    "gru": chains.gru,
    "fixed-lstm": chains.lstm,
}

__all__ = ["MODELS", "Config"]
