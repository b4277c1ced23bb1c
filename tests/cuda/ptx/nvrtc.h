#pragma once

#include <string>
#include <vector>

#include "backend/cuda/device_files.h"

namespace cavs::cuda {

/// What NVRTC made of a source.
struct Compiled {
  std::string ptx;    // of a virtual architecture
  std::string cubin;  // of a real one, such as sm_80
  std::string log;    // with registers, stack and spills where --ptxas-options=-v is given
};

/// NVIDIA's run-time compiler, opened as the library does it (open_nvrtc()) when it is first wanted. It needs no GPU
/// and no driver.
class TestNvrtc {
 public:
  /// Empty, or why there is none: what to install, what to set.
  static const std::string& missing();

  /// @param architecture  "compute_80" (to PTX) or "sm_80" (to a cubin)
  /// @throws std::runtime_error with the compiler's log
  static Compiled compile(const KernelSource& source, const std::string& architecture,
                          const std::vector<std::string>& options);
};

/// In a test: skips it where NVRTC is missing, and says why.
#define CAVS_NEEDS_NVRTC() \
  if (!cavs::cuda::TestNvrtc::missing().empty()) GTEST_SKIP() << cavs::cuda::TestNvrtc::missing()

}  // namespace cavs::cuda
