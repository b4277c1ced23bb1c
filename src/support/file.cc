#include "support/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "cavs/files.h"
#include "support/check.h"
#include "support/descriptor.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void save_error(const std::string& path, const char* doing, int error) {
  const char* advice = error == ENOSPC || error == EDQUOT ? "; free some space or save elsewhere"
                       : error == EFBIG                   ? "; raise the limit on the size of files (ulimit -f)"
                       : error == EMFILE                  ? "; raise the limit on open files (ulimit -n)"
                                                          : "";
  user_error("{}: cannot save: {}: {}{}; the previous file is unchanged", path, doing, error_text(error), advice);
}

/// Opens and locks `temporary`. Another save may rename the file between the two steps. The file is then the result of
/// the other save and must not be written to, so another file is opened.
Descriptor open_temporary(const std::string& path, const std::string& temporary) {
  for (;;) {
    // Opening a pipe must not block. output_path() refuses pipes, but one may have been created since.
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    if (file.get() < 0) save_error(path, ("opening " + temporary).c_str(), errno);
    const bool locked = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;  // false, without EWOULDBLOCK, if unsupported
    user_check(locked || errno != EWOULDBLOCK, "{}: another process is saving to this file; give each its own path",
               path);
    if (names_open_file(temporary, file.get())) return file;
  }
}

void write_all(int fd, const std::string& path, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) save_error(path, "writing", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

/// Gives the new file the permissions of the file that it replaces. A failure is ignored if both files already have the
/// same permissions, as on a file system without permissions.
void keep_mode(const std::string& path, const std::string& replaced, int file) {
  constexpr mode_t kModes = 0777;
  struct stat before {
  }, now{};
  if (::stat(replaced.c_str(), &before) != 0 || ::fchmod(file, before.st_mode & kModes) == 0) return;
  const int error = errno;
  if (::fstat(file, &now) == 0 && ((now.st_mode ^ before.st_mode) & kModes) == 0) return;
  save_error(path, "giving it the permissions of the previous file", error);
}

std::function<void(const std::string&)>& save_warning() {
  static std::function<void(const std::string&)> tell;
  return tell;
}

void sync_directory(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  const Descriptor directory(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0 && ::fsync(directory.get()) == 0) return;
  // Some file systems cannot sync a directory and return EINVAL. The rename itself is atomic.
  const int error = errno;
  if ((directory.get() >= 0 && error == EINVAL) || save_warning() == nullptr) return;
  save_warning()(fmt::format(
      "{}: saved, but its directory could not be synced ({}); after a power failure the previous file may be back",
      path, error_text(error)));
}

/// Returns the file of a directory with the most similar name; "" if none is similar.
std::string near_file(const fs::path& directory, const std::string& name) {
  constexpr std::size_t kMaxNames = 10'000;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end && names.size() < kMaxNames;
       entry.increment(error))
    if (std::error_code ignored; entry->is_regular_file(ignored)) names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  const std::vector<std::string_view> known(names.begin(), names.end());
  return std::string(nearest(name, known));
}

std::string open_advice(const std::string& path, int error) {
  if (error == EACCES) return "let this user read it (chmod), or copy it";
  if (error == EMFILE) return "raise the limit on open files (ulimit -n)";
  if (error != ENOENT) return "check the path";
  const fs::path parent = fs::path(path).parent_path();
  std::error_code ignored;
  if (fs::is_symlink(path, ignored))
    return fmt::format("it is a link to '{}', which does not exist", fs::read_symlink(path, ignored).string());
  if (!parent.empty() && !fs::is_directory(parent, ignored))
    return fmt::format("there is no directory '{}': check the path", parent.string());
  const std::string near = near_file(parent.empty() ? "." : parent, fs::path(path).filename().string());
  return near.empty() ? "check its name and directory" : fmt::format("did you mean '{}'?", (parent / near).string());
}

}  // namespace

void on_save_warning(std::function<void(const std::string&)> tell) { save_warning() = std::move(tell); }

void open_error(const std::string& path, int error, std::string_view expected) {
  user_error("{}: cannot open the file: {}; expected {}; {}", path, error_text(error), expected,
             open_advice(path, error));
}

std::string printable(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes)
    text +=
        byte >= ' ' && byte <= '~' ? std::string(1, byte) : fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
  return text;
}

void check_path(const std::string& path) {
  user_check(path.find('\0') == path.npos, "'{}': expected the path of a file, found a zero byte in it",
             printable(path));
}

std::string describe_file(std::string_view bytes) {
  constexpr std::size_t kShown = 16;
  if (bytes.empty()) return "an empty file";
  bytes = bytes.substr(0, kShown);
  return fmt::format("a file that begins with '{}'", printable(bytes.substr(0, bytes.find('\n', 1))));
}

void write_file_atomically(const std::string& path, std::span<const std::span<const std::byte>> parts) {
  const OutputPath output = output_path(path);
  const std::string& temporary = output.temporary;
  const Descriptor file = open_temporary(path, temporary);
  try {
    if (::ftruncate(file.get(), 0) != 0) save_error(path, "emptying the temporary file", errno);
    for (const auto& part : parts) write_all(file.get(), path, part);
    keep_mode(path, output.file, file.get());
    if (::fsync(file.get()) != 0) save_error(path, "syncing", errno);
    if (::rename(temporary.c_str(), output.file.c_str()) != 0) save_error(path, "renaming the temporary file", errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_directory(output.file);
}

std::vector<std::byte> read_file(const std::string& path, std::uint64_t max_bytes, std::string_view expected) {
  check_path(path);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) open_error(path, errno, expected);
  struct stat status {};
  user_check(::fstat(file.get(), &status) == 0, "{}: cannot read: {}", path, error_text(errno));
  user_check(!S_ISDIR(status.st_mode), "{}: expected {}, found a directory; give a file in it", path, expected);
  user_check(S_ISREG(status.st_mode), "{}: expected {}, found a device or a pipe; the file must be a regular file",
             path, expected);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  user_check(size <= max_bytes, "{}: has {} bytes; at most {} are accepted", path, size, max_bytes);
  std::vector<std::byte> bytes;
  try {
    bytes.resize(size);
  } catch (const std::exception&) {  // bad_alloc or length_error: the file does not fit into memory
    user_error("{}: its {} bytes do not fit into memory", path, size);
  }
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    user_check(got >= 0, "{}: cannot read: {}", path, error_text(errno));
    if (got == 0) bytes.resize(done);  // the file was truncated during reading
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace cavs::inline v0_1
