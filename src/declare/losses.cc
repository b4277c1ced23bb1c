#include <algorithm>
#include <cmath>
#include <numeric>

#include "cavs/layers.h"
#include "ir/builder.h"
#include "ir/presence.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kMostWeights = 1'000;

/// Returns the loss at vertices where the ports that `target` reads have input; else 0.
Value where_given(const Value& loss, const Value& target) { return where_present(loss, ports_read(target)); }

/// Returns the mean of the errors over the features with `present` = 1; 0 if there is none.
Value mean_of_present(const Value& errors, const Value& present) {
  const Value count = sum_features(present);
  FunctionBuilder& builder = builder_of("mean_squared_error", errors);
  const Value one = builder.apply(OpId::kConstant, {}, attr::Constant{.number = 1, .shape = {}});
  return sum_features(errors * present) / max(count, one);
}

/// Returns the binary cross-entropy of each feature, in a form in which no exponential overflows.
Value binary_cross_entropies(const Value& x, const Value& target, double positive_weight) {
  user_check(std::isfinite(positive_weight) && positive_weight >= 0,
             "[binary_cross_entropy] the weight of positive targets is {}; expected 0 or more", positive_weight);
  const Value softplus_of_minus = log(exp(-abs(x)) + 1) + relu(-x);
  return x * (1 - target) + softplus_of_minus * ((positive_weight - 1) * target + 1);
}

Value weights_value(FunctionBuilder& builder, const std::vector<float>& weights) {
  std::vector<Value> numbers;
  numbers.reserve(weights.size());
  for (const float weight : weights)
    numbers.push_back(builder.apply(OpId::kConstant, {}, attr::Constant{.number = weight, .shape = {1}}));
  return concat(numbers);
}

void check(const CrossEntropyOptions& options, std::int64_t classes) {
  const auto& weights = options.class_weights;
  user_check(options.label_smoothing >= 0 && options.label_smoothing <= 1,
             "[softmax_cross_entropy] the label smoothing is {}; expected 0 to 1", options.label_smoothing);
  if (weights.empty()) return;
  user_check(std::ssize(weights) == classes && weights.size() <= kMostWeights,
             "[softmax_cross_entropy] {} class weights for {} classes; expected one per class, at most {}",
             weights.size(), classes, kMostWeights);
  const auto bad = std::ranges::find_if(weights, [](float w) { return !std::isfinite(w) || w < 0; });
  user_check(bad == weights.end(), "[softmax_cross_entropy] the weight of class {} is {}; expected 0 or more",
             bad - weights.begin(), bad == weights.end() ? 0 : *bad);
}

}  // namespace

Value softmax_cross_entropy(const Value& logits, const IndexValue& label, const CrossEntropyOptions& options) {
  const Value plain = softmax_cross_entropy(logits, label);
  if (options.class_weights.empty() && options.label_smoothing == 0) return plain;
  FunctionBuilder& builder = builder_of("softmax_cross_entropy", logits);
  const auto classes = builder.function().nodes[logits.id()].shape.size();
  check(options, classes);
  const std::vector<float> ones(static_cast<std::size_t>(classes), 1.0F);
  const bool weighted = !options.class_weights.empty();
  const Value chosen = one_hot(label, static_cast<int>(classes));  // zeros if the label is absent
  const double smoothing = options.label_smoothing;
  const Value weights = weighted ? weights_value(builder, options.class_weights) : Value();
  const Value loss = weighted ? plain * dot(chosen, weights) : plain;
  if (smoothing == 0) return loss;
  // Smoothing needs, at vertices with a label, the sum over all classes of weight * -log softmax(logits), which is
  // log_sum * total - sum. log_sum, the log-sum-exp of the logits, is the plain loss plus the label's logit.
  const Value log_sum = plain + dot(chosen, logits), labelled = sum_features(chosen);
  double total = static_cast<double>(classes);
  if (weighted) total = std::accumulate(options.class_weights.begin(), options.class_weights.end(), 0.0);
  const Value sum = weighted ? dot(logits, weights) : sum_features(logits);
  return loss * (1 - smoothing) + (log_sum * total - labelled * sum) * (smoothing / static_cast<double>(classes));
}

Value binary_cross_entropy(const Value& logits, const Value& target, double positive_weight) {
  return where_given(mean_features(binary_cross_entropies(logits, target, positive_weight)), target);
}

Value binary_cross_entropy(const Value& logits, const Value& target, const Value& present, double positive_weight) {
  return where_given(mean_of_present(binary_cross_entropies(logits, target, positive_weight), present), target);
}

Value mean_squared_error(const Value& x, const Value& target, const Value& present) {
  return where_given(mean_of_present(square(x - target), present), target);
}

Value margin_ranking(const Value& first, const Value& second, const Value& order, double margin) {
  user_check(std::isfinite(margin), "[margin_ranking] the margin is {}; expected a finite number", margin);
  return where_given(relu(margin - order * (first - second)), order);
}

}  // namespace cavs::inline v0_1
