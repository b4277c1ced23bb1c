#include "data/tag_scheme.h"

#include <gmock/gmock.h>

#include "data/conll.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

/// The tags of one sentence, rewritten in another scheme.
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
  for (const TagScheme scheme :
       {TagScheme::kIob1, TagScheme::kIob2, TagScheme::kIobes, TagScheme::kBmes, TagScheme::kBilou}) {
    std::string text;
    for (const std::string& tag : rewritten(iobes, scheme)) text += tag + " ";
    EXPECT_THAT(rewritten(text, TagScheme::kIobes), testing::ElementsAreArray(rewritten(iobes, TagScheme::kIobes)));
  }
}

TEST(TagScheme, ATokenWithoutATagStaysWithoutOne) {
  TaggedSentence sentence;
  sentence.tags = {"B-A", "", "U-A"};
  TagRewriter rewriter(TagScheme::kIobes);
  rewriter.rewrite(sentence);
  EXPECT_THAT(sentence.tags, ElementsAre("S-A", "", "S-A"));
}

TEST(TagScheme, RepairsAnEntityThatStartsWithAnInsideTag) {
  EXPECT_THAT(rewritten("O I-LOC I-PER O", TagScheme::kIob2), ElementsAre("O", "B-LOC", "B-PER", "O"));
}

std::optional<TagScheme> detected(const std::vector<std::string>& sentences) {
  std::vector<std::vector<TaggedSentence>> parts(1);
  for (const std::string& tags : sentences) {
    TaggedSentence& sentence = parts[0].emplace_back();
    sentence.tags = split_words(tags);
    sentence.tokens.resize(sentence.tags.size());
  }
  return detect_scheme(parts);
}

TEST(TagScheme, IsDetectedFromAllSentences) {
  EXPECT_EQ(detected({"O I-A", "I-A B-A"}), TagScheme::kIob1);
  EXPECT_EQ(detected({"O B-A", "B-A I-A"}), TagScheme::kIob2);
  EXPECT_EQ(detected({"O S-A", "B-A E-A"}), TagScheme::kIobes);
  EXPECT_EQ(detected({"O S-A", "B-A M-A E-A"}), TagScheme::kBmes);
  EXPECT_EQ(detected({"O U-A", "B-A I-A L-A"}), TagScheme::kBilou);
  EXPECT_EQ(detected({"O B-A", "I-A O"}), std::nullopt);
  EXPECT_EQ(detected({"O O"}), std::nullopt);
}

TEST(TagScheme, OfAModelNeedsNoDetection) {
  DataSpec raw("conll:file"), iobes("conll:file,tags=iobes");
  constexpr std::array<std::string_view, 1> kKeys{"tags"};
  raw.split_off_options(kKeys);
  iobes.split_off_options(kKeys);
  EXPECT_EQ(scheme_for(raw, ""), std::nullopt);
  EXPECT_EQ(scheme_for(raw, "iobes"), TagScheme::kIobes);
  EXPECT_EQ(scheme_for(iobes, ""), TagScheme::kIobes);
  EXPECT_EQ(scheme_for(iobes, "iobes"), TagScheme::kIobes);
  EXPECT_EQ(error_of([&] { scheme_for(iobes, "iob2"); }),
            "data 'conll': tags=iobes, but the model was trained on tags=iob2; leave 'tags' out, and tags are "
            "converted to the scheme of the model");
}

}  // namespace
}  // namespace cavs
