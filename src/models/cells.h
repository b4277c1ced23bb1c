#pragma once

#include <utility>

#include "models/model_list.h"

namespace cavs {

/// c and h after an LSTM step (Hochreiter and Schmidhuber, 1997, with forget gates). `gates`: i, f, o, u side by side.
inline std::pair<Value, Value> lstm_step(const Value& gates, const Value& before) {
  auto [i, f, o, u] = split<4>(gates);
  auto c = sigmoid(i) * tanh(u) + sigmoid(f) * before;
  return {c, sigmoid(o) * tanh(c)};
}

/// h after a GRU step (Cho et al., EMNLP 2014, equations 5-8): z keeps the old state. What the input adds to r and z,
/// and to the candidate, is a value, or a bias alone.
template <typename Input>
Value gru_step(const Input& gates, const Input& candidate, const Value& old, const Parameter& U, const Parameter& C) {
  auto [r, update] = split<2>(old * U + gates);
  auto z = sigmoid(update);
  return z * old + (1 - z) * tanh((sigmoid(r) * old) * C + candidate);
}

}  // namespace cavs
