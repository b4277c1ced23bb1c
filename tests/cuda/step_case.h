#pragma once

#include <utility>

#include "cuda/persistent_step.h"
#include "helpers/models.h"

namespace cavs::cuda {

/// A model with samples, and how it is compiled for the persistent kernel.
struct StepCase {
  ZooCase zoo;
  CompileOptions options{};
  Target target = persistent_target();

  StepCase(ZooCase of, CompileOptions o = {}) : zoo(std::move(of)), options(std::move(o)) {}  // NOLINT: it is one
  PersistentStep step(const OnChipTarget& gpu, const KernelOptions& kernel = PersistentStep::kSmallBlocks) const {
    return PersistentStep(zoo.model, gpu, kernel, options, target);
  }
};

/// So many classes, compiled as Trainer does, that the logits go tile by tile (device/entropy.h). Tiles have few rows,
/// so that there are several: all processors meet between them.
inline StepCase wide_softmax(std::int32_t samples) {
  const Model model =
      find_model("var-lstm").make({.vocabulary = 50, .embedding = 6, .hidden = 10, .classes = 257, .seed = 3});
  StepCase wide(ZooCase{"wide softmax", model, random_chains(samples, 50, 11)}, PersistentStep::as_trained());
  wide.target.sum_rows = 8;
  return wide;
}

/// Tasks sum gradients of parameters, of which no processor owns an element: all meet around each sum.
inline StepCase gradients_of_tasks(std::int32_t samples) {
  return {zoo_case("tree-fc", samples), {.disabled_passes = {"lazy"}}};
}

}  // namespace cavs::cuda
