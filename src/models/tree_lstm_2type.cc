#include "models/tree_parts.h"

namespace cavs::inline v0_1 {

// The N-ary Tree-LSTM with two types of inner vertices and separate weights for each (TreeLSTM-2Type of ED-Batch,
// section 5.1). Vertices of one depth, or one average depth, have both types, so policies by depth need more tasks.
Model tree_lstm_2type(const ModelConfig& config) {
  Model m({.seed = config.seed});
  declare_tree_lstm_leaf(m, config);
  declare_tree_lstm_inner(m, config, "inner");
  declare_tree_lstm_inner(m, config, "inner2");
  declare_output(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
