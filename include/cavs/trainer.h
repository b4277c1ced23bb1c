#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cavs/checkpoint.h"
#include "cavs/data.h"
#include "cavs/distributed.h"
#include "cavs/graph.h"
#include "cavs/model.h"
#include "cavs/optimizer.h"
#include "cavs/session.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

struct TrainOptions {
  int batch_size = 64;  // samples per minibatch
  bool shuffle = true;  // true for an order that depends on seed and epoch, false for the order of the data
  // Makes minibatches of samples of similar size (number of vertices): takes the samples of this many minibatches at a
  // time, in shuffled order, sorts them by size, and shuffles the resulting minibatches. 0 turns this off.
  std::int64_t buckets = 0;
  std::int64_t shuffle_buffer = 10'000;  // samples of a stream in memory, from which each sample is drawn
  double clip_norm = 0;                  // maximum norm of all gradients together; 0 turns clipping off
  bool gradient_norm = false;            // true to compute the norm even without clipping (UpdateOptions::norm)
  // Minibatches per step. Their gradients are added before the update, so the update is that of one large minibatch, up
  // to rounding. With more than one, samples are dealt to the minibatches by number of vertices, so that all
  // minibatches take about the same time, and `buckets` counts steps instead of minibatches. The last step of an epoch
  // may have fewer samples and fewer minibatches. Needs additional memory of log2(accumulate) times the gradients.
  int accumulate = 1;
  // Decay of the moving averages of the parameters, in [0, 1); 0 turns averages off. The first step sets the averages
  // to the parameters; each later step adds (1 - ema) (parameter - average). Cost: reads and writes all parameters per
  // step.
  double ema = 0;
  std::uint64_t seed = 1;  // seed of the order of samples and of dropout
  OptimizerOptions optimizer = {};
  SessionOptions session = {};  // its seed is replaced by `seed`
  std::vector<std::string> disabled_passes = {};
  // Ranks that share the minibatches of a step; null means this process alone. Results are bit-identical for any number
  // of ranks. `accumulate` must be at least the number of ranks.
  std::shared_ptr<Job> job = nullptr;
};

/// The results of one step.
struct TrainStep {
  std::int64_t samples = 0, labels = 0;
  double loss_sum = 0;       // sum of the losses of all vertices
  double loss = 0;           // loss_sum / samples; the gradients are those of this number
  double gradient_norm = 0;  // before clipping; NaN unless TrainOptions::gradient_norm or clip_norm is set
  double learning_rate = 0;
  double forward_ms = 0, backward_ms = 0, update_ms = 0;
  double wait_ms = 0, exchange_ms = 0;  // with TrainOptions::job: time to wait for other ranks; to add their gradients
  RunStatistics statistics;             // statistics of the last minibatch's run
};

/// A step that Trainer::start has begun. All copies refer to the same step. Each thread may use its own copy, and a
/// copy may outlive the trainer.
class PendingStep {
 public:
  struct State;  // defined in the implementation
  /// TrainStep::loss of the previous step, available without waiting for this one. Absent at first and after
  /// Trainer::restore.
  std::optional<double> stale_loss() const;
  /// True if wait() would return at once.
  bool done() const;
  /// Waits for the step. @throws what Trainer::step would have thrown, on every call.
  TrainStep wait() const;

 private:
  friend class StepThread;
  explicit PendingStep(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// Trains a model on one data set, which must outlive the trainer. One thread at a time may use a trainer. A forked
/// process does not have the trainer's threads, so a trainer with several threads, or after start(), throws UserError
/// there.
///
/// The same seed, data and options give bit-identical results for any number of threads. Training that is resumed from
/// a checkpoint of any step is bit-identical to uninterrupted training.
class Trainer {
 public:
  Trainer(const Model& model, const GraphSet& data, TrainOptions options);
  Trainer(const Model& model, const GraphSet&& data, TrainOptions options) = delete;  // refuses a temporary
  /// Trains on a stream, of which at most `shuffle_buffer` samples, one step and three minibatches are in memory.
  /// Without `shuffle`, samples keep the order of the stream. restore() reads the stream up to the checkpoint's
  /// position.
  /// @throws UserError if `buckets` is not 0.
  Trainer(const Model& model, std::shared_ptr<SampleStream> stream, TrainOptions options);
  /// Trains on the training part of a loaded data set, and fills in DataRecord for checkpoints.
  Trainer(const Model& model, const Dataset& data, TrainOptions options = {});
  Trainer(const Model& model, const Dataset&& data, TrainOptions options = {}) = delete;  // refuses a temporary
  ~Trainer();

  /// Trains on the next minibatch, or on the next TrainOptions::accumulate minibatches. A step never spans two epochs.
  /// @throws UserError if the loss or a gradient is not finite, naming function, value and minibatch, and
  /// std::bad_alloc if memory runs out; parameters are then unchanged, and the step can be repeated.
  /// @param another  True if the caller will call step() again before using anything else of the trainer. On a GPU, the
  /// next step of the same epoch may then begin before the result of this one has arrived, unless steps have several
  /// minibatches or averages are kept. Results do not change, and each error is still thrown by its own step.
  TrainStep step(bool another = false);
  /// True if step(true) has already begun the next step. The members that wait for a step begun by start() also wait
  /// for this one and see its changes. The next step() returns its results.
  bool is_ahead() const;
  /// Begins a step on a thread of the trainer and returns while the step runs (like `fb` of VPPS). The result of the
  /// step is bit-identical to that of step(). One step runs at a time: start(), the destructor and all members that
  /// read or change the state of training first wait for the step in progress. Until then the caller must not touch
  /// anything that these members have returned: parameters, optimiser, session, position.
  /// @throws the error of the previous step, unless PendingStep::wait has already thrown it. All members that wait
  /// throw this error, but only once; the call that throws has no other effect.
  PendingStep start();

  /// The position of training. After the last sample of an epoch, the position is sample 0 of the next epoch.
  const Checkpoint::Position& position() const;
  std::int64_t steps_per_epoch() const;

  Parameters& parameters();
  /// The parameters as a shared pointer, so that an Evaluator or another session may outlive the trainer.
  std::shared_ptr<Parameters> shared_parameters() const;
  /// The parameters to evaluate: the averages if TrainOptions::ema is set, else the parameters themselves.
  std::shared_ptr<Parameters> evaluated_parameters();
  Optimizer& optimizer();
  const Model& model() const;
  const TrainOptions& options() const;
  const Program& program() const;
  Session& session();

  /// The options that the results of training depend on (without those that restore() compares itself), and a hash of
  /// the data. Checkpoints contain them. Cost: the first call, also by checkpoint() or restore(), hashes all data in
  /// memory.
  const RecordedOptions& trained_by() const;

  /// The part of a checkpoint that is not the state of training. A trainer made from a Dataset fills in the data, fit()
  /// the metrics, and the caller the rest.
  TrainingRecord& record();
  /// Returns the state of training and the record.
  Checkpoint checkpoint() const;
  /// Resumes from a checkpoint: copies its state and its metrics. The rest of the record does not change.
  /// @param strict  True if resumed training must be bit-identical to uninterrupted training. If false, the data, the
  /// batch size and the other entries of trained_by() may differ.
  /// @throws UserError if the checkpoint has another model, optimiser, seed or decay of averages, or, with `strict`, if
  /// trained_by() differs. The message lists all differences, and nothing has changed.
  void restore(const Checkpoint& checkpoint, bool strict = true);

 private:
  struct Impl;
  Impl& settled() const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace v0_1
}  // namespace cavs
