#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/conll.h"

namespace cavs::inline v0_1 {

/// The column of CoNLL-U that has the labels of words. The value is the column's position in a line.
enum class ConlluColumn : std::uint8_t { kUpos = 3, kXpos = 4, kDeprel = 7 };
inline constexpr std::array<std::string_view, 3> kConlluColumnNames{"upos", "xpos", "deprel"};
/// Returns the column of this name; kUpos for any other name.
ConlluColumn conllu_column(std::string_view name);

/// A sentence with its dependency tree. Its tags are the texts of the chosen column.
struct DependencySentence : TaggedSentence {
  std::vector<std::int32_t> heads;  // [words]: number of the head of each word, from 0; -1 at the root
};

/// Parses CoNLL-U (universaldependencies.org/format.html): ten columns separated by tabs, and a blank line after each
/// sentence. Comments, multiword tokens (4-5) and empty nodes (4.1) are skipped, so only words of the basic tree
/// remain. A label that is_no_label() becomes an empty text.
/// @throws UserError that starts with "name:line" if words are not numbered 1, 2, ..., a head is out of range, the
/// number of roots is not one, or heads form a cycle. Cost: linear.
std::vector<DependencySentence> parse_conllu(std::string_view text, const std::string& name, ConlluColumn column,
                                             std::int64_t first_line = 1);

}  // namespace cavs::inline v0_1
