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
  std::int64_t epoch = 0;         // from 1
  double train_loss = 0;          // mean loss per label (Vertex::loss), computed with the parameters of each step
  double train_perplexity = 1;    // exp(train_loss)
  std::optional<Evaluation> dev;  // absent without labelled development data
  double learning_rate = 0;       // of the last step
  double seconds = 0;             // of training; in a resumed epoch, since it was resumed
  double samples_per_second = 0;  // of training
  bool best = false;              // so far, by FitOptions::best_by
  std::map<std::string, double> own = {};  // FitOptions::own, by name
};

/// A number that the caller computes after every epoch, say of predictions. NaN: it cannot be told for this epoch.
struct OwnMetric {
  std::string name;
  std::function<double()> compute;
  bool lower_is_better = false;
};

struct FitOptions {
  std::int64_t epochs = 10;     // in total, those that were trained before a resume included
  std::string save = {};        // checkpoint file, written after every epoch and at least once; empty: none is saved
  std::int64_t save_every = 0;  // saves after every N steps, too; 0: only after epochs
  std::optional<Metric> metric = std::nullopt;  // absent: accuracy, where it can be computed
  /// Computed after every epoch, whether or not there is a `dev`; what one throws ends training.
  std::vector<OwnMetric> own = {};
  /// What the epochs are compared by, on `dev`: "loss", what `metric` computes, by its name in Checkpoint::metrics
  /// without "dev_", or one of `own`. Empty: the last that is named below for the metric. One that is named, and cannot
  /// be computed, is an error before the first step.
  std::string best_by = {};
  std::string save_best = {};  // checkpoint file of the best epoch so far, written before `save`; empty: none
  std::int64_t patience = 0;   // ends training after so many epochs without a better one; 0: does not
};

/// Functions that fit() calls between steps; each may be empty.
struct FitHooks {
  bool look = true;  // step, stop or save look at the trainer; else it may be a step ahead of them (Trainer::step)
  std::function<void(const TrainStep&)> step = nullptr;
  std::function<void(const EpochReport&)> epoch = nullptr;
  // True ends training, or saves a checkpoint, after this step, or after the next one where that was begun.
  std::function<bool()> stop = nullptr;
  std::function<bool()> save = nullptr;
  /// Of what a step has thrown: true ends training as `stop` does, with a checkpoint of the state before the step.
  std::function<bool(const std::exception_ptr&)> failed = nullptr;
};

/// The training loop: epochs, evaluation on `dev` (which may be empty), checkpoints. It evaluates with the
/// batch size and the session options of the trainer; the names of classes, for kF1, are those of Trainer::record.
///
/// It saves Trainer::checkpoint(). Its metrics, with which it goes on after Trainer::restore, get one entry per
/// epoch:
///   always        "train_loss" and, with labelled development data, "dev_loss"
///   kAccuracy     "dev_accuracy" and "dev_root_accuracy", where they can be computed
///   kPerplexity   "train_perplexity" and "dev_perplexity"
///   kF1           "dev_accuracy", "dev_token_f1" and "dev_entity_f1"
///   kCorrelation  "dev_mean_squared_error", "dev_spearman" and "dev_pearson"
///   own           "dev_NAME" of each
/// With FitOptions::best_by, save_best, patience or Decay::kPlateau epochs are compared: the first of several equal
/// ones is the best, and what follows is computed from the metrics of all epochs, those before a resume included. The
/// development data are then evaluated once before the first step, so that a number that cannot be computed is found
/// there. "epoch_so_far" has the sum of losses and the number of labels of an unfinished epoch. Resumed training ends
/// with the same bytes as training that never stopped.
///
/// @return false if stop() or failed() ended it; true after the last epoch, or where patience came to its end.
/// @throws UserError as Trainer::step and save_checkpoint do; as Evaluator does, for epochs that are to be compared and
/// cannot be, and for a path to which nothing can be saved, before the first step; or if the loss on `dev` is not
/// finite. The last checkpoint is then left as it is.
bool fit(Trainer& trainer, const GraphSet& dev, const FitOptions& options = {}, const FitHooks& hooks = {});

/// Where progress is shown.
struct ProgressOutput {
  /// Shows a text in place of the one that it has shown before; an empty one removes it. Null: lines are written.
  std::function<void(const std::string&)> draw = nullptr;
  std::function<void(const std::string&)> line = nullptr;
};

/// Shows how far training is: a bar that is redrawn, at most ten times a second, or a line every ten seconds.
class Progress {
 public:
  /// `steps_done`: before this run, by a checkpoint.
  Progress(std::int64_t steps_per_epoch, std::int64_t epochs, std::int64_t steps_done, ProgressOutput output);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(const TrainStep& step);
  void end_epoch();
  /// Removes the bar, before anything else is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point now);

  std::int64_t steps_per_epoch_, epochs_, done_, first_;
  ProgressOutput output_;
  bool shown_ = false;
  Clock::time_point start_, last_shown_;
  std::int64_t samples_ = 0, labels_ = 0;
  double loss_sum_ = 0;  // of the epoch so far, as labels_
};

}  // namespace v0_1
}  // namespace cavs
