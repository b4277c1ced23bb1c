// A library to preload. It makes calls fail that open, write and sync files in one folder.
//
// CAVS_FAIL_FOLDER  real path of the folder; without it nothing happens
// CAVS_FAIL_LOG     file outside of the folder; gets a line "NAME PATH RESULT" per call, with RESULT ok, failed or
// short
// CAVS_FAIL_AT      number of the first call that fails, from 0; without it no call fails
// CAVS_FAIL_HOW     once: one call fails with EIO, as on a bad block
//                   full: this call and all later ones fail with ENOSPC, but a write first writes half of its bytes
//                   short: no call fails, but each write writes half of its bytes, whatever CAVS_FAIL_AT is
//
// The library replaces the functions with which src/support/file.cc and output_path.cc write, except close(), before
// which all bytes have been synced. Only one thread at a time may call them.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <string>

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <typename F>
F* real(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

/// Path of the file or folder of an open descriptor.
std::string path_of(int fd) {
  std::array<char, PATH_MAX> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(size > 0 ? size : 0)};
}

bool is_meant(const std::string& path) {
  static const std::string folder = variable("CAVS_FAIL_FOLDER");
  return !folder.empty() && path.starts_with(folder);
}

void log(const char* name, const std::string& path, const char* result) {
  static const int file =
      real<int(const char*, int, ...)>("open")(variable("CAVS_FAIL_LOG").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  const std::string line = std::string(name) + " " + path + " " + result + "\n";
  static_cast<void>(real<decltype(::write)>("write")(file, line.data(), line.size()) < 0);
}

enum class Result { kOk, kFailed, kShort };

/// Counts a call of some bytes (or none) and returns its result. Sets errno if it fails.
Result result_of(const char* name, const std::string& path, size_t bytes = 0) {
  static const std::string at = variable("CAVS_FAIL_AT"), how = variable("CAVS_FAIL_HOW");
  static const long first = at.empty() ? LONG_MAX : std::stol(at);
  static long calls = 0;
  if (!is_meant(path)) return Result::kOk;
  const long call = calls++;
  const bool is_short = bytes > 1 && (how == "short" || (how == "full" && call == first));
  const bool failed = !is_short && (call == first || (how == "full" && call > first));
  log(name, path, is_short ? "short" : failed ? "failed" : "ok");
  if (failed) errno = how == "full" ? ENOSPC : EIO;
  return is_short ? Result::kShort : failed ? Result::kFailed : Result::kOk;
}

bool fails(const char* name, const std::string& path) { return result_of(name, path) == Result::kFailed; }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const bool is_output = (flags & (O_CREAT | O_DIRECTORY)) != 0;
  return is_output && fails("open", path) ? -1 : real<int(const char*, int, ...)>("open")(path, flags, mode);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  const Result result = result_of("write", path_of(fd), size);
  if (result == Result::kFailed) return -1;
  return real<decltype(::write)>("write")(fd, bytes, result == Result::kShort ? size / 2 : size);
}

int ftruncate(int fd, off_t size) noexcept {
  return fails("ftruncate", path_of(fd)) ? -1 : real<int(int, off_t)>("ftruncate")(fd, size);
}

int fchmod(int fd, mode_t mode) noexcept {
  return fails("fchmod", path_of(fd)) ? -1 : real<int(int, mode_t)>("fchmod")(fd, mode);
}

int fsync(int fd) { return fails("fsync", path_of(fd)) ? -1 : real<int(int)>("fsync")(fd); }

int rename(const char* from, const char* to) noexcept {
  return fails("rename", to) ? -1 : real<int(const char*, const char*)>("rename")(from, to);
}

}  // extern "C"
