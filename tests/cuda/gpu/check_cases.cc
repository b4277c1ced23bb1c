#include "cuda/gpu/check_cases.h"

#include <cmath>

#include "backend/cuda/persistent/kernel_target.h"
#include "cuda/fibers/small_gpu.h"
#include "cuda/outcome.h"
#include "helpers/rounding.h"
#include "helpers/zoo_test.h"
#include "support/hash.h"

namespace cavs::cuda {
namespace {

constexpr int kTimedWords = 1000, kTreeClasses = 5;

StepCase step_case(const CheckCase& check) {
  StepCase of(check.precision == Precision::kBf16 ? zoo_case(check.model, 2) : zoo_case(check.model, 6, 0.2));
  of.kernel.precision = check.precision;
  return check.in_all_places ? in_places(of, 17, 21) : of;
}

OnChipTarget three_processors(const CheckCase& check) {
  return check.in_all_places ? gpu_target("a GPU", 3, PersistentStep::kSmallBlocks.warps, 17, 21) : few_processors(3);
}

/// Raises `worst` to the difference from the expected values. NaN counts as larger than any number.
void raise(double& worst, std::span<const float> found, std::span<const float> expected, Precision precision) {
  const double of = precision == Precision::kBf16 ? error(found, expected) : largest_error(found, expected);
  if (std::isnan(of) || of > worst) worst = of;
}

}  // namespace

std::vector<CheckCase> check_cases(bool small) {
  std::vector<CheckCase> all;
  for (const std::string& name : small ? std::vector<std::string>{"tree-lstm"} : all_zoo_names())
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) all.push_back({name, precision});
  for (const Precision precision : {Precision::kFp32, Precision::kBf16})
    all.push_back({"tree-lstm-binary", precision, true});
  return all;
}

CheckStep::CheckStep(const CheckCase& check)
    : precision_(check.precision), case_(step_case(check), three_processors(check), sgd()) {}

double CheckStep::error(const StepOutcome& found) const {
  const ZooCase& zoo = case_.of.zoo;
  const auto samples = all_samples(zoo.graphs);
  const Bench bench(zoo.model, zoo.graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  double worst = std::abs(found.result.loss / static_cast<double>(samples.size()) - reference.loss) / reference.loss;
  Parameters& updated = *bench.parameters;
  Optimizer(case_.options.optimizer, updated).step(updated, reference.gradients);
  for (int p = 0; p < updated.size(); ++p) {
    raise(worst, found.gradients.values(p), reference.gradients.values(p), precision_);
    raise(worst, found.parameters[p], updated.values(p), precision_);
  }
  return worst;
}

std::string CheckStep::bits(const StepOutcome& found) const {
  ContentHash hash;
  hash.update(std::as_bytes(std::span(&found.result.loss, 1)));
  hash.update(std::as_bytes(std::span(&found.result.norm, 1)));
  for (std::size_t p = 0; p < found.parameters.size(); ++p) {
    hash.update(std::as_bytes(std::span(found.gradients.values(p))));
    hash.update(std::as_bytes(std::span(found.parameters[p])));
  }
  return fmt::format("{:016x}", hash.digest());
}

/// The labels of a chain are its next words.
Model TimedModel::make() const {
  return find_model(model).make({.vocabulary = kTimedWords,
                                 .embedding = hidden,
                                 .hidden = hidden,
                                 .classes = data == TimedData::kChains ? kTimedWords : kTreeClasses,
                                 .seed = 3});
}

GraphSet TimedModel::samples(int count, int length) const {
  if (data == TimedData::kChains)
    return load_data(fmt::format("markov:train={},test=1,steps={},vocabulary={}", count, length, kTimedWords)).train;
  GraphSet set(tree_schema());
  Numbers numbers(7);
  for (int i = 0; i < count; ++i) {
    Tree tree;
    std::vector<std::int32_t> words;
    const auto add = [&](std::int32_t parent, bool is_leaf) {
      words.push_back(is_leaf ? numbers.below(kTimedWords) : -1);
      return tree.add(parent, is_leaf ? "w" : "", numbers.below(kTreeClasses));
    };
    std::int32_t parent = -1;
    for (int leaf = 1; leaf < length; ++leaf) {
      parent = add(parent, false);
      add(parent, true);
    }
    add(parent, true);
    InputGraph graph = to_graph(tree, Vocabulary());
    graph.index_pulls[0] = words;
    set.add(graph);
  }
  return set;
}

GraphSet TimedModel::epoch(int count) const {
  if (data == TimedData::kChains) return samples(count, small ? 4 : 64);
  return load_data(fmt::format("random-trees:train={},test=1,vocabulary={}", count, kTimedWords)).train;
}

std::vector<TimedModel> timed_models(bool small) {
  std::vector<TimedModel> all;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16})
    for (const int hidden : small ? std::vector{16} : std::vector{256, 512, 1024}) {
      all.push_back({"var-lstm", TimedData::kChains, hidden, precision, small});
      all.push_back({"tree-lstm-binary", TimedData::kCombs, hidden, precision, small});
    }
  return all;
}

std::vector<TimedModel> profiled_models(bool small) {
  const int hidden = small ? 16 : 256;
  std::vector<TimedModel> all{{"var-lstm", TimedData::kChains, hidden, Precision::kFp32, small, true},
                              {"tree-lstm-binary", TimedData::kCombs, hidden, Precision::kFp32, small, true}};
  if (!small) all.push_back({"tree-lstm-binary", TimedData::kCombs, hidden, Precision::kBf16, small, true});
  return all;
}

Cubin compile(const PersistentStep& step, KernelCompiler& compiler, int compute) {
  return compiler.compile(step.source(), compute, {std::begin(kNvrtcOptions), std::end(kNvrtcOptions)});
}

LeanKernel lean_kernel(const TimedModel& timed, KernelCompiler& compiler, int compute, int processors) {
  const std::string architecture = "sm_" + std::to_string(compute);
  const auto gpus = known_gpus();
  const auto known = std::ranges::find(gpus, compute, &DeviceProperties::compute);
  KernelOptions options{.warps = timed.warps()};
  options.precision = timed.precision;
  options.clocks = timed.clocks;
  if (known != gpus.end()) {
    const auto program = cavs::compile(timed.make(), PersistentStep::as_trained(), kernel_target());
    options.shared_words = most_shared_words(*program, options, known->shared_bytes);
  }
  for (;;) {
    PersistentStep step(
        timed.make(),
        gpu_target(architecture, processors, options.warps, options.weight_registers, options.shared_words), options,
        PersistentStep::as_trained());
    Cubin cubin = compile(step, compiler, compute);
    const auto fewer = options_with_fewer_weights(step.tables(), options);
    if (cubin.resources.is_lean() || !fewer) return {std::move(step), std::move(cubin)};
    options = *fewer;
  }
}

}  // namespace cavs::cuda
