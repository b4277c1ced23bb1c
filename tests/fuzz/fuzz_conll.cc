#include "data/conll.h"
#include "data/tag_scheme.h"
#include "fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto column : {cavs::TokenColumn::kWord, cavs::TokenColumn::kCharacter})
    cavs::expect_result_or_message(data, size, [&](std::string_view text) {
      auto sentences = cavs::parse_conll(text, "fuzz", {.column = column});
      cavs::TagRewriter rewriter(cavs::TagScheme::kIobes);
      cavs::TagNames names;
      for (cavs::TaggedSentence& sentence : sentences) rewriter.rewrite(sentence), names.add(sentence);
      const auto tags = names.sorted();
      for (const cavs::TaggedSentence& sentence : sentences) {
        if (sentence.tokens.empty() || cavs::tag_ids(sentence, tags, "fuzz").size() != sentence.tokens.size())
          __builtin_trap();
        for (const auto token : sentence.tokens)
          if (token.empty()) __builtin_trap();
      }
    });
  return 0;
}
