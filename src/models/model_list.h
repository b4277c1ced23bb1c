#pragma once

#include <span>

#include "cavs/models.h"

namespace cavs::inline v0_1 {

inline Initializer zeros() { return Initializer::zeros(); }

Model tree_lstm(const ModelConfig& config);
Model tree_lstm_binary(const ModelConfig& config);
Model tree_fc(const ModelConfig& config);
Model tree_lstm_nary(const ModelConfig& config);
Model tree_lstm_2type(const ModelConfig& config);
Model tree_gru(const ModelConfig& config);
Model mv_rnn(const ModelConfig& config);
Model lattice_lstm(const ModelConfig& config);
Model lattice_gru(const ModelConfig& config);
Model bilstm_tagger(const ModelConfig& config);
Model bilstm(const ModelConfig& config);
Model bilstm_char(const ModelConfig& config);
Model bilstm_crf(const ModelConfig& config);
Model lstm_nmt(const ModelConfig& config);
Model lstm(const ModelConfig& config);
Model gru(const ModelConfig& config);
Model tree_lstm_relatedness(const ModelConfig& config);
Model rvnn(const ModelConfig& config);
Model thinking_rvnn(const ModelConfig& config);
Model td_rnn(const ModelConfig& config);
Model td_lstm(const ModelConfig& config);
Model lrcn(const ModelConfig& config);
Model dag_rnn(const ModelConfig& config);

}  // namespace cavs::inline v0_1
