#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/device_files.h"
#include "backend/cuda/entries/kernel_arguments.h"
#include "cuda/fibers/fibers.h"

namespace cavs::cuda {

/// The text of kernels, compiled by g++ for fibers (emulated CUDA threads) with the sanitizers of the tests, and
/// loaded.
class CompiledModule {
 public:
  /// @throws std::runtime_error with the compiler's output
  explicit CompiledModule(const KernelSource& source);
  ~CompiledModule();
  CompiledModule(const CompiledModule&) = delete;

  /// Returns the kernel of this name; nullptr if there is none.
  template <typename Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* library_ = nullptr;
};

/// The persistent kernel (one launch per minibatch), compiled for fibers.
class CompiledKernel {
 public:
  explicit CompiledKernel(const KernelSource& source)
      : module_(source), kernel_(module_.find<void (*)(KernelArguments)>("cavs_persistent")) {}

  /// Runs the kernel. @return the faults, as from launch_on_fibers()
  std::vector<std::string> launch(int blocks, int threads, std::uint64_t seed, std::span<const LaunchBuffer> memory,
                                  const KernelArguments& arguments) const {
    return launch_on_fibers(blocks, threads, seed, memory, [&] { kernel_(arguments); });
  }

 private:
  const CompiledModule module_;
  void (*const kernel_)(KernelArguments);
};

/// Returns the errors of the same compiler for a source, without building it; empty if there are none.
std::string errors_of(const KernelSource& source);

}  // namespace cavs::cuda
