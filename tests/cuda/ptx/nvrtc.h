#pragma once

#include <string>
#include <vector>

#include "backend/cuda/device_files.h"

namespace cavs::cuda {

/// The output of NVRTC (CUDA's run-time compiler) for a source.
struct Compiled {
  std::string ptx;    // for a virtual architecture such as compute_80, else empty
  std::string cubin;  // for a real architecture such as sm_80, else empty
  std::string log;    // has registers, stack and spills with --ptxas-options=-v
};

/// NVIDIA's run-time compiler, opened on first use in the same way as by the library (open_nvrtc()). It needs neither
/// GPU nor driver.
class TestNvrtc {
 public:
  /// Returns the reason why NVRTC is missing, with advice; empty if it is there.
  static const std::string& missing();

  /// Compiles a source. @param architecture  "compute_80" for PTX, or "sm_80" for a cubin
  /// @throws std::runtime_error with the compiler's log
  static Compiled compile(const KernelSource& source, const std::string& architecture,
                          const std::vector<std::string>& options);
};

/// Skips the test, with the reason, if NVRTC is missing.
#define CAVS_NEEDS_NVRTC() \
  if (!cavs::cuda::TestNvrtc::missing().empty()) GTEST_SKIP() << cavs::cuda::TestNvrtc::missing()

}  // namespace cavs::cuda
