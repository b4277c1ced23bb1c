#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::inline v0_1 {

inline constexpr std::string_view kDependencyExample = "(runs (dog (the)) (.))";

/// A dependency tree in brackets, such as "(runs (dog (the)) (.))". A bracket has one word; the brackets of the word's
/// dependents are before and after it. Words are numbered in the order of the text, so "(((the) dog) runs (.))" keeps
/// the order of the sentence. Escapes are those of bracketed trees. Trees may share a line or have several lines.
struct DependencyText {
  std::vector<std::string> words;
  std::vector<std::int32_t> heads;  // [words]: number of the head of each word, from 0; -1 at the root
  std::int64_t line = 0;            // line at which the tree begins, from 1
};

/// @throws UserError that starts with "name:line" for a bracket that has no word, has several words, or is not
/// closed. Cost: linear; depth is bounded by memory alone.
std::vector<DependencyText> parse_dependency_text(std::string_view text, const std::string& name,
                                                  std::int64_t first_line = 1);

}  // namespace cavs::inline v0_1
