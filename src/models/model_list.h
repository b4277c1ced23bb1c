#pragma once

#include <span>

#include "cavs/models.h"

namespace cavs {

inline Initializer zeros() { return Initializer::zeros(); }

Model tree_lstm(const ModelSizes& sizes);
Model tree_lstm_binary(const ModelSizes& sizes);
Model tree_fc(const ModelSizes& sizes);
Model tree_lstm_nary(const ModelSizes& sizes);
Model tree_lstm_2type(const ModelSizes& sizes);
Model tree_gru(const ModelSizes& sizes);
Model mv_rnn(const ModelSizes& sizes);
Model lattice_lstm(const ModelSizes& sizes);
Model lattice_gru(const ModelSizes& sizes);
Model bilstm_tagger(const ModelSizes& sizes);
Model bilstm(const ModelSizes& sizes);
Model bilstm_char(const ModelSizes& sizes);
Model bilstm_crf(const ModelSizes& sizes);
Model lstm_nmt(const ModelSizes& sizes);
Model lstm(const ModelSizes& sizes);
Model gru(const ModelSizes& sizes);
Model tree_lstm_relatedness(const ModelSizes& sizes);
Model rvnn(const ModelSizes& sizes);
Model thinking_rvnn(const ModelSizes& sizes);
Model td_rnn(const ModelSizes& sizes);
Model td_lstm(const ModelSizes& sizes);
Model lrcn(const ModelSizes& sizes);
Model dag_rnn(const ModelSizes& sizes);

}  // namespace cavs
