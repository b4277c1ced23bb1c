#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cavs/checkpoint.h"
#include "cavs/evaluator.h"
#include "cavs/trainer.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// The results of one epoch of training.
struct EpochReport {
  std::int64_t epoch = 0;                  // number of the epoch, from 1
  double train_loss = 0;                   // mean loss per label (Vertex::loss); each minibatch counts before its step
  double train_perplexity = 1;             // exp(train_loss)
  std::optional<Evaluation> dev;           // absent without labelled development data
  double learning_rate = 0;                // learning rate of the last step
  double seconds = 0;                      // training time without evaluation; in a resumed epoch, since the resume
  double samples_per_second = 0;           // samples per second of training time
  bool best = false;                       // true if this is the best epoch so far, by FitOptions::best_by
  std::map<std::string, double> own = {};  // values of FitOptions::own, by name
};

/// A metric that the caller computes after every epoch, for example from predictions; NaN if the epoch has no value.
struct OwnMetric {
  std::string name;
  std::function<double()> compute;
  bool lower_is_better = false;
};

struct FitOptions {
  std::int64_t epochs = 10;     // total number of epochs, including those before a resume
  std::string save = {};        // checkpoint file, written after every epoch and at least once; empty means none
  std::int64_t save_every = 0;  // number of steps after which the checkpoint is also saved; 0 means after epochs only
  std::optional<Metric> metric = std::nullopt;  // metric besides the loss; absent means accuracy where possible
  /// Metrics to compute after every epoch, even without development data. An exception from `compute` ends training.
  std::vector<OwnMetric> own = {};
  /// Name of the value that ranks epochs: "loss", a value of `metric` (its name in Checkpoint::metrics without "dev_"),
  /// or one of `own`. Empty means the last value in the list of fit() for `metric`. A name whose value cannot be
  /// computed is an error before the first step.
  std::string best_by = {};
  std::string save_best = {};  // checkpoint file of the best epoch, written before `save`; empty means none
  std::int64_t patience = 0;   // ends training after this many epochs without a better one; 0 means never
};

/// Functions that fit() calls between steps; each may be empty.
struct FitHooks {
  bool look = true;  // true if step, stop or save access the trainer; if false, it may run ahead (Trainer::step)
  std::function<void(const TrainStep&)> step = nullptr;
  std::function<void(const EpochReport&)> epoch = nullptr;
  // If stop() returns true, training ends after this step; if save() does, a checkpoint is saved. If the next step has
  // already begun, both happen after it.
  std::function<bool()> stop = nullptr;
  std::function<bool()> save = nullptr;
  /// Called with the exception of a failed step. If it returns true, training ends as for stop(), with a checkpoint of
  /// the state before the failed step; else fit() throws the exception.
  std::function<bool(const std::exception_ptr&)> failed = nullptr;
};

/// The training loop: epochs, evaluation on `dev` (which may be empty), checkpoints. Evaluation uses the trainer's
/// batch size and session options. kF1 uses the names of classes in Trainer::record.
///
/// fit() saves Trainer::checkpoint(). Every epoch adds one entry to each metric, also after Trainer::restore:
///   always        "train_loss" and, with labelled development data, "dev_loss"
///   kAccuracy     "dev_accuracy" and "dev_root_accuracy", where they can be computed
///   kPerplexity   "train_perplexity" and "dev_perplexity"
///   kF1           "dev_accuracy", "dev_token_f1" and "dev_entity_f1"
///   kCorrelation  "dev_mean_squared_error", "dev_spearman" and "dev_pearson"
///   own           "dev_NAME" for each of FitOptions::own
/// With FitOptions::best_by, save_best, patience or Decay::kPlateau, epochs are compared by the metrics of all epochs,
/// including those before a resume; the first of several equal epochs is the best. The development data are then also
/// evaluated once before the first step, to detect a value that cannot be computed. The metric "epoch_so_far" holds the
/// sum of losses and the number of labels of an unfinished epoch. The final checkpoints of resumed and of uninterrupted
/// training are identical, byte for byte.
///
/// @return false if stop() or failed() ended training; true after the last epoch, or if patience ran out.
/// @throws UserError before the first step, as Evaluator does, for epochs that cannot be compared, and for a path that
/// cannot be written; later, as Trainer::step and save_checkpoint do, or if the loss on `dev` is not finite. The last
/// checkpoint then remains unchanged.
bool fit(Trainer& trainer, const GraphSet& dev, const FitOptions& options = {}, const FitHooks& hooks = {});

/// Functions that show the text of a progress display.
struct ProgressOutput {
  /// Replaces the text shown before; an empty text removes it. If null, `line` is used instead.
  std::function<void(const std::string&)> draw = nullptr;
  std::function<void(const std::string&)> line = nullptr;
};

/// Shows the progress of training: a bar, redrawn at most ten times per second, or a line every ten seconds.
class Progress {
 public:
  /// @param steps_done  Number of steps before this run, from a checkpoint.
  Progress(std::int64_t steps_per_epoch, std::int64_t epochs, std::int64_t steps_done, ProgressOutput output);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(const TrainStep& step);
  void end_epoch();
  /// Removes the bar. Call before printing anything else.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point now);

  std::int64_t steps_per_epoch_, epochs_, done_, first_;
  ProgressOutput output_;
  bool shown_ = false;
  Clock::time_point start_, last_shown_;
  std::int64_t samples_ = 0, labels_ = 0;
  double loss_sum_ = 0;  // sum over the labels of the current epoch, whose number is labels_
};

}  // namespace v0_1
}  // namespace cavs
