#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cavs/files.h"
#include "support/check.h"
#include "support/descriptor.h"
#include "support/file.h"
#include "support/hash.h"

namespace cavs::inline v0_1 {
namespace {

namespace fs = std::filesystem;

std::string kind_of(mode_t mode) {
  return S_ISDIR(mode)    ? "a directory"
         : S_ISLNK(mode)  ? "a symbolic link"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

/// Returns the file at the end of a chain of symbolic links, or the path itself.
fs::path follow_links(const std::string& path) {
  constexpr int kMaxLinks = 40;  // the limit of Linux
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    user_check(links < kMaxLinks, "{}: cannot save: it is a loop of symbolic links; remove them, or give another name",
               path);
    const fs::path next = fs::read_symlink(target, error);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target;
}

/// Returns the maximum length of a name in a directory.
std::size_t max_name_bytes(const std::string& directory) {
  constexpr long kUsual = 255;
  const long max = ::pathconf(directory.c_str(), _PC_NAME_MAX);
  return static_cast<std::size_t>(max > 0 ? max : kUsual);
}

/// Returns prefix + name + suffix. If that is too long, a hash replaces the end of the name.
std::string short_name(const std::string& prefix, std::string name, const std::string& suffix, std::size_t max) {
  if (prefix.size() + name.size() + suffix.size() > max) {
    const std::string hash = fmt::format("-{:016x}", fnv1a(name));
    std::size_t kept = max - prefix.size() - suffix.size() - hash.size();
    while (kept > 0 && (static_cast<unsigned char>(name[kept]) & 0xC0) == 0x80) --kept;  // keep whole characters
    name = name.substr(0, kept) + hash;
  }
  return prefix + name + suffix;
}

/// @throws UserError unless `file` is a regular file, or absent. A link at a temporary name would redirect writing.
void check_regular(const std::string& path, const std::string& file, bool temporary) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) {
    user_check(errno == ENOENT, "{}: cannot save: {}: {}; give another name", path, file, error_text(errno));
    return;
  }
  if (S_ISREG(status.st_mode)) return;
  user_check(!temporary, "{}: cannot save: its temporary file {} is {}; remove it", path, file,
             kind_of(status.st_mode));
  user_error("{}: cannot save: this is {}; expected the path of a file", path, kind_of(status.st_mode));
}

}  // namespace

OutputPath output_path(const std::string& path) {
  struct stat status {};  // stat() follows links that no path replaces, such as /dev/stdout
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    user_error("{}: cannot save: this is {}; expected the path of a file", path, kind_of(status.st_mode));
  check_path(path);
  const fs::path target = follow_links(path);
  const std::string name = target.filename().string();
  user_check(!name.empty(), "'{}': cannot save: expected the path of a file", path);
  const fs::path parent = target.parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  std::error_code ignored;
  user_check(fs::is_directory(directory, ignored), "{}: cannot save: there is no directory '{}'; create it first", path,
             directory);
  const std::size_t max = max_name_bytes(directory);
  user_check(name.size() <= max, "{}: cannot save: the name has {} bytes; at most {} are possible; give another name",
             path, name.size(), max);
  const OutputPath output{.file = target.string(),
                          .temporary = (parent / short_name("", name, ".tmp", max)).string(),
                          .lock = (parent / short_name(".", name, ".cavs-lock", max)).string()};
  check_regular(path, output.file, false);
  check_regular(path, output.temporary, true);
  return output;
}

FileLock::FileLock(const std::string& path, const std::string& lock) : lock_(lock) {
  for (;;) {
    Descriptor file(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    user_check(file.get() >= 0, "{}: cannot save: making the file {}: {}", path, lock, error_text(errno));
    const bool locked = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    user_check(locked || errno != EWOULDBLOCK,
               "{}: another process is saving to this file; stop it (SIGTERM lets it save), or give another name",
               path);
    // If the previous owner removed the file between open() and flock(), this lock keeps nobody out: try again.
    if (!names_open_file(lock, file.get())) continue;
    file_ = file.release();
    return;
  }
}

FileLock::FileLock(FileLock&& other) noexcept : lock_(std::move(other.lock_)), file_(std::exchange(other.file_, -1)) {}

FileLock::~FileLock() {
  const Descriptor file(file_);
  struct stat status {};
  if (file_ < 0 || ::fstat(file_, &status) != 0) return;
  if (S_ISREG(status.st_mode) && status.st_size == 0) ::unlink(lock_.c_str());  // other files are not of cavs
}

}  // namespace cavs::inline v0_1
