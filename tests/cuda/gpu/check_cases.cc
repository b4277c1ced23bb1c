#include "cuda/gpu/check_cases.h"

#include <cmath>

#include "backend/cuda/persistent/kernel_target.h"
#include "cuda/fibers/small_gpu.h"
#include "helpers/zoo_test.h"
#include "support/hash.h"

namespace cavs::cuda {
namespace {

constexpr int kTimedWords = 1000, kTreeClasses = 5;

KernelOptions small_blocks(const CheckCase& check) {
  KernelOptions options = PersistentStep::kSmallBlocks;
  options.precision = check.precision;
  if (check.in_all_places) options.weight_registers = 17, options.shared_words = 21;
  return options;
}

OnChipTarget three_processors(const CheckCase& check) {
  const KernelOptions options = small_blocks(check);
  return check.in_all_places ? gpu_target("a GPU", 3, options.warps, options.weight_registers, options.shared_words)
                             : few_processors(3);
}

StepOptions sgd() {
  StepOptions options;
  options.optimizer = optimizer_defaults("sgd");
  options.optimizer.lr = 0.1;
  return options;
}

/// In fp32 the largest difference by the largest number; in bf16 the length of the difference by that of the numbers.
void raise(double& worst, std::span<const float> found, std::span<const float> expected, Precision precision) {
  double largest = 0, difference = 0, length = 0, of_difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double d = std::abs(double{found[i]} - double{expected[i]});
    largest = std::max(largest, std::abs(double{expected[i]}));
    if (!(d <= difference)) difference = d;
    length += double{expected[i]} * double{expected[i]}, of_difference += d * d;
  }
  double error = largest == 0 ? difference : difference / largest;
  if (precision == Precision::kBf16) error = std::sqrt(length == 0 ? of_difference : of_difference / length);
  if (!(error <= worst)) worst = error;
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
    : precision_(check.precision),
      zoo_(check.precision == Precision::kBf16 ? zoo_case(check.model, 2) : zoo_case(check.model, 6, 0.2)),
      step_(zoo_.model, three_processors(check), small_blocks(check)),
      parameters_(zoo_.model.make_parameters()),
      options_(sgd()),
      minibatch_(step_.pack(zoo_.graphs, all_samples(zoo_.graphs), options_)) {}

double CheckStep::error(const StepOutcome& found) const {
  const auto samples = all_samples(zoo_.graphs);
  const Bench bench(zoo_.model, zoo_.graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  double worst = std::abs(found.result.loss / static_cast<double>(samples.size()) - reference.loss) / reference.loss;
  Parameters& updated = *bench.parameters;
  Optimizer(options_.optimizer, updated).step(updated, reference.gradients);
  for (int p = 0; p < updated.size(); ++p) {
    raise(worst, found.gradients.values[p], reference.gradients.values[p], precision_);
    raise(worst, found.parameters[p], updated.values(p), precision_);
  }
  return worst;
}

std::string CheckStep::bits(const StepOutcome& found) const {
  ContentHash hash;
  hash.update(std::as_bytes(std::span(&found.result.loss, 1)));
  hash.update(std::as_bytes(std::span(&found.result.norm, 1)));
  for (std::size_t p = 0; p < found.parameters.size(); ++p) {
    hash.update(std::as_bytes(std::span(found.gradients.values[p])));
    hash.update(std::as_bytes(std::span(found.parameters[p])));
  }
  return fmt::format("{:016x}", hash.digest());
}

/// A chain's labels are its next words.
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
    for (int leaf = 1; leaf < length; ++leaf) parent = add(parent, false), add(parent, true);
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
  options.precision = timed.precision, options.clocks = timed.clocks;
  if (known != gpus.end()) {
    const auto program = cavs::compile(timed.make(), PersistentStep::as_trained(), persistent_target());
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
