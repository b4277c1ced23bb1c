#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cavs::inline v0_1 {

/// Returns a form of a name that is equal for names that look alike: characters are separated from their marks (Latin,
/// Greek, Cyrillic, kana and Hangul as in Unicode's NFD), characters without a width and spaces at the ends are
/// removed, and other spaces become plain spaces.
std::string visual_form(std::string_view name);

/// Returns pairs of different names that look alike or, with `numbers`, differ only in leading zeros. Cost: linear.
std::vector<std::pair<std::string, std::string>> find_look_alikes(const std::vector<std::string>& names, bool numbers);

/// Returns a name with code points in place of its non-ASCII characters; names that look alike then differ visibly.
std::string with_numbers(std::string_view name);

}  // namespace cavs::inline v0_1
