#include "models/classes.h"
#include "models/tree_parts.h"

namespace cavs::inline v0_1 {
namespace {

// The distribution over 1 .. classes whose mean is the score, nonzero only at the two integers next to it.
Value distribution_of(const Value& score, int classes) {
  std::vector<Value> parts;
  for (int i = 1; i <= classes; ++i) parts.push_back(relu(1 - abs(score - i)));
  return concat(parts);
}

Value mean_of(const Value& distribution, int classes) {
  auto mean = slice(distribution, 0, 1);
  for (int i = 1; i < classes; ++i) mean = mean + slice(distribution, i, 1) * (i + 1);
  return mean;
}

}  // namespace

// Semantic relatedness of two sentences (Tai et al., ACL 2015, section 4.2, equation 15): a child-sum Tree-LSTM over
// each tree, then a layer over the product and the distance of the two root states. The loss is the Kullback-Leibler
// divergence from the distribution of the score.
Model tree_lstm_relatedness(const ModelConfig& config) {
  Model m({.seed = config.seed});
  const int h = config.hidden;
  m.vertex_function("node", [&](Vertex& v) { child_sum_lstm(m, config, v); });

  auto Wx = m.parameter("Wx", {h, h}), Wd = m.parameter("Wd", {h, h}), b = m.parameter("bx", {h}, zeros());
  m.vertex_function("pair", [&](Vertex& v) {
    auto left = v.gather(0, "h"), right = v.gather(1, "h");
    auto y = sigmoid((left * right) * Wx + abs(left - right) * Wd + b);
    auto logits = class_scores(m, config, y);
    auto target = distribution_of(v.pull("score", 1), config.classes);
    v.push("logits", logits);
    v.push("score", mean_of(softmax(logits), config.classes));
    auto divergence = dot(target, log(max(target, v.constant(1e-30))) - log_softmax(logits));  // 0 log 0 is 0
    v.loss(v.where_present("score", divergence));
  });
  return m;
}

}  // namespace cavs::inline v0_1
