#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/device.h"
#include "backend/cuda/kernel_cache.h"

namespace cavs::cuda {

/// There is nothing to check: no GPU, or none that kernels were prepared for. Whatever else goes wrong is wrong.
class NothingToCheck : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An architecture (90: sm_90) and a number of processors.
using PreparedGpu = std::pair<int, int>;

/// A folder that one machine prepares and another one, with a GPU and no compiler, runs from: kernels in its folder
/// kernels, and what this is in prepared.json.
struct PreparedFolder {
  std::string folder;
  bool small = false;  // sizes for a rehearsal on fibers
  std::set<PreparedGpu> gpus;
  std::map<std::string, std::string> bits;  // that fibers compute, by case

  /// @throws std::runtime_error where there is none
  static PreparedFolder read(const std::string& folder);
  void write() const;
  KernelCompiler compiler() const { return KernelCompiler(KernelCache(folder + "/kernels")); }

  /// The GPU of this machine. @throws NothingToCheck where there is none, or one of another architecture
  DeviceRef open_gpu() const;
  /// Kernels of real sizes depend on the number of processors. @throws NothingToCheck where it is another one
  void check_processors(const DeviceProperties& gpu) const;

 private:
  std::string list_gpus() const;
};

}  // namespace cavs::cuda
