#pragma once

#include <string>
#include <string_view>

namespace cavs::inline v0_1 {

/// Tokens with single spaces between them, as mteval-v13a makes them of a sentence of a western language: what
/// sacrebleu calls tokenizer 13a. Punctuation stands alone but for apostrophes, hyphens that follow no digit, and
/// points and commas between digits. The text is UTF-8; other bytes are letters.
std::string tokenize_13a(std::string_view sentence);

}  // namespace cavs::inline v0_1
