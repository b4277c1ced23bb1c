#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cavs/checkpoint.h"
#include "cavs/trainer.h"

namespace cavs {

/// What an epoch of training showed.
struct EpochReport {
  std::int64_t epoch = 0;         // from 1
  double train_loss = 0;          // mean loss a label (Vertex::loss), each as the parameters were at its step
  double train_perplexity = 1;    // exp(train_loss)
  std::optional<Evaluation> dev;  // none without labelled development data
  double learning_rate = 0;       // of the last step
  double seconds = 0;             // of training; of a resumed epoch: since it was resumed
  double samples_per_second = 0;  // of training
};

struct FitOptions {
  std::int64_t epochs = 10;     // in all, those before a resume included
  std::string save = {};        // checkpoint file, written after every epoch, and if there was none; empty: none
  std::int64_t save_every = 0;  // and after so many steps; 0: not
  int batch_size = 64;          // of the evaluation
  SessionOptions session = {};  // of the evaluation
  std::optional<Metric> metric = std::nullopt;  // none: accuracy, where it can be computed
  std::vector<std::string> tags = {};           // names of the classes, by kF1
};

/// Called between steps; each may be empty.
struct FitHooks {
  std::function<void(const TrainStep&)> step = nullptr;
  std::function<void(const EpochReport&)> epoch = nullptr;
  std::function<bool()> stop = nullptr;  // true ends training after this step, with a checkpoint
  std::function<bool()> save = nullptr;  // true saves a checkpoint after this step
};

/// The training loop: epochs, evaluation on `dev` (which may be empty), checkpoints.
///
/// `record` becomes what is saved: the caller fills vocabulary, data and extra (and metrics, where training goes on
/// from a checkpoint that the trainer was restored from). Its metrics get one entry an epoch: "train_loss" and, with
/// labelled development data, "dev_loss"; by Metric::kAccuracy, where it can be computed, also "dev_accuracy" and
/// "dev_root_accuracy", by kPerplexity "train_perplexity" and "dev_perplexity", by kF1 "dev_accuracy", "dev_token_f1"
/// and "dev_entity_f1", by kCorrelation "dev_mean_squared_error", "dev_spearman" and "dev_pearson". "epoch_so_far" is
/// the sum of losses and the labels of an epoch that is not finished. Resumed training ends with the same bytes as
/// training that never stopped.
///
/// @return false if stop() ended it.
/// @throws UserError as Trainer::step and save_checkpoint do, as `evaluate` does for `metric`, before the first step,
/// or if the loss on `dev` is not finite; the last checkpoint is then left as it is.
bool fit(Trainer& trainer, const Model& model, const GraphSet& dev, const FitOptions& options, const FitHooks& hooks,
         Checkpoint& record);

}  // namespace cavs
