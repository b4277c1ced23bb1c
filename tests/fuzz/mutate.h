#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>

namespace cavs {

/// Replaces one number of the text by a critical one. Most files have sizes and positions in decimal digits, which
/// mutations of single bytes keep small. Returns the text unchanged if it has no number.
inline std::string with_another_number(std::string text, std::mt19937& random) {
  constexpr std::array<std::string_view, 16> kNumbers{
      "0",          "-1",          "1",          "2",          "7",    "255",   "65536",     "1000000",
      "2147483647", "-2147483648", "4294967296", "1073741824", "1e39", "1e999", "0.1000001", "9223372036854775807"};
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t at = text.find_first_of(kDigits, text.empty() ? 0 : random() % text.size());
  if (at == text.npos) return text;
  const std::size_t end = std::min(text.find_first_not_of(kDigits, at), text.size());
  return text.replace(at, end - at, kNumbers[random() % kNumbers.size()]);
}

}  // namespace cavs
