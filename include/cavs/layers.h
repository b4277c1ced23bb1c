#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cavs/model.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

// Layers: parameters with the equations that use them. Parameters are named after the layer: layer "encoder" has
// "encoder_W", layer "" has "W". A layer may be made before or in a vertex function, and used in several. Layers of the
// same name share their parameters; different sizes are a UserError.

/// x W + b.
class Linear {
 public:
  /// @param inputs, outputs  Number of features per row.
  Linear(Model& m, const std::string& name, int inputs, int outputs);
  /// [inputs] -> [outputs]
  Value operator()(const Value& x) const { return x * W_ + b_; }

 private:
  Parameter W_, b_;
};

/// Word vectors that are also the weight of the output scores (Press and Wolf, EACL 2017): parameter W, [width, words].
/// The gradients of both uses are added. Cost: looking up a word is a matrix product as large as that of the scores,
/// with a one-hot row of `words` numbers.
class TiedEmbedding {
 public:
  TiedEmbedding(Model& m, const std::string& name, int words, int width);
  /// The vector of a word: [width]; zeros if absent.
  Value operator()(Vertex& v, const IndexValue& word) const;
  /// [width] -> [words]
  Value scores(const Value& x) const { return x * W_; }

 private:
  Parameter W_;
};

/// One step of an LSTM (Hochreiter and Schmidhuber, 1997, with forget gates). @return the new c and h, [hidden] each.
/// @param gates  [4 hidden]: i, f, o, u before sigmoid and tanh, concatenated   @param c_prev  [hidden]
std::pair<Value, Value> lstm_step(const Value& gates, const Value& c_prev);

/// An LSTM: parameters W [inputs, 4 hidden], U [hidden, 4 hidden] and b [4 hidden], with gates as in lstm_step.
class LstmCell {
 public:
  LstmCell(Model& m, const std::string& name, int inputs, int hidden);
  /// One step. @param x  [inputs]   @param c, h  [hidden], before the step   @return the new c and h
  std::pair<Value, Value> operator()(const Value& x, const Value& c, const Value& h) const;
  /// A step along a chain: gathers the states `states` + "c" and `states` + "h" of child 0, and scatters new ones.
  /// @return the new h
  Value step(Vertex& v, const Value& x, const std::string& states = "") const;

 private:
  Parameter W_, U_, b_;
};

/// One step of a GRU (Cho et al., EMNLP 2014, equations 5-8), in which z is the weight of the old state. @return the
/// new h
/// @param gates, candidate  [2 hidden] (r, then z) and [hidden]: terms of the input and biases, such as x * W + b, to
/// be added to old * U and to the product with C
/// @param old  [hidden], before the step   @param U  [hidden, 2 hidden]   @param C  [hidden, hidden]
template <typename Input>
Value gru_step(const Input& gates, const Input& candidate, const Value& old, const Parameter& U, const Parameter& C) {
  auto [r, update] = split<2>(old * U + gates);
  auto z = sigmoid(update);
  return z * old + (1 - z) * tanh((sigmoid(r) * old) * C + candidate);
}

/// A GRU with parameters W, U and b for the gates, and V, C and c for the candidate.
class GruCell {
 public:
  GruCell(Model& m, const std::string& name, int inputs, int hidden);
  /// One step. @param x  [inputs]   @param h  [hidden], before the step   @return the new h
  Value operator()(const Value& x, const Value& h) const;
  /// A step along a chain: gathers the state `states` + "h" of child 0, and scatters the new state. @return the new h
  Value step(Vertex& v, const Value& x, const std::string& states = "") const;

 private:
  Parameter W_, U_, b_, V_, C_, c_;
};

// Losses composed of operators: one number per vertex, for Vertex::loss. Like mean_squared_error, they are 0 and have
// no gradient at vertices without the pulled target. Names and formulas are PyTorch's, but Vertex::loss determines the
// divisor of a mean over vertices.

struct CrossEntropyOptions {
  std::vector<float> class_weights = {};  // [classes]: factor on the loss of vertices with this label; not negative
  double label_smoothing = 0;             // share, 0 to 1, of the target that is spread evenly over all classes
};
/// -log softmax(logits)[label] with class weights and label smoothing (Szegedy et al., CVPR 2016, section 7).
/// @param logits  [classes]   @return [], 0 if the label is -1
/// @throws UserError unless there is one weight per class (at most 1,000), or for an option out of range.
Value softmax_cross_entropy(const Value& logits, const IndexValue& label, const CrossEntropyOptions& options);

/// Loss of several independent binary labels: the mean of -log sigmoid(logit) where a label is set, and of -log(1 -
/// sigmoid(logit)) where it is not.
/// @param logits, target  [labels]; a target is 0 or 1, or a probability
/// @param positive_weight  Factor on the terms of set labels.
Value binary_cross_entropy(const Value& logits, const Value& target, double positive_weight = 1);
/// The loss above as a mean over the known labels only. @param present  [labels]: 1 if the label is known, else 0
Value binary_cross_entropy(const Value& logits, const Value& target, const Value& present, double positive_weight = 1);

/// Mean of the squared differences over the features whose target is known; 0 if none is known.
/// @param x, target  [n]   @param present  [n]: 1 if the target is known, else 0; for example a float port of the data
Value mean_squared_error(const Value& x, const Value& target, const Value& present);

/// max(0, margin - order * (first - second)): one score should exceed the other by a margin.
/// @param first, second  []: the two scores   @param order  []: 1 if the first should be larger, -1 if the second
Value margin_ranking(const Value& first, const Value& second, const Value& order, double margin = 0);

}  // namespace v0_1
}  // namespace cavs
