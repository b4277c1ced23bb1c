#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cavs::inline v0_1 {

/// The end of a message about an unknown name: "did you mean 'depth'? known: agenda, depth, frontier", or only the
/// known names (sorted) where none is near. Near is an edit distance (with swaps, letter case ignored) of at most a
/// third of the longer name, and at least 1; or a beginning of three letters or more.
std::string suggest(std::string_view given, std::span<const std::string_view> known);

/// The name that is near in this sense, "" where none is; of several that are equally near the first in order.
std::string_view nearest(std::string_view given, std::span<const std::string_view> known);

/// The same as suggest, for names that the caller keeps as strings.
std::string suggest(std::string_view given, std::span<const std::string> known);

}  // namespace cavs::inline v0_1
