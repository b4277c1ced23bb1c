#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace cavs::inline v0_1 {

/// Parses the whole text as a number; nullopt if it is not a number, or does not fit.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace cavs::inline v0_1
