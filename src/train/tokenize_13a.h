#pragma once

#include <string>
#include <string_view>

namespace cavs::inline v0_1 {

/// Tokenizes a sentence of a western language like mteval-v13a (sacrebleu's tokenizer 13a), with single spaces between
/// tokens. Punctuation becomes separate tokens, except apostrophes, hyphens that do not follow a digit, and points and
/// commas between digits. The text is UTF-8; invalid bytes count as letters.
std::string tokenize_13a(std::string_view sentence);

}  // namespace cavs::inline v0_1
