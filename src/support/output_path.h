#pragma once

#include <string>

#include "support/descriptor.h"

namespace cavs::inline v0_1 {

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
  FileLock(FileLock&&) = default;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  std::string lock_;
  Descriptor file_;
};

}  // namespace cavs::inline v0_1
