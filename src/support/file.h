#pragma once

#include <string>
#include <string_view>

#include "cavs/files.h"

namespace cavs::inline v0_1 {

/// Reports that a file could not be opened, what was expected, and what to do. For a missing file the message suggests
/// a similar name in its directory, or says that the directory is missing.
/// @param error  errno of open()   @throws UserError, always
[[noreturn]] void open_error(const std::string& path, int error, std::string_view expected);

/// @throws UserError for a path with a zero byte, at which the system would end the path.
void check_path(const std::string& path);

/// Formats bytes for messages. A byte that is not printable ASCII becomes "\x0A".
std::string printable(std::string_view bytes);

/// Describes a file of an unexpected kind, for messages: "an empty file", or "a file that begins with 'PK\x03\x04...'".
std::string describe_file(std::string_view bytes);

}  // namespace cavs::inline v0_1
