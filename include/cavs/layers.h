#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cavs/model.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

// Layers: parameters with the equations that use them. Parameters are named after the layer: layer "encoder" has
// "encoder_W", layer "" has "W". A layer is made in or before a vertex function and may be used in several; two layers
// of one name share their parameters and must have equal sizes, else UserError.

/// x W + b.
class Linear {
 public:
  /// @param inputs, outputs  numbers per row
  Linear(Model& m, const std::string& name, int inputs, int outputs);
  /// [inputs] -> [outputs]
  Value operator()(const Value& x) const { return x * W_ + b_; }

 private:
  Parameter W_, b_;
};

/// Vectors of words that are the weight of the scores of words, too (Press and Wolf, EACL 2017): parameter W,
/// [width, words]. Gradients of both uses add up.
/// Cost: a word is looked up by a product as large as that of the scores, and has a row of `words` numbers.
class TiedEmbedding {
 public:
  TiedEmbedding(Model& m, const std::string& name, int words, int width);
  /// The vector of a word: [width]; zeros where it is absent.
  Value operator()(Vertex& v, const IndexValue& word) const;
  /// [width] -> [words]
  Value scores(const Value& x) const { return x * W_; }

 private:
  Parameter W_;
};

/// One step of an LSTM (Hochreiter and Schmidhuber, 1997, with forget gates). @return the new c and h, [hidden] each
/// @param gates  [4 hidden]: i, f, o, u before their sigmoids and tanh, one after the other   @param c_prev  [hidden]
std::pair<Value, Value> lstm_step(const Value& gates, const Value& c_prev);

/// An LSTM: parameters W [inputs, 4 hidden], U [hidden, 4 hidden] and b [4 hidden], with gates as in lstm_step.
class LstmCell {
 public:
  LstmCell(Model& m, const std::string& name, int inputs, int hidden);
  /// One step. @param x  [inputs]   @param c, h  [hidden], before the step   @return the new c and h
  std::pair<Value, Value> operator()(const Value& x, const Value& c, const Value& h) const;
  /// A step along a chain: gathers the states `states` + "c" and `states` + "h" of child 0, and scatters the new ones.
  /// @return the new h
  Value step(Vertex& v, const Value& x, const std::string& states = "") const;

 private:
  Parameter W_, U_, b_;
};

/// One step of a GRU (Cho et al., EMNLP 2014, equations 5-8): z is the weight of the old state. @return the new h
/// @param gates, candidate  [2 hidden] (r, then z) and [hidden]: what the input and biases add to old * U and to the
/// product with C; for example x * W + b
/// @param old  [hidden], before the step   @param U  [hidden, 2 hidden]   @param C  [hidden, hidden]
template <typename Input>
Value gru_step(const Input& gates, const Input& candidate, const Value& old, const Parameter& U, const Parameter& C) {
  auto [r, update] = split<2>(old * U + gates);
  auto z = sigmoid(update);
  return z * old + (1 - z) * tanh((sigmoid(r) * old) * C + candidate);
}

/// A GRU: parameters W, U and b of the gates, V, C and c of the candidate.
class GruCell {
 public:
  GruCell(Model& m, const std::string& name, int inputs, int hidden);
  /// One step. @param x  [inputs]   @param h  [hidden], before the step   @return the new h
  Value operator()(const Value& x, const Value& h) const;
  /// A step along a chain: gathers the state `states` + "h" of child 0 and scatters the new one. @return the new h
  Value step(Vertex& v, const Value& x, const std::string& states = "") const;

 private:
  Parameter W_, U_, b_, V_, C_, c_;
};

// Losses that are made of operators: one number a vertex, for Vertex::loss. Where the target is pulled and the vertex
// has none, a loss is 0 and has no gradient, as that of mean_squared_error. Names and formulas are PyTorch's; what its
// "mean" divides by is left to Vertex::loss.

struct CrossEntropyOptions {
  std::vector<float> class_weights = {};  // [classes], each from 0: what the loss of a class is multiplied with
  double label_smoothing = 0;             // 0 to 1: the share of the target that all classes have alike
};
/// -log softmax(logits)[label] with class weights and label smoothing (Szegedy et al., CVPR 2016, section 7).
/// @param logits  [classes]   @return [], 0 where the label is -1
/// @throws UserError unless there is a weight a class (of at most 1,000), or for an option out of range.
Value softmax_cross_entropy(const Value& logits, const IndexValue& label, const CrossEntropyOptions& options);

/// Of several labels that a vertex has or has not, the mean of -log sigmoid(logit) or -log(1 - sigmoid(logit)).
/// @param logits, target  [labels]; a target is 0 or 1, or a probability
/// @param positive_weight  what the former is multiplied with
Value binary_cross_entropy(const Value& logits, const Value& target, double positive_weight = 1);
/// The mean of those labels alone that are known. @param present  [labels]: 1 where one is, else 0
Value binary_cross_entropy(const Value& logits, const Value& target, const Value& present, double positive_weight = 1);

/// Mean of the squared differences of those features alone whose target is known; 0 where none is.
/// @param x, target  [n]   @param present  [n]: 1 where a target is known, else 0; a float port of the data, say
Value mean_squared_error(const Value& x, const Value& target, const Value& present);

/// max(0, margin - order * (first - second)): one score is to be larger than another, by a margin.
/// @param first, second  scores, []   @param order  []: 1 where the first is to be the larger one, -1 where the second
Value margin_ranking(const Value& first, const Value& second, const Value& order, double margin = 0);

}  // namespace v0_1
}  // namespace cavs
