#include "models/tree_parts.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr int kRank = 3;  // Socher et al., section 2.5

/// The matrix of a word, initially the identity plus noise, as in the paper. It has the form U V + diag(a), so that the
/// table is small; ED-Batch's benchmark looks up whole matrices.
Value word_matrix(Model& m, const ModelConfig& config, const IndexValue& word) {
  const int h = config.hidden, v = config.vocabulary;
  if (config.ed_batch) return reshape(m.lookup("matrices", {v, h * h})(word), {h, h});
  auto left = m.lookup("left", {v, h * kRank})(word), right = m.lookup("right", {v, kRank * h})(word);
  auto a = m.lookup("diagonal", {v, h}, Initializer::constant(1))(word);
  return batch_matmul(reshape(left, {h, kRank}), reshape(right, {kRank, h})) + diagonal(a);
}

}  // namespace

// MV-RNN (Socher et al., EMNLP 2012, sections 2.2 to 2.5): a vector and a matrix per vertex, v = tanh(W [M1 v2; M2 v1]
// + b), M = Wm [M1; M2] + B (B is from ED-Batch's MVCell, not from the paper). The state "M" is the transpose, so that
// its rows are multiplied by parameters, and vectors are row vectors.
Model mv_rnn(const ModelConfig& config) {
  Model m({.seed = config.seed});
  const int h = config.hidden;
  user_check(h <= 16'384, "mv-rnn: hidden is {}, so a matrix has {} numbers; expected at most 16384", h,
             std::int64_t{h} * h);
  auto E = m.lookup("embedding", {config.vocabulary, h});
  auto Wl = m.parameter("Wl", {h, h}), Wr = m.parameter("Wr", {h, h}), b = m.parameter("b", {h}, zeros());
  const auto half = Initializer::xavier_uniform(0.7F);  // so that the sum of two products has the scale of one product
  auto Ml = m.parameter("Ml", {h, h}, half), Mr = m.parameter("Mr", {h, h}, half),
       B = m.parameter("B", {h, h}, zeros());

  m.vertex_function("leaf", [&](Vertex& v) {
    auto word = v.pull_index("word");
    v.scatter("h", E(word));
    v.scatter("M", word_matrix(m, config, word));
  });
  m.vertex_function("inner", [&](Vertex& v) {
    auto left = v.gather(0, "M"), right = v.gather(1, "M");
    v.scatter("h", tanh(batch_matmul(v.gather(1, "h"), left) * Wl + batch_matmul(v.gather(0, "h"), right) * Wr + b));
    v.scatter("M", batch_matmul(left, Ml) + batch_matmul(right, Mr) + B);
  });
  declare_output(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
