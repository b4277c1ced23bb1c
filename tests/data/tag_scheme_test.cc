#include "data/tag_scheme.h"

#include <gmock/gmock.h>

#include "data/conll.h"

namespace cavs {
namespace {

using testing::ElementsAre;

/// The tags of one sentence, written in another scheme.
std::vector<std::string> rewritten(const std::string& tags, TagScheme scheme) {
  TaggedSentence sentence;
  sentence.tags = split_words(tags);
  sentence.tokens.resize(sentence.tags.size());
  TagRewriter rewriter(scheme);
  rewriter.rewrite(sentence);
  return {sentence.tags.begin(), sentence.tags.end()};
}

TEST(TagScheme, WritesEntitiesOfWikigoldInEachScheme) {
  const std::string iob1 = "I-PER I-PER O I-LOC B-LOC I-LOC I-ORG";
  EXPECT_THAT(rewritten(iob1, TagScheme::kIob1),
              ElementsAre("I-PER", "I-PER", "O", "I-LOC", "B-LOC", "I-LOC", "I-ORG"));
  EXPECT_THAT(rewritten(iob1, TagScheme::kIob2),
              ElementsAre("B-PER", "I-PER", "O", "B-LOC", "B-LOC", "I-LOC", "B-ORG"));
  EXPECT_THAT(rewritten(iob1, TagScheme::kIobes),
              ElementsAre("B-PER", "E-PER", "O", "S-LOC", "B-LOC", "E-LOC", "S-ORG"));
}

TEST(TagScheme, EverySchemeCanBeReadBack) {
  const std::string iobes = "S-A B-A I-A E-A O S-B S-B O";
  for (const TagScheme scheme : {TagScheme::kIob1, TagScheme::kIob2, TagScheme::kIobes}) {
    std::string text;
    for (const std::string& tag : rewritten(iobes, scheme)) text += tag + " ";
    EXPECT_THAT(rewritten(text, TagScheme::kIobes), testing::ElementsAreArray(rewritten(iobes, TagScheme::kIobes)));
  }
}

TEST(TagScheme, RepairsAnEntityThatBeginsInside) {
  EXPECT_THAT(rewritten("O I-LOC I-PER O", TagScheme::kIob2), ElementsAre("O", "B-LOC", "B-PER", "O"));
}

}  // namespace
}  // namespace cavs
