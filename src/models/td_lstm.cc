#include "models/tree_parts.h"

namespace cavs {

// The time-delay network with an LSTM in place of the two products (VPPS, section IV-E): its gates read both
// neighbours, and each keeps its cell through a forget gate of its own (Tai et al., ACL 2015, equations 9-14, N = 2).
Model td_lstm(const ModelSizes& s) {
  Model m({.seed = s.seed});
  declare_tree_lstm_leaf(m, s);
  declare_tree_lstm_inner(m, s, "inner");
  declare_mlp_output(m, s);
  return m;
}

}  // namespace cavs
