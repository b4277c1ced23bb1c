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

/// The values of all options that several commands share; each command adds those that it has.
struct Options {
  std::string model;   // MODEL or CHECKPOINT
  std::string config;  // see cli/config_file.h; empty: none
  std::string data;
  std::string preset;      // see cli/preset.h; empty: none
  bool share_ids = false;  // with a preset: pass share_lookups, too
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

/// MODEL and CHECKPOINT bring --config along.
void add_model(CLI::App& app, Options& options);
void add_checkpoint(CLI::App& app, Options& options);
void add_data(CLI::App& app, Options& options, bool vocabulary);
/// --limit, --vocabulary, --min-count: how much of the data; a part of add_data.
void add_limits(CLI::App& app, Options& options, bool vocabulary);
void add_sizes(CLI::App& app, Options& options);
/// --class-weights, --label-smoothing.
void add_class_loss(CLI::App& app, Options& options);
void add_batch_size(CLI::App& app, Options& options);
/// --bucket, --stream.
void add_sample_order(CLI::App& app, Options& options);
void add_seed(CLI::App& app, Options& options, const std::string& doc);
void add_policy(CLI::App& app, Options& options);
/// --threads, --engine, --device, --policy, --precision, --streaming, --memory-limit.
void add_session(CLI::App& app, Options& options);
void add_passes(CLI::App& app, Options& options);
/// --accumulate, --ema.
void add_averaging(CLI::App& app, Options& options);
/// `kind`: the optimiser where none is named.
void add_optimizer(CLI::App& app, Options& options, const std::string& kind);
void add_json(CLI::App& app, Options& options,
              const std::string& doc = "Print the result as one JSON object on one line");

std::uint64_t seed_of(const Options& options);
/// The engine that is asked for; the device's first where none is. @throws UserError where the device has no such one
std::string engine_of(const Options& options);
bool is_gpu(const Options& options);
/// What --precision comes to on this processor; says so on stderr, once, where it is not what was asked for.
std::string runnable_precision(const Options& options);
/// `learned`: see learned_policy.
SessionOptions session_options(const Options& options, std::shared_ptr<const LearnedPolicy> learned = nullptr);
/// `total_steps`: of the whole training, for decays that end with it.
TrainOptions train_options(const Options& options, std::int64_t total_steps, std::int64_t steps_per_epoch,
                           std::shared_ptr<const LearnedPolicy> learned = nullptr);
/// The data of a model under training: --data, or the model's own generator.
std::string data_spec(const Options& options);
/// `network`: whose graphs are made of the data; null: the model's as it is declared today.
Dataset load_training_data(const Options& options, const Model* network = nullptr);
ModelConfig model_config(const Options& options, const Dataset& data);

}  // namespace cavs::cli
