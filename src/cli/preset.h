#pragma once

#include "cli/options.h"

namespace cavs::cli {

/// The setup of --preset ed-batch for one model, which is the benchmark of ED-Batch (section 5.1), so that speeds can
/// be compared. The embedding size equals the hidden size, ids of words are taken modulo 256, parameters are random,
/// and every vertex is evaluated. ModelConfig::ed_batch describes where a model differs from its paper.
struct Preset {
  std::string_view model;
  std::string_view data;  // spec of a generator, with the proportions of the paper's data
  int classes = 0;        // labels are taken modulo this number; 0 to keep them
};

/// Adds --preset. Commands with --preset call load_training_data() and model_config(), which apply it.
void add_preset(CLI::App& app, Options& options);

/// Returns the preset of a model. @throws UserError, with a list of the models with a preset, if the model has none.
const Preset& find_preset(const std::string& model);

/// Takes ids of words modulo 256, and labels modulo preset.classes unless that is 0.
void fold_ids(const Preset& preset, Dataset& data);
ModelConfig preset_config(const Preset& preset, ModelConfig config);

}  // namespace cavs::cli
