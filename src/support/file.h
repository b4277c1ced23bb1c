#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::inline v0_1 {

/// Replaces the file at `path` by the parts, one after the other. At any moment, whatever crashes, the path holds the
/// former file or the new one, whole: the bytes go to a temporary file (support/output_path.h), to the disk, and are
/// then renamed. A symbolic link is followed and kept. What a killed save has left is overwritten by the next one.
/// @throws UserError if the directory is missing, the disk is full, the path is no regular file, or another process is
/// saving to it; the former file is then untouched and the temporary one removed.
/// Cost: waits for the disk.
void write_file_atomically(const std::string& path, std::span<const std::span<const std::byte>> parts);

/// The whole of a regular file. @throws UserError if there is none, it cannot be read, or is longer than `max_bytes`.
/// @param expected  what the file should be, for the message
std::vector<std::byte> read_file(const std::string& path, std::uint64_t max_bytes,
                                 std::string_view expected = "a file");

/// Says that a file could not be opened, what was expected, and what to do: of a file that is missing, the name of one
/// in its directory that is near, or which directory is missing, too.
/// @param error  errno of open()   @throws UserError, always
[[noreturn]] void open_error(const std::string& path, int error, std::string_view expected);

/// Bytes for messages: those that are not printable ASCII as "\x0A".
std::string printable(std::string_view bytes);

/// For messages about a file that is something else: "an empty file", or "a file that begins with 'PK\x03\x04...'".
std::string describe_file(std::string_view bytes);

}  // namespace cavs::inline v0_1
