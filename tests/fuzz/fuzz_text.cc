#include "cavs/readers.h"
#include "fuzz/fuzz_check.h"
#include "train/tokenize_13a.h"

CAVS_FUZZ_TARGET(text) {
  const auto lines = parse_text(bytes, "fuzz");
  const Vocabulary words = Vocabulary::from_lines(lines);
  for (const TextLine& line : lines) {
    for (const auto word : split_words(line.text)) expect(words.word(words.id(word)) == word, "each word has an id");
    const std::string tokens = tokenize_13a(line.text);
    expect(find_invalid_utf8(tokens) == tokens.npos, "tokens of UTF-8 are UTF-8");
  }
}
