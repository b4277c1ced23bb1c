#pragma once

#include "cli/options.h"

namespace cavs::cli {

/// A model's part of --preset ed-batch: the work that ED-Batch's own benchmark measures (section 5.1), so that speeds
/// can be compared. The embedding is as wide as the state, ids of words are taken modulo 256, parameters are random,
/// every vertex is evaluated; ModelConfig::ed_batch says where a model differs from its paper.
struct Preset {
  std::string_view model;
  std::string_view data;  // of a generator, in the proportions of the data that the paper takes
  int classes = 0;        // labels are taken modulo this; 0: as the data say
};

/// --preset. Commands that have it pass their options through load_training_data and model_config.
void add_preset(CLI::App& app, Options& options);

/// @throws UserError naming the models that have one, if this one has not.
const Preset& find_preset(const std::string& model);

/// Takes ids modulo what the preset says.
void fold_ids(const Preset& preset, Dataset& data);
ModelConfig preset_config(const Preset& preset, ModelConfig config);

}  // namespace cavs::cli
