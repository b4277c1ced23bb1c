#include "models/tree_parts.h"

namespace cavs::inline v0_1 {

// N-ary Tree-LSTM (Tai et al., ACL 2015, equations 9-14, N = 2) with separate types of leaf, inner and output vertices
// (ED-Batch, Figure 1(a)).
Model tree_lstm_nary(const ModelConfig& config) {
  Model m({.seed = config.seed});
  declare_tree_lstm_leaf(m, config);
  declare_tree_lstm_inner(m, config, "inner");
  declare_output(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
