// Checkpoints with values that are not finite, and with no vocabulary or another one. Every command reports this.

#include <gmock/gmock.h>

#include <cmath>

#include "bad_input.h"
#include "cavs/checkpoint.h"

namespace cavs::testing {
namespace {

using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

auto fails(const std::string& message) {
  return AllOf(Field(&Outcome::code, 1), Field(&Outcome::message, HasSubstr(message)));
}

struct Case {
  std::string name, train, input;
};

std::vector<Case> cases() {
  return {{"Trees", "train tree-lstm --data listops:train=8,test=4,length=9", "[MAX 2 9 4]"},
          {"Text", "train var-lstm --data markov:train=8,test=4,vocabulary=9", "w2 w3"},
          {"Pairs", "train lstm-nmt --data translations:train=8,test=4,vocabulary=9", "w2 w3"}};
}

class AlteredCheckpoints : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    ASSERT_EQ(place_.run(train(1) + " --save whole.cavs").code, 0);
    checkpoint_ = load_checkpoint(place_.path("whole.cavs"));
  }
  static std::string train(int epochs) {
    return GetParam().train + " --hidden 4 --embedding 4 --threads 1 --epochs " + std::to_string(epochs);
  }
  void save() const { save_checkpoint(place_.path("bad.cavs"), checkpoint_); }
  Outcome predict() const { return place_.run("predict bad.cavs", GetParam().input); }
  /// Output and log of a command that must succeed.
  std::string printed(const std::string& arguments) const {
    EXPECT_EQ(place_.run(arguments).code, 0);
    return place_.read("output") + place_.read("messages");
  }

  const Workplace place_{};
  Checkpoint checkpoint_;
};

TEST_P(AlteredCheckpoints, WithValuesThatAreNotFiniteAreRefusedButInspected) {
  checkpoint_.parameters[0].values[1] = NAN;
  save();
  const auto refused = fails("not finite: parameter '" + checkpoint_.parameters[0].name);
  EXPECT_THAT(place_.run("eval bad.cavs"), refused);
  EXPECT_THAT(predict(), refused);
  EXPECT_THAT(place_.run(train(2) + " --resume bad.cavs"), refused);
  EXPECT_THAT(printed("inspect bad.cavs"), HasSubstr("is nan at number 1"));
  EXPECT_THAT(printed("inspect --json bad.cavs"), HasSubstr("\"not_finite\":\"parameter"));
  EXPECT_THAT(printed("inspect whole.cavs"), Not(HasSubstr("nan at")));
}

TEST_P(AlteredCheckpoints, WithStateThatIsNotFiniteAreNotResumed) {
  checkpoint_.optimizer->slots["exp_avg"][0].values[0] = INFINITY;
  save();
  EXPECT_THAT(place_.run(train(2) + " --resume bad.cavs"), fails("optimiser state exp_avg of '"));
}

TEST_P(AlteredCheckpoints, WithoutAVocabularyAcceptNoWords) {
  for (const std::vector<std::string>& none : {std::vector<std::string>(), std::vector<std::string>{"<unk>"}}) {
    checkpoint_.data.words = none;
    save();
    EXPECT_THAT(predict(), AllOf(fails("saved without a vocabulary"), fails("ids of words")));
    EXPECT_EQ(place_.run("eval bad.cavs").code, 1);
    EXPECT_THAT(place_.run("predict bad.cavs --data listops:train=4,test=4"), fails("which data 'listops"));
  }
}

TEST_P(AlteredCheckpoints, WithAVocabularyOfAnotherSizeAreRefused) {
  const std::size_t rows = checkpoint_.data.words.size();
  for (const std::size_t size : {rows + 1, rows - 1}) {
    checkpoint_.data.words.resize(size, "surplus");
    save();
    const auto refused = AllOf(fails("vocabulary has " + std::to_string(size)), fails(std::to_string(rows) + " rows"));
    EXPECT_THAT(place_.run("eval bad.cavs"), refused);
    EXPECT_THAT(predict(), refused);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, AlteredCheckpoints, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST(CheckpointWithoutWords, PredictsFromIds) {
  const Workplace place;
  ASSERT_EQ(place.run(cases()[0].train + " --hidden 4 --embedding 4 --epochs 1 --save a.cavs").code, 0);
  Checkpoint checkpoint = load_checkpoint(place.path("a.cavs"));
  checkpoint.data.words.clear();
  save_checkpoint(place.path("b.cavs"), checkpoint);
  std::vector<std::string> answers;
  for (const char* file : {"a.cavs", "b.cavs"}) {
    const std::string json = R"({"types":["leaf","inner"],"children":[[],[0]],"pull":{"word":[3,4]}})";
    EXPECT_EQ(place.run(std::string("predict ") + file, json).code, 0);
    answers.push_back(place.read("output"));
  }
  EXPECT_FALSE(answers[0].empty());
  EXPECT_EQ(answers[0], answers[1]);
}

}  // namespace
}  // namespace cavs::testing
