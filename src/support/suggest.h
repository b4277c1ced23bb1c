#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::inline v0_1 {
namespace suggestion {

inline constexpr std::size_t kLongestName = 64;  // bytes; longer names are never similar

inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns the number of insertions, deletions, replacements and swaps that turn `a` into `b` (optimal string
/// alignment).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace suggestion

/// Returns the most similar name (see suggest()), or the first of several; "" if no name is similar.
inline std::string_view nearest(std::string_view given, std::span<const std::string_view> known) {
  std::string_view found;
  std::size_t min = suggestion::kLongestName;
  for (std::string_view name : known) {
    if (given.size() > suggestion::kLongestName || name.size() > suggestion::kLongestName) continue;
    const bool beginning = given.size() >= 3 && name.starts_with(given);
    const std::size_t distance = beginning ? 1 : suggestion::edit_distance(given, name);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(given.size(), name.size()) / 3);
    if (distance <= allowed && distance < std::max(given.size(), name.size()) && distance < min) {
      min = distance;
      found = name;
    }
  }
  return found;
}

/// Returns the end of a message about an unknown name: "did you mean 'depth'? known: agenda, depth, frontier", or only
/// the known names (sorted) if none is similar. A similar name has an edit distance (with swaps, ignoring case) of at
/// most a third of the longer name, or of 1, or shares a prefix of three or more letters.
inline std::string suggest(std::string_view given, std::span<const std::string_view> known) {
  std::vector<std::string_view> names(known.begin(), known.end());
  std::sort(names.begin(), names.end());
  const std::string list = names.empty() ? "known: none" : fmt::format("known: {}", fmt::join(names, ", "));
  const std::string_view near = nearest(given, names);
  return near.empty() ? list : fmt::format("did you mean '{}'? {}", near, list);
}

/// Like suggest() above, for names in strings.
inline std::string suggest(std::string_view given, std::span<const std::string> known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return suggest(given, std::span<const std::string_view>(views));
}

}  // namespace cavs::inline v0_1
