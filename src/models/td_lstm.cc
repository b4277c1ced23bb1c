#include "models/tree_parts.h"

namespace cavs::inline v0_1 {

// The time-delay network (td_rnn.cc) with an LSTM instead of the two products (VPPS, section IV-E). Its gates read both
// neighbours, and each neighbour's cell has its own forget gate (Tai et al., ACL 2015, equations 9-14, N = 2).
Model td_lstm(const ModelConfig& config) {
  Model m({.seed = config.seed});
  declare_tree_lstm_leaf(m, config);
  declare_tree_lstm_inner(m, config, "inner");
  declare_mlp_output(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
