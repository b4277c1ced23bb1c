#include <cmath>
#include <vector>

#include "ir/op.h"
#include "ops/log_sum_exp.h"

// softmax_cross_entropy(x w + b, label) as one operator, and its gradients by x, w and b. Inputs: x, w, label, b where
// there is one, and last, of the gradients, dy. The pass tile_softmax makes them; attr::Loss is the number of
// the loss in its function, the same for its gradients, so that one instruction computes them together.
namespace cavs {
namespace {

/// The label, which is a class of the product.
IndexInput linear_label() {
  return {.input = 2,
          .limit = [](const Function& f, const Node& node) { return f.nodes[node.in[1]].shape.dims[1]; },
          .declared_as = "softmax_cross_entropy"};
}

std::int64_t label_of_row(const Reference& r, std::int64_t i) { return static_cast<std::int64_t>(r.x[2]->at(i, 0)); }

/// Logits of row `i`; `shared` is the number of inputs that a loss and its gradients share: 3, or 4 with b.
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

double log_sum_exp_of(const std::vector<double>& x) {
  return log_sum_exp(std::ssize(x), [&](std::int64_t j) { return x[j]; });
}

/// Gradient by the logits of row `i`: (softmax - one-hot) * dy, 0 where the label is -1.
std::vector<double> linear_logits_gradient(const Reference& r, std::int64_t i) {
  std::vector<double> g = linear_logits(r, i, static_cast<int>(r.x.size()) - 1);
  const std::int64_t label = label_of_row(r, i);
  if (label < 0) return std::vector<double>(g.size());
  const double dy = r.x.back()->at(i, 0), log_sum = log_sum_exp_of(g);
  for (double& v : g) v = std::exp(v - log_sum) * dy;
  g[label] -= dy;
  return g;
}

/// Calls f(row, k, number of w[k, j], gradient by logit j) for all products x[row, k] w[k, j].
template <typename F>
void each_product(const Reference& r, F f) {
  const auto& x = *r.x[0];
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const std::vector<double> g = linear_logits_gradient(r, i);
    for (std::int64_t k = 0; k < x.width; ++k)
      for (std::int64_t j = 0; j < std::ssize(g); ++j) f(i, k, k * std::ssize(g) + j, g[j]);
  }
}

}  // namespace

extern const OpDef kLinearCrossEntropy{
    .name = "linear_cross_entropy",
    .id = OpId::kLinearCrossEntropy,
    .params = {"x", "w", "label", "b"},
    .attributes = attr::Loss{},
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
            r.y.at(i, 0) = log_sum_exp_of(logits) - logits[label];
          }
        },
    .doc = "softmax_cross_entropy(x w + b, label) without logits in memory: []; b may be left out. index: which loss.",
};

extern const OpDef kLinearCrossEntropyDx{
    .name = "linear_cross_entropy_dx",
    .id = OpId::kLinearCrossEntropyDx,
    .params = {"x", "w", "label", "b", "dy"},
    .attributes = attr::Loss{},
    .kind = OpKind::kLinearLoss,
    .variadic = true,
    .in_public = false,
    .index = linear_label(),
    .infer = [](Inference& i) { i.set_shape({i.in(1).shape.dims[0]}); },
    .reference =
        [](Reference& r) {
          const auto& w = *r.x[1];
          each_product(
              r, [&](std::int64_t i, std::int64_t k, std::int64_t kj, double g) { r.y.at(i, k) += g * w.data[kj]; });
        },
    .doc = "Gradient of linear_cross_entropy by x: [k].",
};

extern const OpDef kLinearCrossEntropyDw{
    .name = "linear_cross_entropy_dw",
    .id = OpId::kLinearCrossEntropyDw,
    .params = {"x", "w", "label", "b", "dy"},
    .attributes = attr::Loss{},
    .kind = OpKind::kLinearLoss,
    .variadic = true,
    .in_public = false,
    .domain = DomainKind::kParameter,
    .index = linear_label(),
    .infer = [](Inference& i) { i.set_shape(i.in(1).shape); },
    .reference =
        [](Reference& r) {
          const auto& x = *r.x[0];
          each_product(
              r, [&](std::int64_t i, std::int64_t k, std::int64_t kj, double g) { r.y.data[kj] += x.at(i, k) * g; });
        },
    .doc = "Gradient of linear_cross_entropy by w, summed over all rows: [k, n].",
};

extern const OpDef kLinearCrossEntropyDb{
    .name = "linear_cross_entropy_db",
    .id = OpId::kLinearCrossEntropyDb,
    .params = {"x", "w", "label", "b", "dy"},
    .attributes = attr::Loss{},
    .kind = OpKind::kLinearLoss,
    .variadic = true,
    .in_public = false,
    .domain = DomainKind::kParameter,
    .index = linear_label(),
    .infer = [](Inference& i) { i.set_shape({i.in(1).shape.dims[1]}); },
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.x[0]->rows; ++i) {
            const std::vector<double> g = linear_logits_gradient(r, i);
            for (std::size_t j = 0; j < g.size(); ++j) r.y.data[j] += g[j];
          }
        },
    .doc = "Gradient of linear_cross_entropy by b, summed over all rows: [n].",
};

}  // namespace cavs
