#include "models/tree_parts.h"

namespace cavs::inline v0_1 {

// Recursive net over parse trees (VPPS, section IV-E) whose leaves have weights of their own, so that words and phrases
// live in spaces of their own (Irsoy and Cardie, NIPS 2014, section 3.1); a class for each vertex.
Model rvnn(const ModelConfig& config) {
  Model m({.seed = config.seed});
  declare_rnn_leaf(m, config);
  declare_rnn_inner(m, config);
  declare_mlp_output(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
