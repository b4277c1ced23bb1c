#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cavs::inline v0_1 {

/// A name in a form that is equal for names that look alike: characters are separated from their marks (Latin, Greek,
/// Cyrillic, kana and Hangul as in Unicode's NFD), characters without a width and spaces at the ends are removed, and
/// other spaces are plain.
std::string visual_form(std::string_view name);

/// Pairs of different names that look alike or, with `numbers`, differ only in leading zeros. Cost: linear.
std::vector<std::pair<std::string, std::string>> find_look_alikes(const std::vector<std::string>& names, bool numbers);

/// A name with code points instead of its characters beyond ASCII; names that look alike differ in it.
std::string with_numbers(std::string_view name);

}  // namespace cavs::inline v0_1
