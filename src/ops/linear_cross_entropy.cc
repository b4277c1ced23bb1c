#include "ops/linear_cross_entropy.h"

#include <algorithm>
#include <cmath>

namespace cavs {

extern const OpDef kLinearCrossEntropy;

int shared_inputs(const Node& node) {
  return static_cast<int>(node.in.size()) - (node.op == &kLinearCrossEntropy ? 0 : 1);
}

IndexInput linear_label() {
  return {.input = 2,
          .limit = [](const Function& f, const Node& node) { return f.nodes[node.in[1]].shape.dims[1]; },
          .declared_as = "softmax_cross_entropy"};
}

std::vector<double> linear_logits(const Reference& r, std::int64_t i, int shared) {
  const auto &x = *r.x[0], &w = *r.x[1];
  const std::int64_t classes = w.width / x.width;
  std::vector<double> logits(static_cast<std::size_t>(classes));
  for (std::int64_t j = 0; j < classes; ++j) {
    for (std::int64_t k = 0; k < x.width; ++k) logits[j] += x.at(i, k) * w.data[k * classes + j];
    if (shared == 4) logits[j] += r.x[3]->data[j];
  }
  return logits;
}

namespace {

double log_sum_exp(const std::vector<double>& x) {
  const double largest = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (double v : x) sum += std::exp(v - largest);
  return std::log(sum) + largest;
}

std::int64_t label_of_row(const Reference& r, std::int64_t i) { return static_cast<std::int64_t>(r.x[2]->at(i, 0)); }

}  // namespace

std::vector<double> linear_logits_gradient(const Reference& r, std::int64_t i) {
  std::vector<double> g = linear_logits(r, i, static_cast<int>(r.x.size()) - 1);
  const std::int64_t label = label_of_row(r, i);
  if (label < 0) return std::vector<double>(g.size());
  const double dy = r.x.back()->at(i, 0), log_sum = log_sum_exp(g);
  for (double& v : g) v = std::exp(v - log_sum) * dy;
  g[label] -= dy;
  return g;
}

extern const OpDef kLinearCrossEntropy{
    .name = "linear_cross_entropy",
    .params = {"x", "w", "label", "b"},
    .kind = OpKind::kLinearLoss,
    .variadic = true,
    .in_public = false,
    .index = linear_label(),
    .infer = [](Inference& i) { i.set_shape({}); },
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i) {
            const std::int64_t label = label_of_row(r, i);
            if (label < 0) continue;
            const std::vector<double> logits = linear_logits(r, i, static_cast<int>(r.x.size()));
            r.y.at(i, 0) = log_sum_exp(logits) - logits[label];
          }
        },
    .doc = "softmax_cross_entropy(x w + b, label) without logits in memory: []; b may be left out. index: which loss.",
};

}  // namespace cavs
