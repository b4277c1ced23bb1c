#include "models/tree_parts.h"

namespace cavs {

// Recursive net over parse trees (VPPS, section IV-E) whose leaves have weights of their own, so that words and phrases
// live in spaces of their own (Irsoy and Cardie, NIPS 2014, section 3.1); a class for each vertex.
Model rvnn(const ModelSizes& s) {
  Model m({.seed = s.seed});
  declare_rnn_leaf(m, s);
  declare_rnn_inner(m, s);
  declare_mlp_output(m, s);
  return m;
}

}  // namespace cavs
