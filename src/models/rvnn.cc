#include "models/tree_parts.h"

namespace cavs::inline v0_1 {

// Recursive net over parse trees (VPPS, section IV-E) with separate weights for leaves, so that words and phrases have
// separate spaces (Irsoy and Cardie, NIPS 2014, section 3.1). Predicts a class for each vertex.
Model rvnn(const ModelConfig& config) {
  Model m({.seed = config.seed});
  declare_rnn_leaf(m, config);
  declare_rnn_inner(m, config);
  declare_mlp_output(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
