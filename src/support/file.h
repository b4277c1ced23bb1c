#pragma once

#include <string>
#include <string_view>

#include "cavs/files.h"

namespace cavs::inline v0_1 {

/// Says that a file could not be opened, what was expected, and what to do: of a file that is missing, the name of one
/// in its directory that is near, or which directory is missing, too.
/// @param error  errno of open()   @throws UserError, always
[[noreturn]] void open_error(const std::string& path, int error, std::string_view expected);

/// @throws UserError for a path with a zero byte, which the system would take for its end.
void check_path(const std::string& path);

/// Bytes for messages: those that are not printable ASCII as "\x0A".
std::string printable(std::string_view bytes);

/// For messages about a file that is something else: "an empty file", or "a file that begins with 'PK\x03\x04...'".
std::string describe_file(std::string_view bytes);

}  // namespace cavs::inline v0_1
