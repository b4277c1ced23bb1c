#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cavs {

/// Parses text that nobody vouches for. `where` starts every message.
/// @throws UserError if it is no JSON, an object repeats a key, or arrays and objects nest deeper than `depth` (which
/// is found before parsing, so that no text can exhaust the stack).
nlohmann::json parse_json(std::string_view text, int depth, const std::string& where);

}  // namespace cavs
