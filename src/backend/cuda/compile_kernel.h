#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/cuda/device_files.h"
#include "backend/cuda/driver.h"

namespace cavs::cuda {

/// What a kernel takes of a processor, as ptxas says.
struct KernelResources {
  std::int32_t registers = 0;      // of a thread
  std::int32_t stack_bytes = 0;    // of a thread, in memory
  std::int32_t spilled_bytes = 0;  // written because there were too few registers
  bool operator==(const KernelResources&) const = default;

  /// Whether all that it computes with is in registers.
  bool is_lean() const { return stack_bytes == 0 && spilled_bytes == 0; }
};

/// Machine code for one architecture.
struct Cubin {
  std::vector<std::byte> bytes;
  KernelResources resources;
};

/// "13.0"
std::string version_of(const Nvrtc& nvrtc);

/// Compiles CUDA C++ that has one kernel.
/// @param compute  the architecture: 80 is sm_80   @param options  besides the architecture
/// @throws UserError if NVRTC makes no code for the architecture, saying which it knows; InternalError with the
/// compiler's log if the source does not compile.
/// Cost: a second or two.
Cubin compile_kernel(const Nvrtc& nvrtc, const KernelSource& source, int compute,
                     const std::vector<std::string>& options);

/// What ptxas has said in NVRTC's log. @throws InternalError if it says nothing
KernelResources resources_in(const std::string& log);

}  // namespace cavs::cuda
