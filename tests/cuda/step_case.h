#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "cuda/persistent_step.h"
#include "helpers/models.h"

namespace cavs::cuda {

/// A model with samples and the options of its compilation for the persistent kernel.
struct StepCase {
  ZooCase zoo;
  CompileOptions options{};
  Target target = kernel_target();
  KernelOptions kernel = PersistentStep::kSmallBlocks;

  // NOLINT: implicit on purpose
  StepCase(ZooCase of, CompileOptions o = {}) : zoo(std::move(of)), options(std::move(o)) {}
  PersistentStep step(const OnChipTarget& gpu) const { return PersistentStep(zoo.model, gpu, kernel, options, target); }
};

/// A case with a packed minibatch, ready to launch.
struct PackedCase {
  StepCase of;
  PersistentStep step;
  std::shared_ptr<Parameters> parameters;
  StepOptions options;
  PackedStep packed;

  PackedCase(StepCase which, const OnChipTarget& gpu, const StepOptions& with, const std::vector<std::int32_t>& samples)
      : of(std::move(which)),
        step(of.step(gpu)),
        parameters(of.zoo.model.make_parameters()),
        options(with),
        packed(step.pack(of.zoo.graphs, samples, options)) {}
  PackedCase(const StepCase& which, const OnChipTarget& gpu, const StepOptions& with)
      : PackedCase(which, gpu, with, all_samples(which.zoo.graphs)) {}
};

/// So many classes, compiled as by Trainer, that the logits are computed in tiles (device/entropy.cuh). All processors
/// meet between tiles. @param tile  rows per tile
inline StepCase wide_softmax(std::int32_t samples, std::int32_t tile = 8) {
  const Model model =
      find_model("var-lstm").make({.vocabulary = 50, .embedding = 6, .hidden = 10, .classes = 257, .seed = 3});
  const GraphSet chains = random_chains(samples, 50, 11);
  GraphArrays arrays = chains.to_arrays();
  std::vector<std::int32_t>& labels = arrays.index_pulls[1];
  for (std::size_t v = 0; v < labels.size(); ++v) labels[v] = v == 1 ? -1 : static_cast<std::int32_t>(v * 29 % 257);
  StepCase wide(
      ZooCase{"wide softmax", model, GraphSet::from_arrays(chains.schema(), std::move(arrays), chains.limits())},
      PersistentStep::as_trained());
  wide.target.sum_rows = tile;
  wide.target.tile_sums = 1;
  return wide;
}

/// Tasks sum gradients of parameters. No processor owns an element, so all processors meet around each sum.
inline StepCase gradients_of_tasks(std::int32_t samples) {
  return {zoo_case("tree-fc", samples), {.disabled_passes = {"lazy"}}};
}

/// The case with products in bf16.
inline StepCase in_bf16(StepCase of) {
  of.kernel.precision = Precision::kBf16;
  return of;
}

/// The case with weights in registers, in shared memory and in the L2 cache. Only so many words per lane are available.
inline StepCase in_places(StepCase of, int registers, int shared_words) {
  of.kernel.weight_registers = registers;
  of.kernel.shared_words = shared_words;
  return of;
}

/// A product of two inputs. Only the weights of the first fit into registers; other threads multiply the second.
inline StepCase half_in_registers(std::int32_t samples) {
  StepCase half(zoo_case("tree-lstm-binary", samples));
  half.kernel.weight_registers = 25;
  return half;
}

/// A table, which is updated last. Several warps of a processor sum its squares.
inline StepCase many_squares(std::int32_t samples) {
  const Model model = find_model("var-lstm").make({.vocabulary = 20, .embedding = 4096, .hidden = 4, .classes = 5});
  return ZooCase{"many squares", model, random_chains(samples, 20, 11, 4)};
}

/// Keeps only the gradient of a lookup, for half of the rows, without the clearing before it. Some processors add to
/// rows that others have cleared, and no wait orders these. The data that it reads exist.
inline PackedStep lookup_gradient_alone(PackedStep step) {
  std::vector<std::int32_t>& words = step.words;
  std::int32_t entry = words[kEntriesWord];
  while (words[entry + kOperationWord] != kLookupGradient) entry += kEntryWords;
  words[entry + kWaitCountWord] = 0;
  words[words[entry + kAttributesWord] + kTableCount] /= 2;
  words[kEntriesWord] = entry;
  words[kEntryCountWord] = words[kUpdateWord] = 1;
  words[kBackwardWord] = 0;
  step.has_values = true;
  return step;
}

/// The samples with the fewest vertices, among those with several levels.
inline std::vector<std::int32_t> smallest_samples(const GraphSet& graphs, std::size_t count) {
  constexpr std::int64_t kFew = 5;
  const auto vertices = [&](std::int32_t s) {
    const std::int64_t all = graphs.vertex_begin()[s + 1] - graphs.vertex_begin()[s];
    return all < kFew ? graphs.vertices() : all;
  };
  std::vector<std::int32_t> samples = all_samples(graphs);
  std::ranges::stable_sort(samples, {}, vertices);
  samples.resize(count);
  return samples;
}

}  // namespace cavs::cuda
