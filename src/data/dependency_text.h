#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::inline v0_1 {

inline constexpr std::string_view kDependencyExample = "(runs (dog (the)) (.))";

/// Dependency trees in brackets, "(runs (dog (the)) (.))": a bracket holds one word and the brackets of its dependents,
/// before and behind it. Words are numbered as they are written, so "(((the) dog) runs (.))" has the order of the
/// sentence. Escapes are those of bracketed trees. Any number of trees a line, trees over several lines.
struct DependencyText {
  std::vector<std::string> words;
  std::vector<std::int32_t> heads;  // from 0; -1 at the root
  std::int64_t line = 0;            // where the tree begins, from 1
};

/// @throws UserError that starts with "name:line" for a bracket without a word or with several, or one that is not
/// closed. Cost: linear; depth is bounded by memory alone.
std::vector<DependencyText> parse_dependency_text(std::string_view text, const std::string& name,
                                                  std::int64_t first_line = 1);

}  // namespace cavs::inline v0_1
