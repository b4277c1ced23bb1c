// Resources of the persistent kernel as reported by ptxas, and its machine code: registers, stack, spills and loads of
// weights. All models, and the largest sizes with all weights in registers, take minutes. scripts/cuda.sh runs them and
// prints the tables of docs/measurements/cuda.md.

#include <gtest/gtest.h>

#include "cuda/ptx/nvrtc.h"
#include "cuda/ptx/resources.h"
#include "cuda/ptx/sass.h"
#include "cuda/sweep/sweep.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda::ptx {
namespace {

/// Weights that must have registers or shared memory. The forward weights always must, for the sizes that the table in
/// docs/measurements/cuda.md lists.
enum class Kept : std::uint8_t { kAll, kForward };

struct Size {
  std::string model;
  std::int32_t hidden;
  Precision precision = Precision::kFp32;
  Kept kept = Kept::kAll;
};

std::string name_of(const Size& size) {
  std::string name = size.model + "_" + std::to_string(size.hidden);
  if (size.precision == Precision::kBf16) name += "_bf16";
  std::ranges::replace(name, '-', '_');
  return name;
}
void PrintTo(const Size& size, std::ostream* out) { *out << name_of(size); }

Resources of(const Size& size, const char* architecture) {
  const Model model =
      find_model(size.model)
          .make({.vocabulary = 1000, .embedding = size.hidden, .hidden = size.hidden, .classes = 5, .seed = 3});
  KernelOptions options;
  options.precision = size.precision;
  return lean_resources_of(model, architecture, options);
}

void print(const Size& size, const char* architecture, const Resources& r, const std::string& loads) {
  std::printf("| %s | %d | %s | %s | %d | %d | %s | %d | %d | %d | %d | %d | %d | %d | %s | %.1f | %.2f |\n",
              size.model.c_str(), size.hidden, size.precision == Precision::kBf16 ? "bf16" : "fp32", architecture,
              r.predicted, r.weights, loads.c_str(), r.columns, r.predicted_shared, r.shared, r.registers, r.stack,
              r.spills, r.thrown_away,
              r.fits           ? "yes"
              : r.forward_fits ? "forward"
                               : "no",
              1e3 * r.generate_seconds, r.nvrtc_seconds);
}

void expect_lean(const Size& size, const char* architecture) {
  SCOPED_TRACE(architecture);
  const Resources r = of(size, architecture);
  expect_fits(r);
  EXPECT_GT(r.weights, 0);
  EXPECT_TRUE(size.kept == Kept::kAll ? r.fits : r.forward_fits);
  std::string loads = "-";
  if (missing_nvdisasm().empty()) {
    const std::vector<SassInstruction> code = disassemble(r.cubin);
    const bool is_bf16 = size.precision == Precision::kBf16;
    const int numbers = is_bf16 ? 2 : 1;  // per register
    const int of_loop = is_bf16 ? 4 : 1;  // loads in the loop that fills shared memory
    const int loads_of_loop = r.shared > 0 ? of_loop : 0;
    EXPECT_EQ(weight_loads(code), r.weights * numbers + loads_of_loop);
    EXPECT_EQ(count(code).local, 0);
    loads = std::to_string(weight_loads(code));
  }
  print(size, architecture, r, loads);
}

class ResourcesOfModel : public testing::TestWithParam<Size> {};
std::vector<Size> models() {
  if (!kSweeps) return {{"tree-lstm", 128}, {"tree-lstm-binary", 128}, {"var-lstm", 128}};
  std::vector<Size> all;
  for (const std::string& name : model_names()) all.push_back({.model = name, .hidden = 128});
  for (const char* name : {"tree-lstm", "tree-lstm-binary", "var-lstm"})
    all.push_back({.model = name, .hidden = 256, .precision = Precision::kBf16});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Zoo, ResourcesOfModel, testing::ValuesIn(models()),
                         [](const auto& of) { return name_of(of.param); });

TEST_P(ResourcesOfModel, FitWithoutStackAndSpills) {
  CAVS_NEEDS_NVRTC();
  if (kSweeps) expect_lean(GetParam(), "sm_80");
  expect_lean(GetParam(), "sm_90");
}

TEST(Resources, AKernelThatSpillsIsDiscarded) {
  CAVS_NEEDS_NVRTC();
  const Resources r = lean_resources_of(small_model("var-lstm", 0, 512), "sm_90", {.weight_registers = 400});
  EXPECT_TRUE(r.is_lean());
  EXPECT_GT(r.weights, 0);
}

/// The largest sizes whose weights fit into registers, or into registers and shared memory, with all transposed copies
/// or with some of them in the L2 cache.
class LargeResources : public testing::TestWithParam<Size> {};
std::vector<Size> large() {
  constexpr auto kBf16 = Precision::kBf16;
  if (!kSweeps) return {{.model = "tree-lstm", .hidden = 512}};
  return {{.model = "tree-lstm", .hidden = 512},
          {.model = "tree-lstm", .hidden = 768},
          {.model = "tree-lstm", .hidden = 1024},
          {.model = "tree-lstm-binary", .hidden = 256},
          {.model = "tree-lstm-binary", .hidden = 512},
          {.model = "tree-lstm-binary", .hidden = 768},
          {.model = "var-lstm", .hidden = 512},
          {.model = "var-lstm", .hidden = 768},
          {.model = "var-lstm", .hidden = 1024},
          {.model = "tree-lstm", .hidden = 512, .precision = kBf16},
          {.model = "tree-lstm", .hidden = 1056, .precision = kBf16},
          {.model = "tree-lstm", .hidden = 1536, .precision = kBf16, .kept = Kept::kForward},
          {.model = "tree-lstm-binary", .hidden = 512, .precision = kBf16},
          {.model = "tree-lstm-binary", .hidden = 704, .precision = kBf16},
          {.model = "tree-lstm-binary", .hidden = 1024, .precision = kBf16},
          {.model = "var-lstm", .hidden = 512, .precision = kBf16},
          {.model = "var-lstm", .hidden = 1056, .precision = kBf16},
          {.model = "var-lstm", .hidden = 1536, .precision = kBf16},
          {.model = "tree-lstm", .hidden = 2048, .precision = kBf16, .kept = Kept::kForward},
          {.model = "tree-lstm-binary", .hidden = 1536, .precision = kBf16, .kept = Kept::kForward},
          {.model = "var-lstm", .hidden = 2048, .precision = kBf16, .kept = Kept::kForward}};
}
INSTANTIATE_TEST_SUITE_P(Sizes, LargeResources, testing::ValuesIn(large()),
                         [](const auto& of) { return name_of(of.param); });

TEST_P(LargeResources, FitWithoutStackAndSpills) {
  CAVS_NEEDS_NVRTC();
  expect_lean(GetParam(), "sm_90");
}

}  // namespace
}  // namespace cavs::cuda::ptx
