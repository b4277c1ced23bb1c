#include "train/check_resume.h"

#include <string>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// True if the checkpoint has this model. If texts differ, compares after from_json(): files may omit scalar shapes.
bool is_of(const Checkpoint& checkpoint, const Model& model) {
  const std::string text = model.to_json();
  return checkpoint.model == text || Model::from_json(checkpoint.model).to_json() == text;
}

}  // namespace

void check_resume(const Checkpoint& checkpoint, const Model& model, const TrainOptions& options, std::int64_t samples,
                  const RecordedOptions* trained_by) {
  user_check(is_of(checkpoint, model),
             "the checkpoint has another model (or other sizes); resume with the model and options of its training");
  user_check(checkpoint.seed == options.seed,
             "the checkpoint was trained with seed {}, but TrainOptions::seed is {}; resume with the same seed",
             checkpoint.seed, options.seed);
  user_check(checkpoint.position.sample >= 0 && checkpoint.position.sample < samples && checkpoint.position.epoch >= 0,
             "the checkpoint is at sample {}, but the training data have {}; resume with the same data",
             checkpoint.position.sample, samples);
  if (trained_by != nullptr) expect_same_training(checkpoint, *trained_by);
  const double decay = checkpoint.averages ? checkpoint.averages->decay : 0;
  user_check(decay == options.ema,
             "the checkpoint has averages of decay {} (0: none), found {}; resume with the same decay", decay,
             options.ema);
}

}  // namespace cavs::inline v0_1
