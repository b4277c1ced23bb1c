#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/cuda/device_files.h"
#include "backend/cuda/driver.h"

namespace cavs::cuda {

/// Resources of a kernel, as reported by ptxas.
struct KernelResources {
  std::int32_t registers = 0;      // per thread
  std::int32_t stack_bytes = 0;    // bytes of stack per thread, in memory
  std::int32_t spilled_bytes = 0;  // bytes per thread of values that are in memory for lack of registers
  bool operator==(const KernelResources&) const = default;

  /// True if all values are in registers.
  bool is_lean() const { return stack_bytes == 0 && spilled_bytes == 0; }
};

/// Machine code of a kernel for one GPU architecture, as cuModuleLoadData reads it.
struct Cubin {
  std::vector<std::byte> bytes;
  KernelResources resources;
};

/// Returns NVRTC's version, such as "13.0".
std::string version_of(const Nvrtc& nvrtc);

/// Compiles CUDA C++ that has one kernel.
/// @param compute  the architecture: 80 for sm_80   @param options  other options
/// @throws UserError if NVRTC does not support the architecture, with a list of supported ones; InternalError with the
/// compiler's log if the source does not compile.
/// Cost: a second or two.
Cubin compile_kernel(const Nvrtc& nvrtc, const KernelSource& source, int compute,
                     const std::vector<std::string>& options);

/// Returns the resources that ptxas reports in NVRTC's log. @throws InternalError if there is no report
KernelResources resources_in(const std::string& log);

}  // namespace cavs::cuda
