#include "data/conll.h"
#include "data/tag_scheme.h"
#include "fuzz/fuzz_check.h"

CAVS_FUZZ_TARGET(conll) {
  for (const auto column : {TokenColumn::kWord, TokenColumn::kNumberedCharacter, TokenColumn::kCharacter})
    check_input(
        [column](std::string_view text) {
          std::vector<std::string> warnings;
          auto sentences = parse_conll(
              text, "fuzz", {.column = column, .any_tag = column == TokenColumn::kCharacter, .warnings = &warnings});
          TagRewriter rewriter(TagScheme::kIobes);
          TagNames names;
          for (TaggedSentence& sentence : sentences) {
            rewriter.rewrite(sentence);
            names.add(sentence);
          }
          const auto tags = names.sorted();
          for (const TaggedSentence& sentence : sentences) {
            expect(!sentence.tokens.empty(), "a sentence has tokens");
            expect(TagIds(tags).of(sentence, "fuzz").size() == sentence.tokens.size(), "each token has a tag");
            for (const auto token : sentence.tokens) expect(!token.empty(), "a token has characters");
          }
        },
        bytes);
}
