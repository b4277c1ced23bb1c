#include "cavs/layers.h"
#include "models/tree_parts.h"

namespace cavs::inline v0_1 {

// Tree-GRU (Kokkinos and Potamianos, EACL 2017, section 3.1) in the form of ED-Batch's TreeGRU cells: a leaf is a GRU
// step of its word from a zero state; an inner vertex is the mean of two GRU steps, one per child, each with its own
// weights. As in Cho et al. (EMNLP 2014), z is the weight of the old state, and the reset gate precedes the product.
Model tree_gru(const ModelConfig& config) {
  Model m({.seed = config.seed});
  const int d = config.embedding, h = config.hidden;
  auto E = m.lookup("embedding", {config.vocabulary, d});
  auto W = m.parameter("W", {d, 2 * h}), b = m.parameter("b", {2 * h}, zeros());
  auto Ul = m.parameter("Ul", {h, 2 * h}), bl = m.parameter("bl", {2 * h}, zeros());
  auto Ur = m.parameter("Ur", {h, 2 * h}), br = m.parameter("br", {2 * h}, zeros());
  auto Cl = m.parameter("Cl", {h, h}), cl = m.parameter("cl", {h}, zeros());
  auto Cr = m.parameter("Cr", {h, h}), cr = m.parameter("cr", {h}, zeros());

  m.vertex_function("leaf", [&](Vertex& v) {
    auto [z, c] = split<2>(E(v.pull_index("word")) * W + b);
    v.scatter("h", (1 - sigmoid(z)) * tanh(c));
  });
  m.vertex_function("inner", [&](Vertex& v) {
    auto left = gru_step(bl, cl, v.gather(0, "h"), Ul, Cl), right = gru_step(br, cr, v.gather(1, "h"), Ur, Cr);
    v.scatter("h", (left + right) * 0.5);
  });
  declare_output(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
