#include "backend/cuda/kernel_cache.h"

#include <fmt/ranges.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "support/check.h"
#include "support/file.h"
#include "support/hash.h"

namespace cavs::cuda {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;  // largest file that is read

/// The beginning of a file. The cubin's key and the cubin follow.
struct Header {
  std::array<char, 8> magic = {'c', 'a', 'v', 's', 'c', 'u', 'b', '1'};
  std::array<char, 16> compiler = {};                // version of the compiler
  std::uint64_t made_of_bytes = 0, cubin_bytes = 0;  // sizes of the key and of the cubin
  KernelResources resources;
  std::uint32_t unused = 0;
  std::uint64_t check = 0;  // checksum of the resources and of everything after the header
};

std::uint64_t check_of(const KernelResources& resources, std::span<const std::byte> made_of,
                       std::span<const std::byte> cubin) {
  ContentHash hash;
  hash.update(std::as_bytes(std::span(&resources, 1)));
  hash.update(made_of);
  hash.update(cubin);
  return hash.digest();
}

}  // namespace

KernelCache KernelCache::of_environment() {
  if (const std::string given = from_environment("CAVS_CUDA_CACHE"); !given.empty())
    return KernelCache(given == "off" ? "" : given);
  if (const std::string caches = from_environment("XDG_CACHE_HOME"); !caches.empty())
    return KernelCache(caches + "/cavs/cuda");
  const std::string home = from_environment("HOME");
  return KernelCache(home.empty() ? "" : home + "/.cache/cavs/cuda");
}

std::string KernelCache::path(const std::string& made_of) const {
  return fmt::format("{}/{:016x}.cubin", directory_, fnv1a(made_of));
}

std::optional<Cubin> KernelCache::find(const std::string& made_of, const std::string& compiler) const {
  std::error_code error;
  if (directory_.empty() || !std::filesystem::is_regular_file(path(made_of), error)) return std::nullopt;
  std::vector<std::byte> file;
  try {
    file = read_file(path(made_of), kMostBytes);
  } catch (const UserError&) {
    return std::nullopt;  // the file has been deleted, or is not readable
  }
  Header header, expected;
  if (file.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, file.data(), sizeof header);
  const std::uint64_t rest = file.size() - sizeof header;
  if (header.magic != expected.magic || header.made_of_bytes != made_of.size() || header.made_of_bytes > rest ||
      header.cubin_bytes != rest - header.made_of_bytes || header.compiler.back() != '\0' ||
      (!compiler.empty() && compiler != header.compiler.data()))
    return std::nullopt;
  const auto found = std::span(file).subspan(sizeof header, made_of.size());
  const auto cubin = std::span(file).subspan(sizeof header + made_of.size());
  if (std::memcmp(found.data(), made_of.data(), made_of.size()) != 0 ||
      header.check != check_of(header.resources, found, cubin))
    return std::nullopt;
  return Cubin{{cubin.begin(), cubin.end()}, header.resources};
}

std::string KernelCache::keep(const std::string& made_of, const std::string& compiler, const Cubin& cubin) const {
  if (directory_.empty()) return "";
  const auto text = std::as_bytes(std::span(made_of));
  Header header;
  header.made_of_bytes = made_of.size();
  header.cubin_bytes = cubin.bytes.size();
  compiler.copy(header.compiler.data(), header.compiler.size() - 1);
  header.resources = cubin.resources;
  header.check = check_of(header.resources, text, cubin.bytes);
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(&header, 1)), text, cubin.bytes};
  try {
    write_file_atomically(path(made_of), parts);
  } catch (const UserError& reason) {  // disk full, no permission, or another process writes the same file
    return reason.what();
  }
  return "";
}

/// Finds numbers. They are stored and checked as a cubin is.
std::optional<std::vector<double>> KernelCache::find_numbers(const std::string& made_of, std::size_t count) const {
  const auto found = find(made_of, "");
  if (!found || found->bytes.size() != count * sizeof(double)) return std::nullopt;
  std::vector<double> numbers(count);
  std::memcpy(numbers.data(), found->bytes.data(), found->bytes.size());
  return numbers;
}

void KernelCache::keep_numbers(const std::string& made_of, std::span<const double> numbers) const {
  const auto bytes = std::as_bytes(numbers);
  keep(made_of, "", {{bytes.begin(), bytes.end()}, {}});
}

std::string KernelCompiler::describe() const {
  return fmt::format("{} compiled, {} from {}", compiled_, cached_,
                     cache_.directory().empty() ? "the cache, which is off" : cache_.directory()) +
         (not_kept_.empty()
              ? ""
              : fmt::format("; they are not kept and will be compiled again: {}; CAVS_CUDA_CACHE names a folder",
                            not_kept_));
}

Cubin KernelCompiler::compile(const KernelSource& source, int compute, const std::vector<std::string>& options) {
  const std::string made_of = fmt::format("sm_{} {}\n{}", compute, fmt::join(options, " "), source.all());
  std::string missing;
  if (!nvrtc_) try {
      nvrtc_ = open_nvrtc(driver_version_);
      version_ = version_of(*nvrtc_);
    } catch (const UserError& error) {
      missing = error.what();
    }
  if (auto found = cache_.find(made_of, version_)) {
    ++cached_;
    return *std::move(found);
  }
  user_check(nvrtc_.has_value(), "{}", missing);
  Cubin cubin = compile_kernel(*nvrtc_, source, compute, options);
  if (std::string reason = cache_.keep(made_of, version_, cubin); !reason.empty()) not_kept_ = std::move(reason);
  ++compiled_;
  return cubin;
}

}  // namespace cavs::cuda
