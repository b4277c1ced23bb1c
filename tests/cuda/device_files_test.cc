// Compiles each of the files that kernels include by itself, as an editor does, and calls operations of rows from a
// kernel other than the persistent one.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cuda/fibers/compiled_kernel.h"

namespace cavs::cuda {
namespace {

TEST(DeviceFiles, CompileSeparately) {
  int compiled = 0;
  for (const SourceFile& file : device_files()) {
    if (!file.name.ends_with(".cuh")) continue;
    const std::string include = "#include \"" + file.name + "\"\n";
    EXPECT_EQ(errors_of({include + include, device_files()}), "") << file.name;
    ++compiled;
  }
  EXPECT_GT(compiled, 15);
  EXPECT_NE(errors_of({"#include \"nothing.cuh\"\n", device_files()}), "");
}

/// Each warp has a row of 5 numbers in `parameters`. The kernel writes the row and its softmax to `arena`.
constexpr const char* kOrdinaryKernel = R"(
#include "backend/cuda/device/element_operations.cuh"
#include "backend/cuda/device/row_operations.cuh"
#include "backend/cuda/entries/kernel_arguments.h"

namespace cavs::cuda {

struct FewRows {
  static constexpr i32 kRows = 3, kWidth = 5, operation = kCopy;
  const KernelArguments& a;
  float* to;

  CAVS_DEVICE Operand x(i32 number) const {
    return {number == 0 ? a.parameters : to, nullptr, nullptr, nullptr, kWidth, kWidth};
  }
  template <typename F>
  CAVS_DEVICE void each_row(F f) const {
    for (i32 r = warp(); r < kRows; r += 2) f(r);
  }
};

}  // namespace cavs::cuda

CAVS_KERNEL(64) cavs_persistent(cavs::cuda::KernelArguments a) {
  using namespace cavs::cuda;
  RowOperations<FewRows>::softmax({a, a.arena});
  for (i32 i = thread(); i < 15; i += 64) ElementOperations<FewRows>::copy({a, a.arena + 15}, i / 5, i % 5);
}
)";

TEST(RowOperations, WorkInAnyKernel) {
  std::array<float, 15> in{};
  std::array<float, 30> out{};
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 0.25F * static_cast<float>(i * i % 7);
  const LaunchBuffer memory[] = {{"in", in.data(), sizeof in, true}, {"out", out.data(), sizeof out, false}};
  KernelArguments arguments{};
  arguments.parameters = in.data();
  arguments.arena = out.data();
  const CompiledKernel kernel({kOrdinaryKernel, device_files()});
  EXPECT_EQ(kernel.launch(1, 64, 1, memory, arguments), std::vector<std::string>());
  for (std::size_t i = 0; i < in.size(); ++i) {
    double total = 0;
    for (std::size_t c = 0; c < 5; ++c) total += std::exp(static_cast<double>(in[i / 5 * 5 + c]));
    EXPECT_NEAR(out[i], std::exp(static_cast<double>(in[i])) / total, 1e-6);
    EXPECT_EQ(out[in.size() + i], in[i]);
  }
}

}  // namespace
}  // namespace cavs::cuda
