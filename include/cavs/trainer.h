#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cavs/checkpoint.h"
#include "cavs/data.h"
#include "cavs/graph.h"
#include "cavs/metric.h"
#include "cavs/model.h"
#include "cavs/optimizer.h"
#include "cavs/session.h"

namespace cavs {

struct TrainOptions {
  int batch_size = 64;
  bool shuffle = true;  // by (seed, epoch); off: file order
  // Groups samples of similar size (vertices) into a minibatch: sorts so many minibatches of shuffled samples, then
  // shuffles the minibatches. 0 disables.
  std::int64_t buckets = 0;
  std::int64_t shuffle_buffer = 10'000;  // samples of a stream in memory; the next sample is drawn from them
  double clip_norm = 0;                  // 0: no clipping
  std::uint64_t seed = 1;                // of the order of samples and of dropout
  OptimizerOptions optimizer = {};
  /// Called in every step with the gradients, before they are clipped: see UpdateOptions::reduce.
  std::function<void(Gradients&)> reduce = {};
  SessionOptions session = {};  // its seed is replaced by `seed`
  std::vector<std::string> disabled_passes = {};
};

/// What one minibatch did.
struct TrainStep {
  std::int64_t samples = 0, labels = 0;
  double loss_sum = 0;       // over vertices
  double loss = 0;           // loss_sum / samples; gradients are of this
  double gradient_norm = 0;  // before clipping
  double learning_rate = 0;
  double forward_ms = 0, backward_ms = 0, update_ms = 0;
  RunStatistics statistics;
};

/// How good a model is on a data set. What was not asked for, or cannot be computed, is NaN: nothing to compare with.
struct Evaluation {
  static constexpr double kNotAvailable = std::numeric_limits<double>::quiet_NaN();

  std::int64_t samples = 0, labels = 0, roots = 0;
  double loss = kNotAvailable;           // mean a label (Vertex::loss says which vertices count)
  double perplexity = kNotAvailable;     // exp(loss)
  double accuracy = kNotAvailable;       // of labelled vertices
  double root_accuracy = kNotAvailable;  // of labelled vertices without parents, and of output vertices over such
  double token_f1 = kNotAvailable;       // of tags that are not O
  double entity_f1 = kNotAvailable;      // of entities: begin, end and class
  double pearson = kNotAvailable;        // of scores, found and given; 0 where either side does not vary
  double spearman = kNotAvailable;
  double mean_squared_error = kNotAvailable;
  double seconds = 0;
};

/// Trains a model on one data set, which must outlive it.
///
/// Same seed, data and options: the same bits, whatever the thread count; restored from a checkpoint at any step, the
/// same bits as never having stopped.
class Trainer {
 public:
  Trainer(const Model& model, const GraphSet& data, TrainOptions options);
  Trainer(const Model& model, const GraphSet&& data, TrainOptions options) = delete;  // would not outlive it
  /// Trains on a stream, of which at most `shuffle_buffer` samples and two minibatches are in memory; without `shuffle`
  /// in its own order. Restoring reads it up to the position of the checkpoint. @throws UserError for `buckets`.
  Trainer(const Model& model, std::shared_ptr<SampleStream> stream, TrainOptions options);
  ~Trainer();

  /// Trains on the next minibatch; a minibatch ends with its epoch.
  /// @throws UserError if the loss or a gradient is not finite, naming function, value and minibatch; parameters are
  /// then as before the step.
  TrainStep step();

  /// Epoch, and samples of it that are done. After the last sample of an epoch: the next epoch, sample 0.
  const Checkpoint::Position& position() const;
  std::int64_t steps_per_epoch() const;

  Parameters& parameters();
  Optimizer& optimizer();
  const Program& program() const;
  Session& session();

  /// Parameters, optimiser, seed, position and F. The caller adds vocabulary and data.
  void capture(Checkpoint& checkpoint) const;
  /// @throws UserError if the checkpoint is of another model, optimiser or seed; nothing has then been changed.
  void restore(const Checkpoint& checkpoint);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Evaluates without dropout and gradients. @throws UserError for parameters of another model, naming the first
/// difference, or a label that is no class. Cost: one forward pass; values of one minibatch at a time. Without accuracy
/// the outputs of a minibatch are not kept.
/// Each metric says which ports it reads (cavs/metric.h); without one it is accuracy, where that can be computed.
/// By kF1 the labelled vertices of a sample are its tokens, in the order of their numbers, and `tags` names the
/// classes. By kCorrelation the vertices count that have a "score" in the data.
/// @throws UserError if `metric` cannot be computed of this model and data, naming the port that is missing.
Evaluation evaluate(const Model& model, std::shared_ptr<Parameters> parameters, const GraphSet& data,
                    const SessionOptions& options = {}, int batch_size = 64,
                    std::optional<Metric> metric = std::nullopt, std::span<const std::string> tags = {});

}  // namespace cavs
