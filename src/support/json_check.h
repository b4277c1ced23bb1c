#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cavs::inline v0_1 {

/// Parses untrusted text. Every message begins with `where`.
/// @throws UserError if the text is not JSON, an object repeats a key, or arrays and objects nest deeper than `depth`
/// (checked before parsing, so that no text can exhaust the stack).
nlohmann::json parse_json(std::string_view text, int depth, const std::string& where);

/// Returns an integer from `min` to `max`. @throws UserError for other values (json.get<int>() would truncate them).
std::int64_t json_integer(const nlohmann::json& json, std::int64_t min, std::int64_t max, std::string_view what);

/// Reads the fields of an object, each once. Every message begins with `where`.
class JsonFields {
 public:
  /// @throws UserError if `json` is not an object.
  JsonFields(const nlohmann::json& json, std::string where);
  /// @throws UserError if the field is missing. The typed functions below also throw if it has another type.
  const nlohmann::json& get(std::string_view key);
  void read(std::string_view key, double& value);
  void read(std::string_view key, bool& value);
  void read(std::string_view key, std::uint64_t& value);
  void read(std::string_view key, std::int64_t& value);  // accepts integers of at least 0
  void read(std::string_view key, std::string& value);
  const nlohmann::json& list(std::string_view key) { return checked(key, &nlohmann::json::is_array, "a list"); }
  /// @throws UserError if there are fields that were not read.
  void finish() const;

 private:
  using Is = bool (nlohmann::json::*)() const noexcept;
  const nlohmann::json& checked(std::string_view key, Is is, const char* expected);

  const nlohmann::json& json_;
  std::string where_;
  std::size_t asked_ = 0;
};

}  // namespace cavs::inline v0_1
