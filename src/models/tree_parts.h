#pragma once

#include <string>

#include "models/model_list.h"

namespace cavs::inline v0_1 {

// Vertex functions that several models over trees share.

/// A vertex of a child-sum Tree-LSTM: declares its parameters, scatters "c" and "h", gives h.
Value child_sum_lstm(Model& m, const ModelConfig& config, Vertex& v);

/// "leaf" of a Tree-LSTM: i, o, u from the word.
void declare_tree_lstm_leaf(Model& m, const ModelConfig& config);

/// An inner vertex of a Tree-LSTM of two children, i, o, u from both, a forget gate from each, with one bias.
/// Parameters are named after the type, so each has its own.
void declare_tree_lstm_inner(Model& m, const ModelConfig& config, const std::string& type);

/// "leaf" of a recursive net: tanh over a product of its word.
void declare_rnn_leaf(Model& m, const ModelConfig& config);

/// "inner" of a recursive net: tanh over a product for each of two children.
void declare_rnn_inner(Model& m, const ModelConfig& config);

/// "output": the classes of its child.
void declare_output(Model& m, const ModelConfig& config);

/// "output" with a hidden layer.
void declare_mlp_output(Model& m, const ModelConfig& config);

}  // namespace cavs::inline v0_1
