// NVRTC compiles each of the files that kernels include by itself.

#include <gtest/gtest.h>

#include "cuda/ptx/nvrtc.h"
#include "cuda/ptx/step_on_ptx.h"

namespace cavs::cuda::ptx {
namespace {

TEST(DeviceFiles, CompileSeparatelyWithNvrtc) {
  CAVS_NEEDS_NVRTC();
  for (const SourceFile& file : device_files()) {
    if (!file.name.ends_with(".cuh")) continue;
    const KernelSource alone{"#include \"" + file.name + "\"\nCAVS_KERNEL(64) kernel() {}\n", device_files()};
    EXPECT_NO_THROW(TestNvrtc::compile(alone, "compute_80", nvrtc_options())) << file.name;
  }
}

}  // namespace
}  // namespace cavs::cuda::ptx
