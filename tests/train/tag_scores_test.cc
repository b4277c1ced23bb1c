#include "train/tag_scores.h"

#include <gtest/gtest.h>

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

TEST(TagScores, WhatIsAllRightScoresOneAndNothingFoundScoresZero) {
  const Classes tags{kO, kBPer, kIPer, kO, kBLoc};
  EXPECT_EQ(scored(tags, tags).token_f1(), 1);
  EXPECT_EQ(scored(tags, tags).entity_f1(), 1);
  EXPECT_EQ(scored(tags, Classes(5, kO)).token_f1(), 0);
  EXPECT_EQ(scored(tags, Classes(5, kO)).entity_f1(), 0);
}

TEST(TagScores, AnEntityCountsOnlyAsAWhole) {
  // Expected PER [1, 3), LOC [4, 5); found PER [1, 2), LOC [4, 5): one of two and two; tokens: two of three and two.
  const TagScores scores = scored({kO, kBPer, kIPer, kO, kBLoc}, {kO, kBPer, kO, kO, kBLoc});
  EXPECT_DOUBLE_EQ(scores.entity_f1(), 0.5);
  EXPECT_DOUBLE_EQ(scores.token_f1(), 0.8);
}

TEST(TagScores, ReadsTheTwoWaysOfWritingEntitiesAlike) {
  EXPECT_EQ(scored({kBPer, kIPer, kO, kBLoc}, {kIPer, kIPer, kO, kILoc}).entity_f1(), 1);
  // A change of class begins an entity, and so does B behind the same class.
  EXPECT_EQ(scored({kIPer, kILoc}, {kBPer, kBLoc}).entity_f1(), 1);
  EXPECT_EQ(scored({kIPer, kBPer}, {kIPer, kIPer}).entity_f1(), 0);
}

TEST(TagScores, AnEntityEndsWithItsSentence) {
  TagScores scores(kTags);
  scores.add(Classes{kBPer}, Classes{kBPer}), scores.add(Classes{kIPer}, Classes{kIPer});
  EXPECT_EQ(scores.entity_f1(), 1);
  scores.add(Classes{kBLoc, kILoc, kILoc}, Classes{kBLoc, kILoc, kO});
  EXPECT_DOUBLE_EQ(scores.entity_f1(), 2 * 2.0 / (3 + 3));
}

}  // namespace
}  // namespace cavs
