#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/compile_kernel.h"

namespace cavs::cuda {

/// Cubins in files, so that a kernel is compiled once per machine. A file also contains the key (source, architecture,
/// compiler version), which is compared, and a checksum. Files that are damaged or have another key count as absent and
/// are replaced. Any number of processes may use a directory. It may be deleted at any time.
class KernelCache {
 public:
  /// Uses `directory`, which is created when needed. "" means that nothing is kept.
  explicit KernelCache(std::string directory) : directory_(std::move(directory)) {}
  /// The directory that CAVS_CUDA_CACHE names ("off" keeps nothing); by default cavs/cuda in XDG_CACHE_HOME or
  /// ~/.cache.
  static KernelCache of_environment();

  const std::string& directory() const { return directory_; }
  /// @param made_of   everything that the cubin depends on, except the version of its compiler
  /// @param compiler  the version of the compiler; "" accepts any, if there is no compiler
  std::optional<Cubin> find(const std::string& made_of, const std::string& compiler) const;
  /// Writes atomically. A cubin that cannot be written is compiled again by the next process. @return the reason; empty
  /// on success
  std::string keep(const std::string& made_of, const std::string& compiler, const Cubin& cubin) const;
  /// Finds measurements, a given count of numbers, by their key.
  std::optional<std::vector<double>> find_numbers(const std::string& made_of, std::size_t count) const;
  void keep_numbers(const std::string& made_of, std::span<const double> numbers) const;
  /// Path of the file.
  std::string path(const std::string& made_of) const;

 private:
  std::string directory_;
};

/// Compiles kernels, or takes them from a cache. NVRTC is opened when first needed. Without NVRTC, cubins of any
/// compiler version are accepted. Not thread-safe.
class KernelCompiler {
 public:
  /// @param driver_version  as for open_nvrtc()
  explicit KernelCompiler(KernelCache cache, int driver_version = 0)
      : cache_(std::move(cache)), driver_version_(driver_version) {}
  /// @throws the errors of open_nvrtc() and compile_kernel()
  Cubin compile(const KernelSource& source, int compute, const std::vector<std::string>& options);
  /// Number of kernels that were compiled; number that were in the cache.
  int compiled() const { return compiled_; }
  int cached() const { return cached_; }
  const KernelCache& cache() const { return cache_; }
  /// The reason why a kernel could not be written to the cache; empty if there was no such failure.
  const std::string& not_kept() const { return not_kept_; }
  /// A line for the user: number of compiled kernels, and source of the others.
  std::string describe() const;

 private:
  KernelCache cache_;
  int driver_version_;
  std::optional<Nvrtc> nvrtc_;
  std::string version_, not_kept_;
  int compiled_ = 0, cached_ = 0;
};

}  // namespace cavs::cuda
