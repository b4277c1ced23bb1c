// The kernels of engine batched as NVRTC compiles them: interpreted, and the resources that they need. All models take
// minutes; scripts/cuda.sh runs them.

#include <gmock/gmock.h>

#include "backend/cuda/compile_kernel.h"
#include "cuda/batched_step.h"
#include "cuda/outcome.h"
#include "cuda/ptx/machine.h"
#include "cuda/ptx/nvrtc.h"
#include "cuda/ptx/sass.h"
#include "cuda/ptx/step_on_ptx.h"
#include "cuda/record_mutants.h"
#include "cuda/state_copies.h"
#include "cuda/sweep/sweep.h"
#include "cuda/word_search.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda::ptx {
namespace {

using Names = std::vector<std::string>;

/// Checks that the PTX of each architecture gives the bits of fibers, whose numbers batched_test.cc compares with the
/// reference engine.
void expect_bits_of_fibers(const StepCase& of) {
  const BatchedStep step(of);
  const auto parameters = of.zoo.model.make_parameters();
  StepOptions options = sgd();
  const PackedStep minibatch = step.pack(of.zoo.graphs, all_samples(of.zoo.graphs), options);
  const StepOutcome expected = LaunchesOnFibers(step).run(minibatch, *parameters, options, 3);
  for (const std::string architecture : {"compute_80", "compute_90"}) {
    SCOPED_TRACE(architecture);
    const Module module = Module::load(TestNvrtc::compile(step.kernels().source, architecture, nvrtc_options()).ptx);
    ++options.order;
    const StepOutcome found =
        step.run(minibatch, *parameters, options,
                 [&](const BatchedKernels::Kernel& kernel, const Launch& with, std::span<const LaunchBuffer> memory) {
                   launch(module, kernel.name,
                          {.blocks = 2,
                           .threads = kTileThreads,
                           .seed = options.order,
                           .dynamic_shared_bytes = static_cast<std::size_t>(kernel.shared_bytes)},
                          memory, &with, sizeof with);
                 });
    expect_same_bits(found, expected, *parameters);
  }
}

class BatchedPtxOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, BatchedPtxOfModel,
                         testing::ValuesIn(kSweeps ? all_zoo_names() : Names{"tree-lstm", "bilstm-crf"}),
                         zoo_test_name);

TEST_P(BatchedPtxOfModel, TrainsWithTheBitsOfFibers) {
  CAVS_NEEDS_NVRTC();
  expect_bits_of_fibers(make(fewer(kSweeps ? 4 : 2), 0.2));
}

TEST(BatchedPtxOfDecoders, KeepsStatesAndFindsTheBestWords) {
  CAVS_NEEDS_NVRTC();
  const BatchedStep step(StepCase(zoo_case("var-lstm", 1), {.training = false}));
  for (const std::string architecture : {"compute_80", "compute_90"}) {
    const Module module = Module::load(TestNvrtc::compile(step.kernels().source, architecture, nvrtc_options()).ptx);
    StateCopiesCase states;
    const Launch with = states.launch();
    launch(module, "cavs_keep_states", {.blocks = 2, .threads = kTileThreads}, states.memory(), &with, sizeof with);
    states.expect_copied();
    WordSearchCase search(700, 5);
    const Launch searches = search.launch();
    launch(module, "cavs_best_words", {.blocks = 2, .threads = kTileThreads}, search.memory(), &searches,
           sizeof searches);
    search.expect_best();
  }
}

TEST(BatchedPtxOfTiles, TrainsWithTheBitsOfFibers) {
  CAVS_NEEDS_NVRTC();
  expect_bits_of_fibers(wide_softmax(2));
  expect_bits_of_fibers(in_bf16(zoo_case("gru", 2)));
  StepCase tf32(zoo_case("gru", 2));
  tf32.kernel.precision = Precision::kTf32;
  expect_bits_of_fibers(tf32);
}

/// A launch must touch no memory before it has waited, because a GPU may start it before the previous one ends.
void expect_kernels_wait(const StepCase& of) {
  const BatchedStep step(of);
  const std::string ptx = TestNvrtc::compile(step.kernels().source, "compute_90", nvrtc_options()).ptx;
  int kernels = 0;
  for (auto at = ptx.find(".visible .entry"); at != ptx.npos; ++kernels) {
    const auto next = ptx.find(".visible .entry", at + 1);
    const std::string text = ptx.substr(at, next - at);
    const auto wait = text.find("griddepcontrol.wait");
    ASSERT_NE(wait, text.npos) << text.substr(0, 80);
    for (const char* access : {"ld.global", "st.global", "ld.shared", "st.shared", "cp.async", "atom.", "red."})
      EXPECT_LT(wait, text.find(access)) << access << " in " << text.substr(0, 80);
    at = next;
  }
  EXPECT_GT(kernels, 10);
}

TEST(BatchedPtx, WaitsBeforeItTouchesMemory) {
  CAVS_NEEDS_NVRTC();
  expect_kernels_wait(wide_softmax(1));
  expect_kernels_wait({zoo_case("lstm-nmt", 1), {.training = false}});
}

/// Changes some words of records. cuda_sweep changes all words, except for a softmax over words, where a wild operand
/// makes fibers access memory that they do not check.
TEST(BatchedRecords, ChangesAreFoundInOtherModels) {
  constexpr std::size_t kFew = 150, kAll = std::size_t{1} << 30;
  for (const StepCase& of : std::vector<StepCase>{zoo_case("tree-lstm", 8, 0.2), zoo_case("tree-lstm-binary", 8, 0.2),
                                                  zoo_case("var-lstm", 8), zoo_case("gru", 8, 0.2)}) {
    SCOPED_TRACE(of.zoo.name);
    expect_found(RecordMutants(of, 2), kSweeps ? kAll : kFew);
  }
  expect_found(RecordMutants(wide_softmax(8), 2), kFew);
}

class BatchedResourcesOfModel : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Zoo, BatchedResourcesOfModel,
                         testing::ValuesIn(kSweeps ? model_names() : Names{"tree-lstm", "lattice-lstm"}),
                         zoo_test_name);

std::vector<std::string> with_log(std::vector<std::string> flags) {
  flags.emplace_back("--ptxas-options=-v");
  return flags;
}

BatchedKernels kernels_of(const std::string& name, std::int32_t hidden, const CompileOptions& options,
                          Precision precision = Precision::kFp32) {
  const Model model =
      find_model(name).make({.vocabulary = 1000, .embedding = hidden, .hidden = hidden, .classes = 5, .seed = 3});
  const auto program = compile(model, options, batched_target());
  const KernelOptions kernel{.warps = kTileWarps, .weight_registers = 0, .precision = precision};
  const WeightPlacement placement = place_weights(*program, gpu_target("a GPU", 1, 1, 0), 4);
  return batched_kernels(*program, kernel_tables(*program, placement, kernel), kernel);
}

/// Checks that there is no stack or spill, and that two blocks fit at a time, so that launches of two levels overlap; a
/// large tile may fill a processor. @return most registers per thread, except with large tiles
int expect_lean(const BatchedKernels& kernels, const std::string& architecture) {
  const std::string log = TestNvrtc::compile(kernels.source, architecture, with_log(nvrtc_options())).log;
  constexpr std::string_view kBegins = "Compiling entry function '";
  int most = 0;
  for (auto at = log.find(kBegins); at != log.npos;) {
    const auto next = log.find(kBegins, at + 1);
    const std::string of_kernel = log.substr(at, next - at);
    const std::string name = of_kernel.substr(kBegins.size(), of_kernel.find('\'', kBegins.size()) - kBegins.size());
    SCOPED_TRACE(name + " for " + architecture);
    const KernelResources r = resources_in(of_kernel);
    EXPECT_TRUE(r.is_lean()) << r.stack_bytes << " bytes of stack, " << r.spilled_bytes << " spilled";
    const bool is_large = name.ends_with("_large");
    EXPECT_LE(r.registers, is_large ? 255 : 128);
    if (!is_large) most = std::max(most, r.registers);
    at = next;
  }
  EXPECT_GT(most, 0);
  return most;
}

/// The middle size is for two models: in 11 models, small and medium tiles needed as many registers at all sizes.
TEST_P(BatchedResourcesOfModel, AreLean) {
  CAVS_NEEDS_NVRTC();
  std::vector<std::int32_t> sizes{128};
  if (kSweeps) sizes = {128, 1024};
  if (kSweeps && (GetParam() == "tree-lstm" || GetParam() == "lattice-lstm")) sizes = {128, 512, 1024};
  for (const std::int32_t hidden : sizes)
    for (const char* architecture : {"sm_80", "sm_90"})
      for (const Precision precision : {Precision::kFp32, Precision::kTf32, Precision::kBf16}) {
        if (precision != Precision::kFp32 && !kSweeps && GetParam() != "tree-lstm") continue;
        std::printf("| %s | %d | %s | %s | %d |\n", GetParam().c_str(), hidden, architecture,
                    std::string(to_string(precision)).c_str(),
                    expect_lean(kernels_of(GetParam(), hidden, {}, precision), architecture));
      }
}

TEST(BatchedResourcesOfDecoders, AreLean) {
  CAVS_NEEDS_NVRTC();
  for (const char* architecture : {"sm_80", "sm_90"})
    expect_lean(kernels_of("lstm-nmt", 128, {.training = false}), architecture);
}

/// Each kernel with tiles uses tensor cores if the precision allows it, and only then.
TEST(BatchedTensorCores, MultiplyInTf32AndBf16) {
  CAVS_NEEDS_NVRTC();
  for (const auto& [precision, opcode] :
       {std::pair{Precision::kFp32, ""}, {Precision::kTf32, ".tf32.tf32."}, {Precision::kBf16, ".bf16.bf16."}}) {
    const BatchedKernels kernels = kernels_of("var-lstm", 128, PersistentStep::as_trained(), precision);
    const std::string ptx = TestNvrtc::compile(kernels.source, "compute_90", nvrtc_options()).ptx;
    for (const BatchedKernels::Kernel& kernel : kernels.kernels) {
      const auto at = ptx.find(".entry " + kernel.name + "(");
      if (kernel.name.empty()) continue;
      ASSERT_NE(at, ptx.npos) << kernel.name;
      const std::string text = ptx.substr(at, ptx.find(".visible .entry", at) - at);
      const bool multiplies = precision != Precision::kFp32 && kernel.shared_bytes > 0;
      EXPECT_EQ(text.find("mma.sync") != text.npos, multiplies) << kernel.name;
      EXPECT_TRUE(!multiplies || text.find(opcode) != text.npos) << kernel.name;
    }
    if (!missing_nvdisasm().empty()) continue;
    const std::vector<SassInstruction> code =
        disassemble(TestNvrtc::compile(kernels.source, "sm_90", nvrtc_options()).cubin);
    EXPECT_EQ(std::ranges::any_of(code, [](const SassInstruction& i) { return i.is("HMMA"); }),
              precision != Precision::kFp32);
  }
}

}  // namespace
}  // namespace cavs::cuda::ptx
