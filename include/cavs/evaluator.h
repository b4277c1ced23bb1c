#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cavs/graph.h"
#include "cavs/metric.h"
#include "cavs/model.h"
#include "cavs/parameters.h"
#include "cavs/session_options.h"

namespace cavs {

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
  /// What is computed besides the loss; each metric says which ports it reads (cavs/metric.h). Absent: accuracy, where
  /// it can be computed. With kF1 the labelled vertices of a sample are its tokens, in the order of their numbers.
  /// With kCorrelation the vertices count that have a "score" in the data.
  std::optional<Metric> metric = std::nullopt;
  std::vector<std::string> tags = {};  // names of the classes, for kF1
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

}  // namespace cavs
