// Checkpoints with values that are not finite, without their vocabulary or with another one: every command says so.

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>

#include "cavs/checkpoint.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// "0: " or another exit code, and what was printed.
std::string run(const std::string& arguments, const std::string& input = "") {
  const std::string command = "printf '%s' '" + input + "' | " + CAVS_COMMAND + " " + arguments + " 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  return std::to_string(WEXITSTATUS(pclose(pipe))) + ": " + text;
}

struct Case {
  std::string name, train, input;
};

std::vector<Case> cases() {
  return {{"Trees", "train tree-lstm --data listops:train=8,test=4,length=9", "[MAX 2 9 4]"},
          {"Text", "train var-lstm --data markov:train=8,test=4,vocabulary=9", "w2 w3"},
          {"Pairs", "train lstm-nmt --data translations:train=8,test=4,vocabulary=9", "w2 w3"}};
}

class AlteredCheckpoints : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    ASSERT_THAT(run(train(1) + " --save " + file()), StartsWith("0: "));
    checkpoint_ = load_checkpoint(file());
  }
  static std::string train(int epochs) {
    return GetParam().train + " --hidden 4 --embedding 4 --threads 1 --epochs " + std::to_string(epochs);
  }
  std::string file() const { return folder_ / "whole.cavs"; }
  std::string save(const std::string& name) const {
    save_checkpoint(folder_ / name, checkpoint_);
    return folder_ / name;
  }

  TemporaryFolder folder_;
  Checkpoint checkpoint_;
};

TEST_P(AlteredCheckpoints, WithValuesThatAreNotFiniteAreRefusedAndInspected) {
  checkpoint_.parameters[0].values[1] = NAN;
  const std::string bad = save("nan.cavs");
  const auto refusal = AllOf(StartsWith("1: "), HasSubstr("not finite: parameter '" + checkpoint_.parameters[0].name),
                             HasSubstr("use an earlier checkpoint"));
  EXPECT_THAT(run("eval " + bad), refusal);
  EXPECT_THAT(run("predict " + bad, GetParam().input), refusal);
  EXPECT_THAT(run(train(2) + " --resume " + bad), refusal);
  EXPECT_THAT(run("inspect " + bad), AllOf(StartsWith("0: "), HasSubstr("is nan at number 1")));
  EXPECT_THAT(run("inspect --json " + bad), AllOf(StartsWith("0: "), HasSubstr("\"not_finite\":\"parameter")));
  EXPECT_THAT(run("inspect " + file()), testing::Not(HasSubstr("nan at")));
}

TEST_P(AlteredCheckpoints, WithStateThatIsNotFiniteAreNotResumed) {
  checkpoint_.optimizer->slots["exp_avg"][0].values[0] = INFINITY;
  EXPECT_THAT(run(train(2) + " --resume " + save("inf.cavs")),
              AllOf(StartsWith("1: "), HasSubstr("optimiser state exp_avg of '")));
}

TEST_P(AlteredCheckpoints, WithoutAVocabularyKnowNoWords) {
  for (const std::vector<std::string>& none : {std::vector<std::string>(), std::vector<std::string>{"<unk>"}}) {
    checkpoint_.vocabulary = none;
    const std::string bad = save("none.cavs");
    EXPECT_THAT(run("predict " + bad, GetParam().input),
                AllOf(StartsWith("1: "), HasSubstr("saved without a vocabulary"), HasSubstr("ids of words")));
    EXPECT_THAT(run("eval " + bad), StartsWith("1: "));
  }
}

TEST_P(AlteredCheckpoints, WithAVocabularyOfAnotherSizeAreRefused) {
  const std::size_t size = checkpoint_.vocabulary.size();
  for (const bool longer : {true, false}) {
    if (longer)
      checkpoint_.vocabulary.emplace_back("surplus");
    else
      checkpoint_.vocabulary.resize(size - 1);
    const std::string bad = save("other.cavs");
    const auto refusal =
        AllOf(StartsWith("1: "), HasSubstr("vocabulary has " + std::to_string(checkpoint_.vocabulary.size())),
              HasSubstr("has " + std::to_string(size) + " rows"));
    EXPECT_THAT(run("eval " + bad), refusal);
    EXPECT_THAT(run("predict " + bad, GetParam().input), refusal);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, AlteredCheckpoints, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST(CheckpointWithoutWords, PredictsFromIds) {
  const TemporaryFolder folder;
  ASSERT_THAT(run("train tree-lstm --data listops:train=8,test=4,length=9 --hidden 4 --embedding 4 --threads 1 "
                  "--epochs 1 --save " +
                  (folder / "a.cavs")),
              StartsWith("0: "));
  Checkpoint checkpoint = load_checkpoint(folder / "a.cavs");
  const std::string json = R"({"types":["leaf","inner"],"children":[[],[0]],"pull":{"word":[3,4]}})";
  const std::string with_words = run("predict " + (folder / "a.cavs"), json);
  checkpoint.vocabulary.clear();
  save_checkpoint(folder / "b.cavs", checkpoint);
  EXPECT_THAT(run("predict " + (folder / "b.cavs"), json), AllOf(StartsWith("0: "), testing::Eq(with_words)));
}

}  // namespace
}  // namespace cavs
