#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cavs::inline v0_1 {

/// Parses text that nobody vouches for. `where` starts every message.
/// @throws UserError if it is no JSON, an object repeats a key, or arrays and objects nest deeper than `depth` (which
/// is found before parsing, so that no text can exhaust the stack).
nlohmann::json parse_json(std::string_view text, int depth, const std::string& where);

/// A whole number from `min` to `max`; json.get<int>() would take any number, and cut it off. @throws UserError
std::int64_t json_integer(const nlohmann::json& json, std::int64_t min, std::int64_t max, std::string_view what);

/// The fields of an object, each asked for once. `where` starts every message.
class JsonFields {
 public:
  /// @throws UserError if it is no object.
  JsonFields(const nlohmann::json& json, std::string where);
  /// @throws UserError if it is missing; so do all that follow, or if it is of another type.
  const nlohmann::json& get(std::string_view key);
  void read(std::string_view key, double& value);
  void read(std::string_view key, bool& value);
  void read(std::string_view key, std::uint64_t& value);
  void read(std::string_view key, std::int64_t& value);  // from 0
  void read(std::string_view key, std::string& value);
  const nlohmann::json& list(std::string_view key) { return checked(key, &nlohmann::json::is_array, "a list"); }
  /// @throws UserError if there are fields that nobody asked for.
  void finish() const;

 private:
  using Is = bool (nlohmann::json::*)() const noexcept;
  const nlohmann::json& checked(std::string_view key, Is is, const char* expected);

  const nlohmann::json& json_;
  std::string where_;
  std::size_t asked_ = 0;
};

}  // namespace cavs::inline v0_1
