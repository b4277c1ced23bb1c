#include "cavs/readers.h"
#include "fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cavs::expect_result_or_message(data, size, [](std::string_view text) {
    const auto lines = cavs::parse_text(text, "fuzz");
    const cavs::Vocabulary words = cavs::Vocabulary::from_lines(lines);
    for (const cavs::TextLine& line : lines)
      for (const auto word : cavs::split_words(line.text))
        if (words.word(words.id(word)) != word) __builtin_trap();
  });
  return 0;
}
