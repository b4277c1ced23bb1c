#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cavs/data.h"
#include "cavs/models.h"
#include "cavs/trainer.h"

namespace cavs::cli {

/// Values of all options that several commands share. Each command adds the options that it supports.
struct Options {
  std::string model;   // MODEL or CHECKPOINT
  std::string config;  // see cli/config_file.h; empty if not given
  std::string data;
  std::string preset;      // see cli/preset.h; empty if not given
  bool share_ids = false;  // true to run pass share_lookups with a preset, too
  std::int64_t limit = 0;
  int min_count = 1, vocabulary = 0;
  int hidden = 64, embedding = 64;
  double dropout = 0, label_smoothing = 0;
  std::string class_weights;
  int batch_size = 64, accumulate = 1;
  std::int64_t buckets = 0, stream = 0;
  std::optional<std::uint64_t> seed;
  int threads = 1;
  std::string engine, device = "cpu", policy = "frontier", precision = "fp32", streaming = "auto", memory_limit;
  bool check_script = false;
  bool device_given = false, threads_given = false, accumulate_given = false;
  std::vector<std::string> disabled;
  std::string optimizer;
  std::vector<std::string> lr, frozen;
  std::optional<double> weight_decay;
  double momentum = 0, clip = 0, ema = 0;
  std::int64_t warmup = 0, decay_steps = 0;
  std::string decay = "constant";
  double decay_rate = 0.5, decay_floor = 0;
  std::int64_t decay_patience = 3;
  bool sparse_updates = false;
  bool json = false, overwrite = false;
};

/// Adds MODEL, or CHECKPOINT, and --config.
void add_model(CLI::App& app, Options& options);
void add_checkpoint(CLI::App& app, Options& options);
void add_data(CLI::App& app, Options& options, bool vocabulary);
/// Adds --limit, --vocabulary and --min-count. add_data() calls it.
void add_limits(CLI::App& app, Options& options, bool vocabulary);
void add_sizes(CLI::App& app, Options& options);
/// Adds --class-weights and --label-smoothing.
void add_class_loss(CLI::App& app, Options& options);
void add_batch_size(CLI::App& app, Options& options);
/// Adds --bucket and --stream.
void add_sample_order(CLI::App& app, Options& options);
void add_seed(CLI::App& app, Options& options, const std::string& doc);
void add_policy(CLI::App& app, Options& options);
/// Adds --threads, --engine, --device, --policy, --precision, --streaming and --memory-limit.
void add_session(CLI::App& app, Options& options);
void add_passes(CLI::App& app, Options& options);
/// Adds --accumulate and --ema.
void add_averaging(CLI::App& app, Options& options);
/// Adds the options of the optimizer. @param kind  the default of --optimizer
void add_optimizer(CLI::App& app, Options& options, const std::string& kind);
void add_json(CLI::App& app, Options& options,
              const std::string& doc = "Print the result as one JSON object on one line");

std::uint64_t seed_of(const Options& options);
/// Returns the engine of --engine, or the default of the device. @throws UserError if the device lacks it
std::string engine_of(const Options& options);
bool is_gpu(const Options& options);
/// Returns the precision that runs on this processor. Warns once, on stderr, if it differs from --precision.
std::string runnable_precision(const Options& options);
/// @param learned  the policy for --policy fsm, as from learned_policy()
SessionOptions session_options(const Options& options, std::shared_ptr<const LearnedPolicy> learned = nullptr);
/// @param total_steps  number of steps of the whole training, at whose end some decays end
TrainOptions train_options(const Options& options, std::int64_t total_steps, std::int64_t steps_per_epoch,
                           std::shared_ptr<const LearnedPolicy> learned = nullptr);
/// Returns the spec of the data to train on: --data, or the default generator of the model.
std::string data_spec(const Options& options);
/// @param network  the model that graphs are built for; null for the model as this version of the library declares it.
Dataset load_training_data(const Options& options, const Model* network = nullptr);
ModelConfig model_config(const Options& options, const Dataset& data);

}  // namespace cavs::cli
