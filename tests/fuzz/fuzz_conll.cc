#include "data/conll.h"
#include "fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto column : {cavs::TokenColumn::kWord, cavs::TokenColumn::kCharacter})
    cavs::expect_result_or_message(data, size, [&](std::string_view text) {
      const std::vector<std::vector<cavs::TaggedSentence>> parts{cavs::parse_conll(text, "fuzz", column)};
      const auto tags = cavs::tags_of(parts);
      for (const cavs::TaggedSentence& sentence : parts[0]) {
        if (sentence.tokens.empty() || cavs::tag_ids(sentence, tags, "fuzz").size() != sentence.tokens.size())
          __builtin_trap();
        for (const auto token : sentence.tokens)
          if (token.empty()) __builtin_trap();
      }
    });
  return 0;
}
