#pragma once

#include <string>

#include "models/model_list.h"

namespace cavs::inline v0_1 {

// Vertex functions that several models over trees share.

/// A vertex of a child-sum Tree-LSTM: declares its parameters, scatters "c" and "h", and returns h.
Value child_sum_lstm(Model& m, const ModelConfig& config, Vertex& v);

/// Declares the vertex function "leaf" of a Tree-LSTM, with gates i, o, u from the word.
void declare_tree_lstm_leaf(Model& m, const ModelConfig& config);

/// Declares an inner vertex of a Tree-LSTM with two children: gates i, o, u from both children, and a forget gate from
/// each child, with a common bias. Parameters are named after the type, so each type has its own.
void declare_tree_lstm_inner(Model& m, const ModelConfig& config, const std::string& type);

/// Declares "leaf" of a recursive net: tanh of a linear layer over the word's vector.
void declare_rnn_leaf(Model& m, const ModelConfig& config);

/// Declares "inner" of a recursive net: tanh of the sum of two matrix products, one per child.
void declare_rnn_inner(Model& m, const ModelConfig& config);

/// Declares "output", which predicts the class of its child.
void declare_output(Model& m, const ModelConfig& config);

/// Like declare_output, with a hidden layer.
void declare_mlp_output(Model& m, const ModelConfig& config);

}  // namespace cavs::inline v0_1
