#pragma once

#include <string>
#include <utility>

#include "cavs/model.h"

namespace cavs {

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

}  // namespace cavs
