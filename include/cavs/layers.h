#pragma once

#include <string>
#include <utility>

#include "cavs/model.h"

namespace cavs {

// Layers: parameters with the equations that use them. Parameters are named after the layer: layer "encoder" has
// "encoder_W", layer "" has "W". A layer is made in or before a vertex function and may be used in several; two layers
// of one name share their parameters.

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

/// c and h after an LSTM step (Hochreiter and Schmidhuber, 1997, with forget gates).
/// @param gates  [4 h]: i, f, o, u side by side   @param before  [h]: c
std::pair<Value, Value> lstm_step(const Value& gates, const Value& before);

/// An LSTM: parameters W, U and b.
class LstmCell {
 public:
  LstmCell(Model& m, const std::string& name, int inputs, int hidden);
  /// c and h after a step from these: [inputs], [hidden], [hidden].
  std::pair<Value, Value> operator()(const Value& x, const Value& c, const Value& h) const;
  /// A step along a chain: gathers the states STATESc and STATESh of child 0 and scatters the new ones. @return h
  Value step(Vertex& v, const Value& x, const std::string& states = "") const;

 private:
  Parameter W_, U_, b_;
};

/// h after a GRU step (Cho et al., EMNLP 2014, equations 5-8): z keeps the old state.
/// @param gates, candidate  what the input adds to r and z, [2 h], and to the candidate, [h]: values, or biases alone
/// @param U  [h, 2 h]   @param C  [h, h]
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
  /// h after a step from this: [inputs], [hidden].
  Value operator()(const Value& x, const Value& h) const;
  /// A step along a chain: gathers the state STATESh of child 0 and scatters the new one. @return h
  Value step(Vertex& v, const Value& x, const std::string& states = "") const;

 private:
  Parameter W_, U_, b_, V_, C_, c_;
};

}  // namespace cavs
