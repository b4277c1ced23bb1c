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
  int batch_size = 64;
  bool shuffle = true;  // in an order that seed and epoch determine; off: the order of the data
  // Puts samples of similar size (number of vertices) into a minibatch: takes so many minibatches of shuffled samples
  // at a time, sorts these samples by size, and shuffles the minibatches that result. 0: off.
  std::int64_t buckets = 0;
  std::int64_t shuffle_buffer = 10'000;  // samples of a stream that are in memory, and from which the next is drawn
  double clip_norm = 0;                  // maximum norm of all gradients together; 0: no clipping
  bool gradient_norm = false;            // TrainStep has the norm without clipping, too (see UpdateOptions::norm)
  // Minibatches per step. Their gradients are added before the update, which is the update of one minibatch with all of
  // their samples, but for rounding. With more than one, samples are dealt to the minibatches by number of vertices, so
  // that all take about the same time; `buckets` then takes whole steps in place of minibatches. The last step of an
  // epoch may have fewer samples and fewer minibatches. Memory: log2(accumulate) times the gradients more.
  int accumulate = 1;
  // Decay of moving averages of the parameters, 0 to below 1; 0: none. After the first step they are the parameters,
  // after each other one average += (1 - ema) (parameter - average). Cost: reads and writes all parameters every step.
  double ema = 0;
  std::uint64_t seed = 1;  // of the order of samples and of dropout
  OptimizerOptions optimizer = {};
  SessionOptions session = {};  // its seed is replaced by `seed`
  std::vector<std::string> disabled_passes = {};
  // Ranks that share the minibatches of a step; null: this process alone. No bit depends on how many they are, nor on
  // which rank computes what. Each computes at least one of `accumulate` minibatches, in steps that are full.
  std::shared_ptr<Job> job = nullptr;
};

/// What one step did.
struct TrainStep {
  std::int64_t samples = 0, labels = 0;
  double loss_sum = 0;       // over vertices
  double loss = 0;           // loss_sum / samples; gradients are of this
  double gradient_norm = 0;  // before clipping; NaN without TrainOptions::gradient_norm or clip_norm
  double learning_rate = 0;
  double forward_ms = 0, backward_ms = 0, update_ms = 0;
  double wait_ms = 0, exchange_ms = 0;  // with TrainOptions::job: until all ranks are there; to add their gradients
  RunStatistics statistics;             // of its last minibatch
};

/// A step that Trainer::start has begun. Copies are of the same step; any thread may use one of its own, and keep it
/// beyond the trainer.
class PendingStep {
 public:
  struct State;  // of the implementation
  /// TrainStep::loss of the step before, which may be shown without waiting for this one; none before the first step,
  /// and right after Trainer::restore.
  std::optional<double> stale_loss() const;
  /// Whether wait() returns at once.
  bool done() const;
  /// Waits for the step. @throws what Trainer::step would have thrown; every time.
  TrainStep wait() const;

 private:
  friend class StepThread;
  explicit PendingStep(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// Trains a model on one data set, which must outlive it. One thread at a time may use a trainer. A fork of the process
/// has none of its threads: there a trainer of several threads, or one that has begun steps by start(), throws
/// UserError.
///
/// The same seed, data and options give the same bits, whatever the number of threads; and training that is restored
/// from a checkpoint of any step gives the same bits as training that never stopped.
class Trainer {
 public:
  Trainer(const Model& model, const GraphSet& data, TrainOptions options);
  Trainer(const Model& model, const GraphSet&& data, TrainOptions options) = delete;  // would not outlive it
  /// Trains on a stream, of which at most `shuffle_buffer` samples, one step and three minibatches are in memory;
  /// without `shuffle`, in the order of the stream. After restore() it is read up to the position of the checkpoint.
  /// @throws UserError if `buckets` is not 0.
  Trainer(const Model& model, std::shared_ptr<SampleStream> stream, TrainOptions options);
  /// Trains on the training part of what was loaded, and records what a checkpoint is to know of it.
  Trainer(const Model& model, const Dataset& data, TrainOptions options = {});
  Trainer(const Model& model, const Dataset&& data, TrainOptions options = {}) = delete;  // would not outlive it
  ~Trainer();

  /// Trains on the next minibatch, or TrainOptions::accumulate of them; a step ends with its epoch.
  /// @throws UserError if the loss or a gradient is not finite, naming function, value and minibatch, and
  /// std::bad_alloc if memory runs out; parameters are then as before the step, which can be repeated.
  /// @param another  the caller makes another step before it looks at anything of the trainer's: an engine of a GPU
  /// then begins that one, of the same epoch, before this one's result is there, unless the step has several
  /// minibatches or averages follow it. The bits are the same, and so are errors, each of which the step throws that it
  /// belongs to.
  TrainStep step(bool another = false);
  /// True if the next step was begun. The members that wait for a step of start() wait for this one, and see what it
  /// has changed; step() then returns what it did.
  bool is_ahead() const;
  /// Begins the same step on a thread of the trainer's own, and returns while it runs (as `fb` of VPPS does). It has
  /// the bits of step(). One step runs at a time: this and all other members that see or change what a step changes
  /// wait for the step that was begun. So does the destructor. Meanwhile the caller must leave alone what they have
  /// returned before: parameters, optimiser, session, position.
  /// @throws, as those other members do, what ended the step before, if nobody has been told by PendingStep::wait. It
  /// is thrown once; the call has then done nothing.
  PendingStep start();

  /// Where training stands. After the last sample of an epoch that is the next epoch, sample 0.
  const Checkpoint::Position& position() const;
  std::int64_t steps_per_epoch() const;

  Parameters& parameters();
  /// The same, to share: an Evaluator or another session may keep them beyond the trainer.
  std::shared_ptr<Parameters> shared_parameters() const;
  /// The parameters to evaluate: the averages with TrainOptions::ema, else the parameters themselves.
  std::shared_ptr<Parameters> evaluated_parameters();
  Optimizer& optimizer();
  const Model& model() const;
  const TrainOptions& options() const;
  const Program& program() const;
  Session& session();

  /// The options that the bits of training depend on, besides those that restore() compares itself, and a hash of the
  /// data. A checkpoint keeps them. Cost: the first call, also by checkpoint() or restore(), reads all data in memory.
  const RecordedOptions& trained_by() const;

  /// The part of checkpoints besides the state. The trainer fills in the data where it is given a Dataset, fit() the
  /// metrics, and the caller the rest.
  TrainingRecord& record();
  /// The state of training and the record.
  Checkpoint checkpoint() const;
  /// Goes on from a checkpoint: takes over its state and its metrics; the rest of the record stays as it is.
  /// @param strict  true: training goes on with the bits that it would have without a stop; false: data, batch size and
  /// the other entries of trained_by() may differ
  /// @throws UserError if it is of another model, optimiser, seed or decay of averages, or, with `strict`, if
  /// trained_by() differs, with all differences; nothing has then been changed.
  void restore(const Checkpoint& checkpoint, bool strict = true);

 private:
  struct Impl;
  Impl& settled() const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace v0_1
}  // namespace cavs
