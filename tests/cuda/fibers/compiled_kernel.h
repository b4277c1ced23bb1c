#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/device_files.h"
#include "backend/cuda/persistent/kernel_arguments.h"
#include "cuda/launch_buffer.h"

namespace cavs::cuda {

/// A kernel's text compiled by g++ for fibers, with the sanitizers of the tests, and loaded.
class CompiledKernel {
 public:
  /// @throws std::runtime_error with the compiler's output
  explicit CompiledKernel(const KernelSource& source);
  ~CompiledKernel();
  CompiledKernel(const CompiledKernel&) = delete;

  /// @return faults, as launch_on_fibers() does
  std::vector<std::string> launch(int blocks, int threads, std::uint64_t seed, std::span<const LaunchBuffer> memory,
                                  const KernelArguments& arguments) const;

 private:
  void* library_ = nullptr;
  void (*kernel_)(KernelArguments) = nullptr;
};

/// What the same compiler says of a source, of which it makes nothing. Empty: nothing.
std::string errors_of(const KernelSource& source);

}  // namespace cavs::cuda
