#include <algorithm>
#include <chrono>
#include <cmath>

#include "cavs/scores.h"
#include "cavs/trainer.h"
#include "ir/function.h"
#include "ir/op.h"
#include "support/check.h"
#include "train/metric_ports.h"
#include "train/port_names.h"
#include "train/tag_scores.h"

namespace cavs {
namespace {

/// Without parents. An output vertex over a vertex stands for that one: it is a root if nothing else reads its child.
bool is_root(const GraphSet& data, std::int32_t sample, std::int64_t v) {
  const auto parents = [&](std::int64_t of) { return data.parent_begin()[of + 1] - data.parent_begin()[of]; };
  if (parents(v) > 0) return false;
  const std::int64_t slot = data.child_begin()[v];
  if (data.child_begin()[v + 1] - slot != 1 || data.children()[slot] < 0) return true;
  return parents(data.vertex_begin()[sample] + data.children()[slot]) == 1;
}

struct Counts {
  std::int64_t labels = 0, right = 0, roots = 0, roots_right = 0;
  TagScores tags;
  std::vector<double> scores_found{}, scores_given{};
};

/// @throws UserError unless every class of the logits has a name (labels are checked to be classes).
void check_tags(const Model& model, std::span<const std::string> tags) {
  std::int32_t classes = 0;
  for (const Function& f : model.functions())
    for (const Node& node : f.nodes)
      if (node.is(OpId::kPush) && node.attribute_name() == kLogits)
        classes = std::max(classes, static_cast<std::int32_t>(node.shape.size()));
  user_check(std::ssize(tags) == classes,
             "F1 of tags: the model has {} classes, {} tags are named; expected a name for each class", classes,
             tags.size());
}

/// Compares predicted classes of one run with the labels, at the vertices that have both.
void count_right(const Run& run, const GraphSet& data, std::span<const std::int32_t> samples, bool tagged,
                 Counts& counts) {
  const int classes = run.width(kLogits);
  const std::vector<const float*> logits = run.rows(kLogits);
  const std::vector<std::int32_t> labels = run.index("label");
  std::vector<std::int32_t> expected, found;  // of a sample
  std::size_t i = 0;
  for (std::int32_t sample : samples) {
    expected.clear(), found.clear();
    for (std::int64_t v = data.vertex_begin()[sample]; v < data.vertex_begin()[sample + 1]; ++v, ++i) {
      const float* const row = logits[i];
      if (labels[i] < 0 || row == nullptr) continue;
      user_check(labels[i] < classes,
                 "'label' of vertex {} of sample {} is {}; the model's '{}' are {} classes, from 0",
                 v - data.vertex_begin()[sample], sample, labels[i], kLogits, classes);
      expected.push_back(labels[i]);
      found.push_back(static_cast<std::int32_t>(std::max_element(row, row + classes) - row));
      const bool right = expected.back() == found.back(), root = is_root(data, sample, v);
      ++counts.labels, counts.right += right;
      counts.roots += root, counts.roots_right += root && right;
    }
    if (tagged) counts.tags.add(expected, found);
  }
}

/// Scores of one run beside those that the data give.
void collect_scores(const Run& run, const GraphSet& data, std::span<const std::int32_t> samples, Counts& counts) {
  const auto port = static_cast<std::size_t>(score_port(data.schema()));
  const std::vector<float> scores = run.output(kScore);
  std::size_t i = 0;
  for (std::int32_t sample : samples)
    for (std::int64_t v = data.vertex_begin()[sample]; v < data.vertex_begin()[sample + 1]; ++v, ++i) {
      if (data.float_present(port)[v] == 0) continue;
      counts.scores_found.push_back(scores[i]);
      counts.scores_given.push_back(data.float_pulls(port)[v]);
    }
}

double mean_squared_error_of(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum / static_cast<double>(x.size());
}

/// What is compared where there is something to compare.
void fill_in(Evaluation& result, const Counts& counts, bool tagged) {
  const auto share = [](std::int64_t right, std::int64_t all) {
    return all == 0 ? Evaluation::kNotAvailable : static_cast<double>(right) / static_cast<double>(all);
  };
  result.accuracy = share(counts.right, counts.labels);
  result.root_accuracy = share(counts.roots_right, counts.roots);
  result.roots = counts.roots;
  if (tagged && counts.labels > 0) result.token_f1 = counts.tags.token_f1(), result.entity_f1 = counts.tags.entity_f1();
  if (counts.scores_found.empty()) return;
  result.pearson = pearson(counts.scores_found, counts.scores_given);
  result.spearman = spearman(counts.scores_found, counts.scores_given);
  result.mean_squared_error = mean_squared_error_of(counts.scores_found, counts.scores_given);
}

}  // namespace

Evaluation evaluate(const Model& model, std::shared_ptr<Parameters> parameters, const GraphSet& data,
                    const SessionOptions& options, int batch_size, std::optional<Metric> metric,
                    std::span<const std::string> tags) {
  user_check(batch_size >= 1, "evaluating {} samples at once; expected at least 1", batch_size);
  const auto start = std::chrono::steady_clock::now();
  if (metric) check_metric(*metric, model, data.schema());
  const bool scored = metric == Metric::kCorrelation, tagged = metric == Metric::kF1;
  const bool by_default = !metric && lacks_of(Metric::kAccuracy, model, data.schema()).empty();
  const bool classified = metric == Metric::kAccuracy || tagged || by_default;
  std::vector<std::string> pushes;
  if (classified) pushes.emplace_back(kLogits);
  if (scored) pushes.emplace_back(kScore);
  const auto program = compile(model, {.training = false, .pushes = std::move(pushes)});
  const auto bound = bind_graphs(program, data);
  if (tagged) check_tags(model, tags);
  Session session(program, std::move(parameters), options);
  Evaluation result;
  Counts counts{.tags = TagScores(tags)};
  double loss_sum = 0;
  std::vector<std::int32_t> samples;
  for (std::int32_t first = 0; first < data.size(); first += batch_size) {
    samples.clear();
    for (std::int32_t s = first; s < std::min(data.size(), first + batch_size); ++s) samples.push_back(s);
    const Run run = session.forward(*bound, samples);
    loss_sum += run.loss() * static_cast<double>(samples.size());
    result.labels += run.labels();
    if (classified) count_right(run, data, samples, tagged, counts);
    if (scored) collect_scores(run, data, samples, counts);
  }
  result.samples = data.size();
  if (result.labels > 0) result.loss = loss_sum / static_cast<double>(result.labels);
  result.perplexity = std::exp(result.loss);
  fill_in(result, counts, tagged);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace cavs
