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

/// Replaces the file at `path` by the parts, one after the other. At any moment, whatever crashes, the path holds the
/// former file or the new one, whole: the bytes go to a temporary file (output_path), to the disk, and are then
/// renamed. A symbolic link is followed and kept. The next save overwrites what a killed one has left.
/// @throws UserError if the directory is missing, the disk is full, the path is no regular file, or another process is
/// saving to it; the former file is then untouched and the temporary one removed.
/// Cost: waits for the disk.
void write_file_atomically(const std::string& path, std::span<const std::span<const std::byte>> parts);

/// Sets a function that is called where a file was saved, but its directory could not be synced: after a power cut the
/// former file may be back. It holds for the whole process; by default there is none.
void on_save_warning(std::function<void(const std::string&)> tell);

/// The whole of a regular file. @throws UserError if there is none, if it cannot be read, or if it has more than
/// `max_bytes`.
/// @param expected  what the file should be, for the message
std::vector<std::byte> read_file(const std::string& path, std::uint64_t max_bytes,
                                 std::string_view expected = "a file");

/// The files that saving to a path touches.
struct OutputPath {
  std::string file;       // behind all symbolic links; need not be there yet
  std::string temporary;  // beside it: what is written, until it is whole
  std::string lock;       // beside it: see FileLock
};

/// Follows symbolic links, also to files that do not exist yet, so that writing keeps the links. The temporary file is
/// `file`.tmp; in a name that would be too long, a hash replaces the end.
/// @throws UserError if no file can be written there: there is no such directory, the links are a loop, the name is too
/// long, or the path or its temporary name belongs to something else than a regular file.
OutputPath output_path(const std::string& path);

/// Keeps other processes from writing to a file as long as this object lives. The lock is on a small file beside it,
/// since the file itself is replaced whenever it is saved. The small file is removed with the lock; one that a killed
/// process has left is reused.
class FileLock {
 public:
  /// @param path  as the user gave it, for messages   @param lock  see OutputPath
  /// @throws UserError if another process has the lock, or the directory is not writable; not where the file system has
  /// no locks.
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
