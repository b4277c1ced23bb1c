// The persistent kernel on fibers: its source, compiled by g++ instead of NVRTC.

#include <gmock/gmock.h>

#include "cuda/fibers/small_gpu.h"
#include "cuda/fibers/step_on_fibers.h"
#include "cuda/outcome.h"
#include "cuda/step_case.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda {
namespace {

/// Compares with the reference engine. Two orders of threads must give the same bits.
void expect_right_numbers(const StepCase& of, const std::vector<std::int32_t>& samples) {
  const Bench bench(of.zoo.model, of.zoo.graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  const KernelOnFibers kernel(of.step(few_processors(3)));
  StepOptions options = sgd();
  const StepOutcome found = kernel.run(of.zoo.graphs, samples, *bench.parameters, options);
  options.order = 1;
  expect_same_bits(kernel.run(of.zoo.graphs, samples, *bench.parameters, options), found, *bench.parameters);
  expect_numbers_of_reference(found, reference, samples.size(), options, Precision::kFp32, *bench.parameters);
}

void expect_right_numbers(const StepCase& of) { expect_right_numbers(of, all_samples(of.zoo.graphs)); }

class FibersOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, FibersOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(FibersOfModel, TrainWithTheNumbersOfTheReference) { expect_right_numbers(make(fewer(6), 0.2)); }

/// Some vertex functions have no vertex here, and so no rows of states.
TEST(FibersOfOneSample, TrainWithTheNumbersOfTheReference) {
  for (const char* model : {"bilstm-char", "bilstm-crf"}) {
    const StepCase of = zoo_case(model, 8);
    const auto vertices = [&](std::int32_t s) {
      return of.zoo.graphs.vertex_begin()[s + 1] - of.zoo.graphs.vertex_begin()[s];
    };
    expect_right_numbers(of, {std::ranges::min(all_samples(of.zoo.graphs), {}, vertices)});
  }
}

TEST(FibersOfMeetings, TrainWithTheNumbersOfTheReference) {
  const StepCase wide = wide_softmax(fewer(4));
  const KernelOnFibers kernel(wide.step(few_processors(3)));
  const PackedStep packed = kernel.step().pack(wide.zoo.graphs, all_samples(wide.zoo.graphs), sgd());
  const auto tiled = [&](const ScriptEntry& e) {
    return e.share == Share::kCollective && e.rows.end - e.rows.begin > wide.target.sum_rows;
  };
  EXPECT_TRUE(std::ranges::any_of(packed.script.entries, tiled)) << "a product with several tiles of logits";
  expect_right_numbers(wide);
  expect_right_numbers(gradients_of_tasks(fewer(4)));
}

class Bf16FibersOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, Bf16FibersOfModel,
                         testing::Values("tree-lstm", "tree-lstm-binary", "bilstm-tagger", "lstm-nmt", "mv-rnn", "gru"),
                         zoo_test_name);

/// Results of rounded factors are near the reference's, but not equal. Bits do not depend on where weights are kept.
TEST_P(Bf16FibersOfModel, MultiplyWithRoundedFactors) {
  const ZooCase zoo = make(2);
  const auto samples = all_samples(zoo.graphs);
  const Bench bench(zoo.model, zoo.graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
  const auto run = [&](int registers) {
    const KernelOptions options{.warps = 2, .weight_registers = registers, .precision = Precision::kBf16};
    const KernelOnFibers kernel(PersistentStep(zoo.model, few_processors(2), options));
    return kernel.run(zoo.graphs, samples, *bench.parameters, sgd());
  };
  const StepOutcome found = run(208);
  const double loss = found.result.loss / static_cast<double>(samples.size());
  EXPECT_NEAR(loss, reference.loss, kRounding * std::abs(reference.loss));
  double most = 0;
  for (int p = 0; p < bench.parameters->size(); ++p) {
    most = std::max(most, error(found.gradients.values(p), reference.gradients.values(p)));
    EXPECT_LT(error(found.gradients.values(p), reference.gradients.values(p)), kRounding)
        << bench.parameters->info(p).name;
  }
  EXPECT_GT(most, 1e-4) << "nothing was rounded";
  expect_same_bits(run(0), found, *bench.parameters);
}

/// The place of a weight changes no bit.
class FibersOfPlaces : public testing::TestWithParam<Precision> {
 protected:
  /// @param registers  number per lane @param words  words of shared memory per lane
  StepOutcome run(StepCase of, int processors, int registers, int words) const {
    of = in_places(of, registers, words);
    of.kernel.precision = GetParam();
    const KernelOnFibers kernel(of.step(gpu_target("a GPU", processors, of.kernel.warps, registers, words)));
    const auto uses = [&](std::int32_t memory) {
      return std::ranges::any_of(kernel.step().placement().weights, [&](const PlacedWeight& placed) {
        return std::ranges::count(placed.memory, memory) > 0;
      });
    };
    EXPECT_EQ(uses(0), registers > 0);
    EXPECT_EQ(uses(1), words > 0);
    return kernel.run(of.zoo.graphs, all_samples(of.zoo.graphs), *of.zoo.model.make_parameters(), sgd());
  }
  struct Places {
    int registers, words;
  };
  void expect_same_bits_in(const StepCase& of, int processors, std::initializer_list<Places> all) const {
    const StepOutcome in_memory = run(of, processors, 0, 0);
    for (const auto& [registers, words] : all) {
      SCOPED_TRACE(fmt::format("{} registers, {} words", registers, words));
      expect_same_bits(run(of, processors, registers, words), in_memory, *of.zoo.model.make_parameters());
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Precisions, FibersOfPlaces, testing::Values(Precision::kFp32, Precision::kBf16),
                         [](const auto& of) { return of.param == Precision::kBf16 ? "bf16" : "fp32"; });

/// Weights in registers, in shared memory, in both, and in both with the rest in the L2 cache.
TEST_P(FibersOfPlaces, HaveTheSameBits) {
  expect_same_bits_in(zoo_case("tree-lstm-binary", 2), 2, {{400, 0}, {0, 400}, {33, 400}, {17, 21}});
}

/// Some processors have units of a weight only in shared memory, others also in registers.
TEST_P(FibersOfPlaces, HaveTheSameBitsIfProcessorsDiffer) {
  expect_same_bits_in(zoo_case("bilstm-tagger", 2), 6, {{42, 400}});
}

/// Two products share a weight, whose tile is computed once. The weight is the second factor of the first product.
TEST_P(FibersOfPlaces, HaveTheSameBitsIfTwoProductsShareAWeight) {
  Model m({.seed = 2});
  const int h = 40;
  auto a = m.parameter("a", {h, h}), u = m.parameter("u", {h, h}), b = m.parameter("b", {h}, Initializer::uniform(1));
  m.vertex_function("vertex", [&](Vertex& v) {
    auto t = tanh(v.gather(0, "h") * a + v.gather(1, "h") * u + b);
    auto state = tanh(t * u);
    v.scatter("h", state);
    v.loss(sum_features(state * state));
  });
  const StepCase of(ZooCase{"a weight twice", m, random_trees(2, 20, 5, 6)});
  expect_same_bits_in(of, 2, {{400, 0}, {0, 400}, {33, 30}});
}

/// All kinds of optimisers, with all options that change their formula.
std::vector<OptimizerOptions> optimizers() {
  std::vector<OptimizerOptions> all;
  for (const std::string_view kind : optimizer_kinds()) {
    all.push_back(optimizer_defaults(kind));
    all.back().lr = 0.03;
    all.push_back(all.back());
    all.back().weight_decay = 0.1;
    all.back().sparse_updates = true;
  }
  OptimizerOptions momentum = optimizer_defaults("sgd");
  momentum.lr = 0.03;
  momentum.momentum = 0.9;
  momentum.weight_decay = 0.1;
  all.push_back(momentum);
  momentum.nesterov = true;
  all.push_back(momentum);
  momentum.groups = {ParameterGroup::frozen("*embedding*")};
  return all;
}

/// Compares parameters of the kernel with those of the batched engine's update of the same minibatch.
TEST(FibersOfOptimizers, UpdateWithTheNumbersOfTheBatchedEngine) {
  const ZooCase zoo = zoo_case("tree-lstm", 2);
  const auto samples = all_samples(zoo.graphs);
  const KernelOnFibers kernel(zoo.model, few_processors(2));
  for (const OptimizerOptions& options : optimizers())
    for (const float clip : {0.0F, 0.05F}) {
      const std::string what = fmt::format("{}, weight decay {}, momentum {}, nesterov {}, clipped at {}", options.kind,
                                           options.weight_decay, options.momentum, options.nesterov, clip);
      const Bench bench(zoo.model, zoo.graphs);
      StepOptions step;
      step.optimizer = options;
      step.clip_norm = clip;
      const StepOutcome found = kernel.run(zoo.graphs, samples, *bench.parameters, step);
      Session session(bench.program, bench.parameters);
      Optimizer optimizer(options, *bench.parameters);
      Gradients gradients(*bench.parameters);
      cavs::Run run = session.forward(*bench.bound, samples);
      run.backward(gradients);
      for (int p = 0; p < bench.parameters->size(); ++p) {
        expect_close(found.gradients.values(p), gradients.values(p),
                     what + ", gradient of " + bench.parameters->info(p).name);
        // Division by a number near zero magnifies small differences, so both use equal gradients.
        std::ranges::copy(found.gradients.values(p), gradients.values(p).begin());
      }
      const UpdateResult updated = session.update(run, gradients, optimizer, {.clip_norm = clip});
      EXPECT_NEAR(found.result.norm, updated.gradient_norm, 1e-5 * updated.gradient_norm) << what;
      for (int p = 0; p < bench.parameters->size(); ++p)
        expect_close(found.parameters[p], bench.parameters->values(p), what + ", " + bench.parameters->info(p).name);
    }
}

/// A step with numbers that are not finite changes nothing, and reports this.
TEST(FibersOfOptimizers, KeepParametersIfNumbersAreNotFinite) {
  const ZooCase zoo = zoo_case("tree-lstm", 2);
  const Bench bench(zoo.model, zoo.graphs);
  Parameters& parameters = *bench.parameters;
  parameters.values(parameters.size() - 1)[0] = std::numeric_limits<float>::quiet_NaN();
  const StepOutcome found =
      KernelOnFibers(zoo.model, few_processors(2)).run(zoo.graphs, all_samples(zoo.graphs), parameters, sgd());
  EXPECT_EQ(found.result.updated, 0U);
  for (int p = 0; p < parameters.size(); ++p)
    cavs::expect_same_bits(found.parameters[p], parameters.values(p), parameters.info(p).name);
}

}  // namespace
}  // namespace cavs::cuda
