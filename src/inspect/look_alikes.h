#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cavs::inline v0_1 {

/// A name as it looks: characters with marks taken apart (Latin, Greek, Cyrillic, kana and Hangul as Unicode's NFD has
/// them), without characters that have no width, and with plain spaces, none of them at its ends.
std::string looks_of(std::string_view name);

/// Pairs of names that are written otherwise but look alike, or, with `numbers`, differ in leading zeros alone.
/// Cost: linear.
std::vector<std::pair<std::string, std::string>> find_look_alikes(const std::vector<std::string>& names, bool numbers);

/// A name with the numbers of its characters beyond ASCII, in which names that look alike differ.
std::string with_numbers(std::string_view name);

}  // namespace cavs::inline v0_1
