#include "support/json_check.h"

#include <unordered_set>
#include <utility>
#include <vector>

#include "support/check.h"
#include "support/file.h"

namespace cavs::inline v0_1 {
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

std::string text(const nlohmann::json& field) { return field.dump(-1, ' ', true); }

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
      user_check(keys.back().insert(parsed.get<std::string>()).second, "{}: duplicate key '{}' in a JSON object", where,
                 parsed.get<std::string>());
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    std::string_view what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    if (const auto name = what.find("] "); what.starts_with('[') && name != what.npos) what.remove_prefix(name + 2);
    constexpr std::size_t kShown = 300;  // the text ends with the last token, which may be long and invalid UTF-8
    user_error("{}: not valid JSON: {}", where, printable(what.substr(0, kShown)));
  }
}

std::int64_t json_integer(const nlohmann::json& json, std::int64_t min, std::int64_t max, std::string_view what) {
  const bool fits = json.is_number_unsigned() ? std::cmp_less_equal(json.get<std::uint64_t>(), max)
                                              : json.is_number_integer() && json.get<std::int64_t>() <= max;
  user_check(fits && std::cmp_greater_equal(json.get<std::int64_t>(), min),
             "{} is {}; expected a whole number from {} to {}", what, text(json), min, max);
  return json.get<std::int64_t>();
}

JsonFields::JsonFields(const nlohmann::json& json, std::string where) : json_(json), where_(std::move(where)) {
  user_check(json.is_object(), "{}: expected a JSON object", where_);
}

const nlohmann::json& JsonFields::get(std::string_view key) {
  const auto found = json_.find(key);
  user_check(found != json_.end(), "{}: field '{}' is missing", where_, key);
  ++asked_;
  return *found;
}

const nlohmann::json& JsonFields::checked(std::string_view key, Is is, const char* expected) {
  const auto& field = get(key);
  user_check((field.*is)(), "{}: field '{}' is {}; expected {}", where_, key, text(field), expected);
  return field;
}

void JsonFields::read(std::string_view key, double& value) {
  value = checked(key, &nlohmann::json::is_number, "a number").get<double>();
}

void JsonFields::read(std::string_view key, bool& value) {
  value = checked(key, &nlohmann::json::is_boolean, "true or false").get<bool>();
}

void JsonFields::read(std::string_view key, std::uint64_t& value) {
  value = checked(key, &nlohmann::json::is_number_unsigned, "an integer from 0").get<std::uint64_t>();
}

void JsonFields::read(std::string_view key, std::int64_t& value) {
  std::uint64_t number = 0;
  read(key, number);
  user_check(number <= std::uint64_t{INT64_MAX}, "{}: field '{}' is {}; too large", where_, key, number);
  value = static_cast<std::int64_t>(number);
}

void JsonFields::read(std::string_view key, std::string& value) {
  value = checked(key, &nlohmann::json::is_string, "a text").get<std::string>();
}

void JsonFields::finish() const {
  user_check(asked_ == json_.size(), "{}: {} fields found, {} known", where_, json_.size(), asked_);
}

}  // namespace cavs::inline v0_1
