#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/compile_kernel.h"

namespace cavs::cuda {

/// Cubins (compiled kernels) in files, so that each kernel is compiled once per machine. A file also contains a
/// checksum, and the key (source, architecture, compiler version) for comparison. A file that is damaged, or has
/// another key, is ignored and replaced. Any number of processes may use a directory. It may be deleted at any time.
class KernelCache {
 public:
  /// Uses `directory`, which is created when needed. If it is "", no file is read or written.
  explicit KernelCache(std::string directory) : directory_(std::move(directory)) {}
  /// Returns the cache in the directory of the environment variable CAVS_CUDA_CACHE; no cache if that is "off". The
  /// default is cavs/cuda in XDG_CACHE_HOME or ~/.cache.
  static KernelCache of_environment();

  const std::string& directory() const { return directory_; }
  /// Returns the cubin that was stored with this key; nullopt if there is none.
  /// @param made_of   everything that the cubin depends on, except the compiler's version
  /// @param compiler  the compiler's version; "" accepts any version, if there is no compiler
  std::optional<Cubin> find(const std::string& made_of, const std::string& compiler) const;
  /// Writes a cubin atomically. If it cannot be written, the next process compiles the kernel again. @return the reason
  /// of a failure; empty on success
  std::string keep(const std::string& made_of, const std::string& compiler, const Cubin& cubin) const;
  /// Returns `count` numbers (measurements) that were stored with this key; nullopt if there are none.
  std::optional<std::vector<double>> find_numbers(const std::string& made_of, std::size_t count) const;
  void keep_numbers(const std::string& made_of, std::span<const double> numbers) const;
  /// Returns the path of the file for a key.
  std::string path(const std::string& made_of) const;

 private:
  std::string directory_;
};

/// Compiles kernels, or takes them from a cache. NVRTC is opened when it is first needed. Without NVRTC, cubins of any
/// compiler version are accepted. Not thread-safe.
class KernelCompiler {
 public:
  /// @param driver_version  see open_nvrtc()
  explicit KernelCompiler(KernelCache cache, int driver_version = 0)
      : cache_(std::move(cache)), driver_version_(driver_version) {}
  /// Returns a compiled kernel. @param compute  80 for sm_80
  /// @throws the errors of open_nvrtc() and compile_kernel()
  Cubin compile(const KernelSource& source, int compute, const std::vector<std::string>& options);
  /// Returns how many kernels were compiled, or were in the cache.
  int compiled() const { return compiled_; }
  int cached() const { return cached_; }
  const KernelCache& cache() const { return cache_; }
  /// Returns why a kernel could not be written to the cache; empty if all were written.
  const std::string& not_kept() const { return not_kept_; }
  /// Returns a line for the user: the number of compiled kernels, and where the others came from.
  std::string describe() const;

 private:
  KernelCache cache_;
  int driver_version_;
  std::optional<Nvrtc> nvrtc_;
  std::string version_, not_kept_;
  int compiled_ = 0, cached_ = 0;
};

}  // namespace cavs::cuda
