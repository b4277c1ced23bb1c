#pragma once

#include <cstddef>
#include <cstdint>
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

/// The whole of a regular file. @throws UserError if there is none, it cannot be read, or is longer than `max_bytes`.
/// @param expected  what the file should be, for the message
std::vector<std::byte> read_file(const std::string& path, std::uint64_t max_bytes,
                                 std::string_view expected = "a file");

/// Where that goes what is written to a path.
struct OutputPath {
  std::string file;       // behind all symbolic links; need not be there yet
  std::string temporary;  // beside it: what is written, until it is whole
  std::string lock;       // beside it: see FileLock
};

/// Follows symbolic links, those to files that are not there yet among them, so that writing keeps the links. The
/// temporary file is `file`.tmp; where the name leaves no room for that, a hash stands for its end.
/// @throws UserError if no file can be written there: no such directory, a loop of links, a name that is too long, or
/// what has the path or its temporary name is no regular file.
OutputPath output_path(const std::string& path);

/// Keeps other processes from writing to a file as long as this object lives. The lock lies on a small file beside it,
/// since the file itself is replaced whenever it is saved. That file goes with the lock; one that a killed process has
/// left is taken over.
class FileLock {
 public:
  /// @param path  as the user gave it, for messages   @param lock  see OutputPath
  /// @throws UserError if another process has the lock, or the directory is not writable. A file system that knows no
  /// locks is let pass.
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
