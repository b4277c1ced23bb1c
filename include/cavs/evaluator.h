#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/distributed.h"
#include "cavs/graph.h"
#include "cavs/metric.h"
#include "cavs/model.h"
#include "cavs/parameters.h"
#include "cavs/session_options.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// How good a model is on a data set. A number that was not asked for, or that cannot be computed, is NaN.
struct Evaluation {
  static constexpr double kNotAvailable = std::numeric_limits<double>::quiet_NaN();

  std::int64_t samples = 0, labels = 0, roots = 0;
  double loss = kNotAvailable;           // mean per label (Vertex::loss says which vertices count)
  double perplexity = kNotAvailable;     // exp(loss)
  double accuracy = kNotAvailable;       // of labelled vertices
  double root_accuracy = kNotAvailable;  // of labelled vertices without parents (an output vertex stands for its child)
  double token_f1 = kNotAvailable;       // of tags that are not O
  double entity_f1 = kNotAvailable;      // of entities: begin, end and class
  double pearson = kNotAvailable;        // of predicted and given scores; 0 where either side does not vary
  double spearman = kNotAvailable;
  double mean_squared_error = kNotAvailable;
  double seconds = 0;  // of the forward passes and the counting; compiling is not in it
};

struct EvaluatorOptions {
  SessionOptions session = {};
  int batch_size = 64;
  /// What is computed besides the loss; each metric says which ports it reads (cavs/metric.h). Absent: accuracy,
  /// where it can be computed. With kF1 the labelled vertices of a sample are its tokens, in the order of their
  /// numbers. With kCorrelation the vertices count that have a "score" in the data.
  std::optional<Metric> metric = std::nullopt;
  std::vector<std::string> tags = {};  // names of the classes, for kF1
  std::shared_ptr<Job> job = nullptr;  // ranks that share the minibatches, and all get the numbers of one rank
};

/// Evaluates a model on one data set, which must outlive it, without dropout and gradients. It compiles the model once;
/// each call of evaluate() uses the values that the parameters have then, so training can go on between two calls.
class Evaluator {
 public:
  /// @throws UserError for parameters of another model, naming the first difference; for a label that is no class; and
  /// if the metric cannot be computed of this model and data, naming the port that is missing.
  Evaluator(const Model& model, std::shared_ptr<Parameters> parameters, const GraphSet& data,
            EvaluatorOptions options = {});
  Evaluator(const Model& model, std::shared_ptr<Parameters> parameters, const GraphSet&& data,
            EvaluatorOptions options = {}) = delete;  // would not outlive it
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;
  ~Evaluator();

  /// Cost: one forward pass over the data; values of one minibatch are in memory at a time. Without accuracy the
  /// outputs of a minibatch are not kept. The numbers are the same bits for the same parameters, however often it is
  /// called.
  Evaluation evaluate();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Evaluates once, as Evaluator(model, parameters, data, options).evaluate() does.
Evaluation evaluate(const Model& model, std::shared_ptr<Parameters> parameters, const GraphSet& data,
                    const SessionOptions& options = {}, int batch_size = 64,
                    std::optional<Metric> metric = std::nullopt, std::span<const std::string> tags = {});

// Which epoch is the best, and what follows from it. All of it is computed from a history, one number an epoch, such as
// Checkpoint::metrics keeps: training that is resumed decides as training that never stopped. A NaN is an epoch of
// which nothing is known: it is neither better nor worse.

struct BestEpoch {
  std::int64_t epoch = 0;  // from 1
  double value = 0;
  std::int64_t since = 0;  // epochs after it of which something is known
  bool operator==(const BestEpoch&) const = default;
};

/// The first of several that are equal; none where nothing is known. Cost: linear.
std::optional<BestEpoch> best_epoch(std::span<const double> history, bool lower_is_better);

/// Whether the last epoch completes a plateau: `patience` epochs (at least 1) without a better one, counted anew after
/// each plateau. Reduce the learning rate then (Optimizer::set_rate_factor). Cost: linear.
bool ends_plateau(std::span<const double> history, bool lower_is_better, std::int64_t patience);

/// BLEU of a corpus (Papineni et al., ACL 2002) as sacrebleu counts it with its default settings (Post, WMT 2018;
/// signature case:mixed|eff:no|tok:13a|smooth:exp): clipped n-grams of 1 to 4 tokens, exponential smoothing of orders
/// without a match, brevity penalty against the closest reference. Takes text as it is written, not tokens.
class Bleu {
 public:
  static constexpr int kOrders = 4;

  /// Adds a translation and its references, in UTF-8. Cost: linear in the text.
  void add(std::string_view hypothesis, std::span<const std::string_view> references);
  /// The score of all sentences so far, 0 to 100; 0 if no word is right.
  double score() const;

 private:
  std::array<std::int64_t, kOrders> right_{}, total_{};
  std::int64_t hypothesis_length_ = 0, reference_length_ = 0;
};

/// Pearson's correlation of the pairs (x[i], y[i]); 0 if x or y does not vary, NaN if a number is NaN.
/// @throws UserError unless both have the same length.
double pearson(std::span<const double> x, std::span<const double> y);

/// Spearman's correlation: Pearson's correlation of the ranks, where equal values share their mean rank. Cost: two
/// sorts.
/// @throws UserError unless both have the same length.
double spearman(std::span<const double> x, std::span<const double> y);

}  // namespace v0_1
}  // namespace cavs
