#include "cavs/evaluator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>

#include "cavs/compile.h"
#include "cavs/session.h"
#include "ir/function.h"
#include "ir/op.h"
#include "support/check.h"
#include "train/metric_ports.h"
#include "train/port_names.h"
#include "train/rank_sum.h"
#include "train/tag_scores.h"

namespace cavs::inline v0_1 {
namespace {

/// True for a vertex without parents. An output vertex is a root only if its single child has no other parent.
bool is_root(const GraphSet& data, std::int32_t sample, std::int64_t v) {
  const auto parents = [&](std::int64_t of) { return data.parent_begin()[of + 1] - data.parent_begin()[of]; };
  if (parents(v) > 0) return false;
  const std::int64_t slot = data.child_begin()[v];
  if (data.child_begin()[v + 1] - slot != 1 || data.children()[slot] < 0) return true;
  return parents(data.vertex_begin()[sample] + data.children()[slot]) == 1;
}

struct Counts {
  std::int64_t of_loss = 0;  // number of labels by which the loss is divided (Vertex::loss)
  std::int64_t labels = 0, right = 0, roots = 0, roots_right = 0;
  TagScores tags;
  std::vector<double> losses{};                        // [minibatches]: sum of the losses
  std::vector<double> scores_found{}, scores_given{};  // [vertices with a true score]: predicted and true scores
};

template <typename T>
void append(const std::vector<T>& from, std::vector<std::byte>& to) {
  const std::uint64_t size = from.size();
  const auto add = [&](std::span<const std::byte> bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); };
  add(std::as_bytes(std::span(&size, 1)));
  add(std::as_bytes(std::span(from)));
}

/// Removes a vector from the front of `from`. @throws UserError unless `from` begins with the output of append().
template <typename T>
std::vector<T> take(std::span<const std::byte>& from) {
  std::uint64_t size = 0;
  user_check(from.size() >= sizeof size, "the other ranks sent a truncated evaluation");
  std::memcpy(&size, from.data(), sizeof size);
  from = from.subspan(sizeof size);
  user_check(size <= from.size() / sizeof(T), "the other ranks sent a truncated evaluation");
  std::vector<T> taken(size);
  if (size > 0) std::memcpy(taken.data(), from.data(), size * sizeof(T));
  from = from.subspan(size * sizeof(T));
  return taken;
}

/// Replaces the counts of this rank by the sums over all ranks. Lists are joined in the order of the minibatches.
void gather(Job& job, const EvaluatorOptions& options, Counts& counts) {
  const TagScores::Counted tags = counts.tags.counts();
  std::vector<std::int64_t> numbers{counts.of_loss, counts.labels, counts.right, counts.roots, counts.roots_right};
  numbers.insert(numbers.end(), tags.begin(), tags.end());
  std::vector<std::byte> mine;
  append(numbers, mine);
  for (const auto* list : {&counts.losses, &counts.scores_found, &counts.scores_given}) append(*list, mine);
  counts = Counts{.tags = TagScores(options.class_names)};
  for (const std::vector<std::byte>& bytes : job.meet("the evaluation", mine)) {
    std::span<const std::byte> rest = bytes;
    const auto of_rank = take<std::int64_t>(rest);
    user_check(of_rank.size() == numbers.size(), "the other ranks sent an evaluation of {} counts; expected {}",
               of_rank.size(), numbers.size());
    counts.of_loss += of_rank[0];
    counts.labels += of_rank[1];
    counts.right += of_rank[2];
    counts.roots += of_rank[3];
    counts.roots_right += of_rank[4];
    TagScores::Counted of_tags;
    std::copy_n(of_rank.end() - of_tags.size(), of_tags.size(), of_tags.begin());
    counts.tags.add(of_tags);
    for (auto* list : {&counts.losses, &counts.scores_found, &counts.scores_given}) {
      const auto more = take<double>(rest);
      list->insert(list->end(), more.begin(), more.end());
    }
  }
}

/// @throws UserError unless every class of the logits has a name. (Labels are checked elsewhere.)
void check_tags(const Model& model, std::span<const std::string> tags) {
  std::int32_t classes = 0;
  for (const Function& f : model.functions())
    for (const Node& node : f.nodes)
      if (node.is(OpId::kPush) && node.attribute_name() == kLogits)
        classes = std::max(classes, static_cast<std::int32_t>(node.shape.size()));
  user_check(std::ssize(tags) == classes,
             "F1 of tags: the model has {} classes, but {} tags are named; expected a name for each class", classes,
             tags.size());
}

/// Counts labels and right classes of one run, at vertices with a label and logits; if `tagged`, also right tags.
void count_right(const Run& run, const GraphSet& data, std::span<const std::int32_t> samples, bool tagged,
                 Counts& counts) {
  const int classes = run.width(kLogits);
  const std::vector<const float*> logits = run.rows(kLogits);
  const std::vector<std::int32_t> labels = run.index("label");
  std::vector<std::int32_t> expected, found;  // [labelled vertices of a sample]: true and predicted class
  std::size_t i = 0;
  for (std::int32_t sample : samples) {
    expected.clear();
    found.clear();
    for (std::int64_t v = data.vertex_begin()[sample]; v < data.vertex_begin()[sample + 1]; ++v, ++i) {
      const float* const row = logits[i];
      if (labels[i] < 0 || row == nullptr) continue;
      user_check(labels[i] < classes,
                 "'label' of vertex {} of sample {} is {}; the model's '{}' are {} classes, from 0",
                 v - data.vertex_begin()[sample], sample, labels[i], kLogits, classes);
      expected.push_back(labels[i]);
      found.push_back(static_cast<std::int32_t>(std::max_element(row, row + classes) - row));
      const bool right = expected.back() == found.back(), root = is_root(data, sample, v);
      ++counts.labels;
      counts.right += right;
      counts.roots += root;
      counts.roots_right += root && right;
    }
    if (tagged) counts.tags.add(expected, found);
  }
}

/// Collects the scores of one run, and the true scores in the data.
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

/// Computes the scores in `result` from the counts, as far as possible.
void fill_in(Evaluation& result, const Counts& counts, bool tagged) {
  const auto share = [](std::int64_t right, std::int64_t all) {
    return all == 0 ? Evaluation::kNotAvailable : static_cast<double>(right) / static_cast<double>(all);
  };
  result.accuracy = share(counts.right, counts.labels);
  result.root_accuracy = share(counts.roots_right, counts.roots);
  result.roots = counts.roots;
  if (tagged && counts.labels > 0) {
    result.token_f1 = counts.tags.token_f1();
    result.entity_f1 = counts.tags.entity_f1();
  }
  if (counts.scores_found.empty()) return;
  result.pearson = pearson(counts.scores_found, counts.scores_given);
  result.spearman = spearman(counts.scores_found, counts.scores_given);
  result.mean_squared_error = mean_squared_error_of(counts.scores_found, counts.scores_given);
}

/// The outputs of a run that are compared with the data: logits with labels, scores, and tags (which are also classes).
struct Compared {
  bool classes, scores, tags;
};

Compared compared_by(const std::optional<Metric>& metric, const Model& model, const GraphSchema& schema) {
  if (!metric) return {missing_for(Metric::kAccuracy, model, schema).empty(), false, false};
  const bool tags = metric == Metric::kF1;
  return {tags || metric == Metric::kAccuracy, metric == Metric::kCorrelation, tags};
}

/// Compiles the forward pass, with only the pushes that are compared.
std::shared_ptr<const Program> compile_for(const Model& model, const Compared& compared) {
  std::vector<std::string> pushes;
  if (compared.classes) pushes.emplace_back(kLogits);
  if (compared.scores) pushes.emplace_back(kScore);
  return compile(model, {.training = false, .pushes = std::move(pushes)});
}

EvaluatorOptions checked(EvaluatorOptions options, const Model& model, const GraphSchema& schema) {
  user_check(options.batch_size >= 1, "the batch size of an evaluation is {}; expected at least 1", options.batch_size);
  if (options.metric) check_metric(*options.metric, model, schema);
  return options;
}

}  // namespace

struct Evaluator::Impl {
  Impl(const Model& model, std::shared_ptr<Parameters> parameters, const GraphSet& d, EvaluatorOptions o)
      : data(d),
        options(checked(std::move(o), model, d.schema())),
        compared(compared_by(options.metric, model, d.schema())),
        program(compile_for(model, compared)),
        bound(bind_graphs(program, d)),
        session(program, std::move(parameters), options.session) {
    if (compared.tags) check_tags(model, options.class_names);
  }

  /// Evaluates a minibatch and adds its counts.
  void add(std::span<const std::int32_t> samples, Counts& counts) {
    const Run run = session.forward(*bound, samples);
    counts.of_loss += run.labels();
    if (compared.classes) count_right(run, data, samples, compared.tags, counts);
    if (compared.scores) collect_scores(run, data, samples, counts);
    counts.losses.push_back(run.loss() * static_cast<double>(samples.size()));
  }

  /// Adds the minibatches of this rank.
  void add_minibatches(Counts& counts) {
    const std::int64_t size = data.size(), batch_size = options.batch_size;
    const std::int64_t minibatches = (size + batch_size - 1) / batch_size;
    const RankSum::Range share = options.job == nullptr
                                     ? RankSum::Range{0, minibatches}
                                     : share_of(minibatches, options.job->rank(), options.job->ranks());
    std::vector<std::int32_t> samples;
    for (std::int64_t m = share.begin; m < share.end; ++m) {
      samples.resize(static_cast<std::size_t>(std::min(batch_size, size - m * batch_size)));
      std::iota(samples.begin(), samples.end(), static_cast<std::int32_t>(m * batch_size));
      add(samples, counts);
    }
  }

  const GraphSet& data;
  EvaluatorOptions options;
  Compared compared;
  std::shared_ptr<const Program> program;
  std::shared_ptr<const BoundGraphs> bound;
  Session session;
};

Evaluator::Evaluator(const Model& model, std::shared_ptr<Parameters> parameters, const GraphSet& data,
                     EvaluatorOptions options)
    : impl_(std::make_unique<Impl>(model, std::move(parameters), data, std::move(options))) {}
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;
Evaluator::~Evaluator() = default;

Evaluation Evaluator::evaluate() {
  const auto start = std::chrono::steady_clock::now();
  const EvaluatorOptions& options = impl_->options;
  Counts counts{.tags = TagScores(options.class_names)};
  const auto add = [&] { impl_->add_minibatches(counts); };
  if (options.job == nullptr)
    add();
  else {
    options.job->guard(add);
    gather(*options.job, options, counts);
  }
  Evaluation result;
  result.samples = impl_->data.size();
  result.labels = counts.of_loss;
  const double loss_sum = std::accumulate(counts.losses.begin(), counts.losses.end(), 0.0);
  if (result.labels > 0) result.loss = loss_sum / static_cast<double>(result.labels);
  result.perplexity = std::exp(result.loss);
  fill_in(result, counts, impl_->compared.tags);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

Evaluation evaluate(const Model& model, std::shared_ptr<Parameters> parameters, const GraphSet& data,
                    const SessionOptions& options, int batch_size, std::optional<Metric> metric,
                    std::span<const std::string> class_names) {
  return Evaluator(model, std::move(parameters), data,
                   {options, batch_size, metric, {class_names.begin(), class_names.end()}})
      .evaluate();
}

}  // namespace cavs::inline v0_1
