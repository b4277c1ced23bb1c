#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>

namespace cavs::inline v0_1 {

/// Owns an open file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  /// Returns the descriptor, which remains open and then belongs to the caller.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// Returns the system's text for a value of errno.
inline std::string error_text(int error) { return std::generic_category().message(error); }

/// True if the path still names the open file.
inline bool names_open_file(const std::string& path, int fd) {
  struct stat open_file {
  }, named{};
  return ::fstat(fd, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 && open_file.st_ino == named.st_ino &&
         open_file.st_dev == named.st_dev;
}

}  // namespace cavs::inline v0_1
