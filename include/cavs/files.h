#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// Replaces the file at `path` by the concatenated parts. After a crash at any moment the path holds either the
/// previous or the new file, complete: the bytes are written to a temporary file (output_path), synced to the disk, and
/// then renamed. Symbolic links are followed and kept. The next save overwrites the temporary file of a killed process.
/// @throws UserError if the directory is missing, the disk is full, the path is not a regular file, or another process
/// is saving to it. The previous file is then untouched and the temporary file removed. Cost: waits for the disk.
void write_file_atomically(const std::string& path, std::span<const std::span<const std::byte>> parts);

/// Sets a process-wide function that is called if a file was saved but its directory could not be synced, so that a
/// power failure may bring the previous file back. By default, no function is set.
void on_save_warning(std::function<void(const std::string&)> tell);

/// The bytes of a regular file. @throws UserError if the file is missing, cannot be read, or has more than `max_bytes`.
/// @param expected  What the file should be, for the message.
std::vector<std::byte> read_file(const std::string& path, std::uint64_t max_bytes,
                                 std::string_view expected = "a file");

/// The files that saving to a path writes.
struct OutputPath {
  std::string file;       // the path after following symbolic links; the file need not exist yet
  std::string temporary;  // file in the same directory that is written first, and then renamed to `file`
  std::string lock;       // file in the same directory for FileLock
};

/// Returns the files for saving to `path`. Follows symbolic links, also to files that do not exist yet, so that writing
/// keeps the links. The temporary file is `file`.tmp; if that name is too long, a hash replaces its end.
/// @throws UserError if no file can be written there: the directory is missing, the links form a loop, the name is too
/// long, or the path or the temporary name belongs to something other than a regular file.
OutputPath output_path(const std::string& path);

/// Keeps other processes from writing to a file while this object exists. The lock is on a separate small file, because
/// every save replaces the file itself. Unlocking removes the small file; one that a killed process has left is reused.
class FileLock {
 public:
  /// @param path  The user's path, for messages.   @param lock  OutputPath::lock.
  /// @throws UserError if another process has the lock, or the directory is not writable. A file system that does not
  /// support locks is not an error.
  FileLock(const std::string& path, const std::string& lock);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  std::string lock_;
  int file_ = -1;
};

}  // namespace v0_1
}  // namespace cavs
