#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/device_files.h"
#include "backend/cuda/entries/kernel_arguments.h"
#include "cuda/fibers/fibers.h"

namespace cavs::cuda {

/// The text of kernels, compiled by g++ for fibers with the sanitizers of the tests, and loaded.
class CompiledModule {
 public:
  /// @throws std::runtime_error with the compiler's output
  explicit CompiledModule(const KernelSource& source);
  ~CompiledModule();
  CompiledModule(const CompiledModule&) = delete;

  /// Returns nullptr if there is no kernel of this name.
  template <typename Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* library_ = nullptr;
};

/// The persistent kernel.
class CompiledKernel {
 public:
  explicit CompiledKernel(const KernelSource& source)
      : module_(source), kernel_(module_.find<void (*)(KernelArguments)>("cavs_persistent")) {}

  /// @return faults, as from launch_on_fibers()
  std::vector<std::string> launch(int blocks, int threads, std::uint64_t seed, std::span<const LaunchBuffer> memory,
                                  const KernelArguments& arguments) const {
    return launch_on_fibers(blocks, threads, seed, memory, [&] { kernel_(arguments); });
  }

 private:
  const CompiledModule module_;
  void (*const kernel_)(KernelArguments);
};

/// The same compiler's errors for a source, without any output. Empty if there are none.
std::string errors_of(const KernelSource& source);

}  // namespace cavs::cuda
