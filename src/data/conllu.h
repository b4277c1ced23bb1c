#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/conll.h"

namespace cavs::inline v0_1 {

/// The column of CoNLL-U that labels the words; its position in a line.
enum class ConlluColumn : std::uint8_t { kUpos = 3, kXpos = 4, kDeprel = 7 };
inline constexpr std::array<std::string_view, 3> kConlluColumnNames{"upos", "xpos", "deprel"};
/// Of one of these names; of any other "upos".
ConlluColumn conllu_column(std::string_view name);

/// A sentence with its dependency tree: tags are those of the column that was asked for.
struct DependencySentence : TaggedSentence {
  std::vector<std::int32_t> heads;  // [words], from 0; -1 at the root
};

/// CoNLL-U (universaldependencies.org/format.html): ten columns between tabs, a blank line after each sentence.
/// Comments, multiword tokens (4-5) and empty nodes (4.1) are skipped, so the words are those that have a head in the
/// basic tree.
/// @throws UserError that starts with "name:line": words that are not numbered 1, 2, ..., a head out of range, a number
/// of roots other than one, heads that lead back to their word. A label that is_no_label() is read as an empty text.
/// Cost: linear.
std::vector<DependencySentence> parse_conllu(std::string_view text, const std::string& name, ConlluColumn column,
                                             std::int64_t first_line = 1);

}  // namespace cavs::inline v0_1
