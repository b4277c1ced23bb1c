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

/// Scores of a model on a data set. A number that was not requested, or cannot be computed, is NaN.
struct Evaluation {
  static constexpr double kNotAvailable = std::numeric_limits<double>::quiet_NaN();

  std::int64_t samples = 0, labels = 0, roots = 0;  // roots: labelled vertices that count in root_accuracy
  double loss = kNotAvailable;                      // mean per label (Vertex::loss says which vertices count)
  double perplexity = kNotAvailable;                // exp(loss)
  double accuracy = kNotAvailable;                  // share of labelled vertices whose class is predicted correctly
  double root_accuracy = kNotAvailable;  // like accuracy, for vertices without parents (an output counts as its child)
  double token_f1 = kNotAvailable;       // F1 of tokens whose tag is not O
  double entity_f1 = kNotAvailable;      // F1 of entities; begin, end and class must be right
  double pearson = kNotAvailable;        // correlation of predicted and true scores; 0 if either is constant
  double spearman = kNotAvailable;
  double mean_squared_error = kNotAvailable;
  double seconds = 0;  // time of the forward passes and of counting, without compilation
};

struct EvaluatorOptions {
  SessionOptions session = {};
  int batch_size = 64;  // samples per minibatch
  /// The metric to compute besides the loss; cavs/metric.h lists the ports that each metric reads. If absent, accuracy
  /// is computed where possible. For kF1, the tokens of a sample are its labelled vertices, in ascending order. For
  /// kCorrelation, the vertices that have a "score" in the data are compared.
  std::optional<Metric> metric = std::nullopt;
  std::vector<std::string> class_names = {};  // for kF1
  std::shared_ptr<Job> job = nullptr;  // ranks that share the minibatches; every rank gets the same, complete results
};

/// Evaluates a model on one data set, without dropout and gradients. The data must outlive the evaluator. The model is
/// compiled once. Each evaluate() uses the current values of the parameters, so training can continue between calls.
class Evaluator {
 public:
  /// @throws UserError for parameters of another model, naming the first difference; for a label out of range; and if
  /// the model or the data lack a port that the metric needs, naming the port.
  Evaluator(const Model& model, std::shared_ptr<Parameters> parameters, const GraphSet& data,
            EvaluatorOptions options = {});
  Evaluator(const Model& model, std::shared_ptr<Parameters> parameters, const GraphSet&& data,
            EvaluatorOptions options = {}) = delete;  // refuses a temporary
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;
  ~Evaluator();

  /// Cost: one forward pass over the data. Memory holds the values of one minibatch at a time, without outputs if
  /// accuracy is not computed. Equal parameters give bit-identical results.
  Evaluation evaluate();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Evaluates once, as Evaluator(model, parameters, data, options).evaluate() does.
Evaluation evaluate(const Model& model, std::shared_ptr<Parameters> parameters, const GraphSet& data,
                    const SessionOptions& options = {}, int batch_size = 64,
                    std::optional<Metric> metric = std::nullopt, std::span<const std::string> class_names = {});

// Selection of the best epoch. All decisions depend only on a history of one number per epoch. Checkpoint::metrics
// contains the history, so resumed training decides like uninterrupted training. NaN marks an epoch without a value,
// which is neither better nor worse than other epochs.

struct BestEpoch {
  std::int64_t epoch = 0;  // number of the epoch, from 1
  double value = 0;        // its value in the history
  std::int64_t since = 0;  // number of later epochs that have a value
  bool operator==(const BestEpoch&) const = default;
};

/// Returns the best epoch, or the first of several equally good ones; absent if no epoch has a value. Cost: linear.
std::optional<BestEpoch> best_epoch(std::span<const double> history, bool lower_is_better);

/// True if the last epoch completes a plateau, so that it is time to reduce the learning rate
/// (Optimizer::set_rate_factor). A plateau is `patience` epochs (at least 1) without a better one. After a plateau,
/// counting starts again. Cost: linear.
bool ends_plateau(std::span<const double> history, bool lower_is_better, std::int64_t patience);

/// BLEU of a corpus (Papineni et al., ACL 2002) as sacrebleu counts it with its default settings (Post, WMT 2018;
/// signature case:mixed|eff:no|tok:13a|smooth:exp): clipped counts of n-grams of 1 to 4 tokens, exponential smoothing
/// of lengths n without a match, and a penalty for translations shorter than the closest reference. The input is plain
/// text, not tokens.
class Bleu {
 public:
  static constexpr int kOrders = 4;

  /// Adds a translation and its references, in UTF-8. Cost: linear in the text.
  void add(std::string_view hypothesis, std::span<const std::string_view> references);
  /// The score of all sentences added, 0 to 100; 0 if no word matches.
  double score() const;

 private:
  std::array<std::int64_t, kOrders> right_{}, total_{};
  std::int64_t hypothesis_length_ = 0, reference_length_ = 0;
};

/// Pearson's correlation of the pairs (x[i], y[i]); 0 if x or y is constant, NaN if a number is NaN.
/// @throws UserError unless both have the same length.
double pearson(std::span<const double> x, std::span<const double> y);

/// Spearman's correlation: Pearson's correlation of the ranks, where equal values share their mean rank. Cost: two
/// sorts.
/// @throws UserError unless both have the same length.
double spearman(std::span<const double> x, std::span<const double> y);

}  // namespace v0_1
}  // namespace cavs
