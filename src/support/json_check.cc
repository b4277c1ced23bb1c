#include "support/json_check.h"

#include <unordered_set>
#include <vector>

#include "support/check.h"

namespace cavs {
namespace {

int nesting(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

nlohmann::json parse_json(std::string_view text, int depth, const std::string& where) {
  using Json = nlohmann::json;
  const int found = nesting(text);
  user_check(found <= depth, "{}: JSON nests {} levels deep; expected at most {}", where, found, depth);
  std::vector<std::unordered_set<std::string>> keys;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key)
      user_check(keys.back().insert(parsed.get<std::string>()).second, "{}: JSON repeats the key '{}' in one object",
                 where, parsed.get<std::string>());
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    user_error("{}: not valid JSON: {}", where, error.what());
  }
}

}  // namespace cavs
