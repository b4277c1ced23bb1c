#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/compile_kernel.h"

namespace cavs::cuda {

/// Cubins in files, so that a kernel is compiled once on a machine. A file has what it was made of besides (source,
/// architecture, version of the compiler), which is compared, and a check of its bytes: what is broken or of something
/// else counts as absent, and is replaced. Any number of processes may use a directory, and it may be deleted at any
/// time.
class KernelCache {
 public:
  /// In `directory`, which is made when it is needed; "": keeps nothing.
  explicit KernelCache(std::string directory) : directory_(std::move(directory)) {}
  /// What the environment's CAVS_CUDA_CACHE names ("off": nothing is kept), else cavs/cuda in XDG_CACHE_HOME or
  /// ~/.cache.
  static KernelCache of_environment();

  const std::string& directory() const { return directory_; }
  /// @param made_of   everything that the cubin depends on but the version of its compiler
  /// @param compiler  that version; "": any, where there is no compiler
  std::optional<Cubin> find(const std::string& made_of, const std::string& compiler) const;
  /// Atomically. What cannot be kept is not: the next process compiles it again. @return why not; empty: it is kept
  std::string keep(const std::string& made_of, const std::string& compiler, const Cubin& cubin) const;
  /// Measurements: so many numbers, by what they are of.
  std::optional<std::vector<double>> find_numbers(const std::string& made_of, std::size_t count) const;
  void keep_numbers(const std::string& made_of, std::span<const double> numbers) const;
  /// Where that lies.
  std::string path(const std::string& made_of) const;

 private:
  std::string directory_;
};

/// Compiles kernels, or takes them from a cache; opens NVRTC when it first needs it. Where there is no NVRTC, it takes
/// what any version has made. One thread at a time.
class KernelCompiler {
 public:
  /// @param driver_version  as open_nvrtc() takes it
  explicit KernelCompiler(KernelCache cache, int driver_version = 0)
      : cache_(std::move(cache)), driver_version_(driver_version) {}
  /// @throws what open_nvrtc() and compile_kernel() throw
  Cubin compile(const KernelSource& source, int compute, const std::vector<std::string>& options);
  /// Kernels that were compiled, and were in the cache.
  int compiled() const { return compiled_; }
  int cached() const { return cached_; }
  const KernelCache& cache() const { return cache_; }
  /// Why a kernel could not be kept; empty: all are, or none was to be.
  const std::string& not_kept() const { return not_kept_; }
  /// How many were compiled, and where the others are from, for the user.
  std::string describe() const;

 private:
  KernelCache cache_;
  int driver_version_;
  std::optional<Nvrtc> nvrtc_;
  std::string version_, not_kept_;
  int compiled_ = 0, cached_ = 0;
};

}  // namespace cavs::cuda
