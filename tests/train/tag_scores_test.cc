#include "train/tag_scores.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cavs/vocabulary.h"

namespace cavs {
namespace {

const std::vector<std::string> kTags{"O", "B-PER", "I-PER", "B-LOC", "I-LOC"};
enum : std::int32_t { kO, kBPer, kIPer, kBLoc, kILoc };
using Classes = std::vector<std::int32_t>;

TagScores scored(const Classes& expected, const Classes& found) {
  TagScores scores(kTags);
  scores.add(expected, found);
  return scores;
}

TEST(TagScores, PerfectTagsScoreOneAndNoTagsScoreZero) {
  const Classes tags{kO, kBPer, kIPer, kO, kBLoc};
  EXPECT_EQ(scored(tags, tags).token_f1(), 1);
  EXPECT_EQ(scored(tags, tags).entity_f1(), 1);
  EXPECT_EQ(scored(tags, Classes(5, kO)).token_f1(), 0);
  EXPECT_EQ(scored(tags, Classes(5, kO)).entity_f1(), 0);
}

TEST(TagScores, AnEntityCountsOnlyAsAWhole) {
  // Expected PER [1, 3), LOC [4, 5). Found PER [1, 2), LOC [4, 5). Right: 1 of 2 entities, 2 of 3 tokens.
  const TagScores scores = scored({kO, kBPer, kIPer, kO, kBLoc}, {kO, kBPer, kO, kO, kBLoc});
  EXPECT_DOUBLE_EQ(scores.entity_f1(), 0.5);
  EXPECT_DOUBLE_EQ(scores.token_f1(), 0.8);
}

TEST(TagScores, TreatsBothStylesOfEntitiesAlike) {
  EXPECT_EQ(scored({kBPer, kIPer, kO, kBLoc}, {kIPer, kIPer, kO, kILoc}).entity_f1(), 1);
  // An entity starts at a change of class, and at B after the same class.
  EXPECT_EQ(scored({kIPer, kILoc}, {kBPer, kBLoc}).entity_f1(), 1);
  EXPECT_EQ(scored({kIPer, kBPer}, {kIPer, kIPer}).entity_f1(), 0);
}

TEST(TagScores, AnEntityEndsWithItsSentence) {
  TagScores scores(kTags);
  scores.add(Classes{kBPer}, Classes{kBPer});
  scores.add(Classes{kIPer}, Classes{kIPer});
  EXPECT_EQ(scores.entity_f1(), 1);
  scores.add(Classes{kBLoc, kILoc, kILoc}, Classes{kBLoc, kILoc, kO});
  EXPECT_DOUBLE_EQ(scores.entity_f1(), 2 * 2.0 / (3 + 3));
}

/// Entity F1 of sentences that are written as tags between spaces.
double entity_f1_of(const std::vector<std::pair<std::string, std::string>>& sentences) {
  const std::vector<std::string> names{"O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"};
  const auto classes_of = [&](const std::string& text) {
    Classes classes;
    for (const auto tag : split_words(text))
      classes.push_back(static_cast<std::int32_t>(std::find(names.begin(), names.end(), tag) - names.begin()));
    return classes;
  };
  TagScores scores(names);
  for (const auto& [expected, found] : sentences) scores.add(classes_of(expected), classes_of(found));
  return scores.entity_f1();
}

// Numbers of seqeval 1.2.2, which counts like conlleval. Tags are random, so they follow no scheme.
TEST(TagScores, CountsEntitiesLikeConlleval) {
  EXPECT_NEAR(entity_f1_of({{"I-X B-X I-Y B-X I-Y I-Y I-Y I-X O B-Y O I-Y O O O B-X B-Y O B-Y I-X O I-X O O",
                             "I-X B-X I-Y B-X I-Y I-Y I-Y I-X O B-X O I-Y O O O B-X B-Y O B-Y O O I-X I-Y O"},
                            {"I-Y O B-Y B-X O B-Y O O O I-X I-X B-Y O O O O O O O O B-X B-X O I-X",
                             "I-Y O B-Y B-X O B-Y I-X O O B-X I-X B-Y O O B-X O O O O O B-X I-Y O I-X"}}),
              0.8260869565217391, 1e-12);
  EXPECT_NEAR(
      entity_f1_of({{"S-Y I-X I-Y S-X O E-Y B-Y O B-X O I-Y E-Y B-Y E-X S-X O S-Y B-Y O B-Y E-X I-X B-X E-X",
                     "S-Y E-X B-X S-X O E-Y B-Y O S-Y O I-Y E-Y I-Y E-X S-X I-Y S-Y B-Y I-Y B-Y E-X I-X B-X E-X"},
                    {"B-X O B-X S-Y S-Y E-Y B-X B-X O O B-Y B-Y B-X B-X I-X I-Y B-Y S-X B-Y B-X B-Y E-X I-X O",
                     "B-X O E-X S-Y S-Y E-Y B-X B-X O B-X B-Y I-X B-X B-X I-X I-Y B-Y B-X B-Y B-X B-Y E-X I-X O"}}),
      0.8648648648648649, 1e-12);
}

}  // namespace
}  // namespace cavs
