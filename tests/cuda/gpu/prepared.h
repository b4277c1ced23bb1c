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

/// Thrown if there is nothing to check: no GPU, or a GPU without prepared kernels. All other errors are failures.
class NothingToCheck : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An architecture (90 for sm_90) and a number of processors.
using PreparedGpu = std::pair<int, int>;

/// A folder that one machine prepares for another machine, which has a GPU and no compiler. It has kernels in folder
/// kernels, and this struct in prepared.json.
struct PreparedFolder {
  std::string folder;
  bool small = false;  // sizes for a rehearsal on fibers
  std::set<PreparedGpu> gpus;
  std::map<std::string, std::string> bits;  // bits of the results on fibers, by case

  /// @throws std::runtime_error if there is none
  static PreparedFolder read(const std::string& folder);
  void write() const;
  KernelCompiler compiler() const { return KernelCompiler(KernelCache(folder + "/kernels")); }

  /// The GPU of this machine. @throws NothingToCheck if there is none, or one of another architecture
  DeviceRef open_gpu() const;
  /// Checks the number of processors, on which kernels of real sizes depend. @throws NothingToCheck if it differs
  void check_processors(const DeviceProperties& gpu) const;

 private:
  std::string list_gpus() const;
};

}  // namespace cavs::cuda
