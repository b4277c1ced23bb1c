#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "cavs/decode.h"
#include "cavs/readers.h"
#include "graphs/error_text.h"
#include "helpers/trained.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const TrainedModel& markov_model() {
  static const TrainedModel model = trained_on("markov:train=200,vocabulary=30,length=6", 60);
  return model;
}

/// The greedy continuation, computed by evaluating the whole text again for each word.
Continuation read_again(const TrainedModel& model, const std::string& prompt, int words) {
  const auto program = compile(model.model, {.training = false});
  Session session(program, model.parameters);
  std::vector<std::int32_t> ids{model.words.id(Vocabulary::kEndOfLine)};
  for (const auto word : split_words(prompt)) ids.push_back(model.words.id(word));
  Continuation result;
  while (std::ssize(result.words) < words && !result.ended) {
    GraphSet graphs(chain_schema());
    ids.push_back(0);  // label of the last word, which does not affect the logits
    graphs.add(to_chain(ids[0], std::span(ids).subspan(1)));
    ids.pop_back();
    const auto bound = bind_graphs(program, graphs);
    const std::int32_t sample = 0;
    const Run run = session.forward(*bound, {&sample, 1});
    const std::vector<float> all = run.output("logits");
    const auto last = std::span(all).last(model.words.size());
    const auto best = static_cast<std::int32_t>(std::max_element(last.begin(), last.end()) - last.begin());
    double sum = 0;
    for (const float x : last) sum += std::exp(static_cast<double>(x) - last[best]);
    result.log_probability -= std::log(sum);
    result.ended = model.words.word(best) == Vocabulary::kEndOfLine;
    if (!result.ended) result.words.push_back(model.words.word(best));
    ids.push_back(best);
  }
  return result;
}

TEST(Continuer, GivesTheContinuationOfEvaluatingTheWholeTextAgain) {
  const std::vector<std::string> prompts{"", "w2", "w5 w2 w7 w2", "w29 never-seen w3"};
  for (const auto& [name, threads] :
       {std::pair{"var-lstm", 1}, std::pair{"var-lstm", 2}, std::pair{"gru", 1}, std::pair{"tree-lstm", 1}}) {
    const TrainedModel model = trained_on("markov:train=200,vocabulary=30,length=6", 60, name);
    const auto found = Continuer(model, {.threads = threads}).run(prompts, {.words = 12});
    for (std::size_t k = 0; k < prompts.size(); ++k) {
      const Continuation expected = read_again(model, prompts[k], 12);
      EXPECT_EQ(found[k].words, expected.words) << prompts[k];
      EXPECT_EQ(found[k].ended, expected.ended) << prompts[k];
      EXPECT_NEAR(found[k].log_probability, expected.log_probability, 1e-6) << prompts[k];
    }
  }
}

TEST(Continuer, RecitesMemorisedSentences) {
  const TemporaryFolder folder;
  std::ofstream(folder / "t.txt") << "a b c\na b c\na b c\na b c\nd e\nd e\nd e\n";
  const TrainedModel model = trained_on("text:" + (folder / "t.txt"), 80);
  const std::vector<std::string> prompts{"a", "d", "a b c"};
  const auto found = Continuer(model).run(prompts);
  EXPECT_THAT(found[0].words, ElementsAre("b", "c"));
  EXPECT_THAT(found[1].words, ElementsAre("e"));
  EXPECT_THAT(found[2].words, IsEmpty());
  for (const Continuation& each : found) {
    EXPECT_TRUE(each.ended);
    EXPECT_LT(each.log_probability, 0);
    EXPECT_GT(each.log_probability, std::log(0.9));
  }
}

TEST(Continuer, StopsAfterTheGivenNumberOfWords) {
  const std::vector<std::string> prompts{"w2"};
  Continuer continuer(markov_model());
  const ContinueOptions hot{.words = 3, .temperature = 50, .seed = 4};
  EXPECT_EQ(continuer.run(prompts, hot)[0].words.size(), 3U);
  EXPECT_FALSE(continuer.run(prompts, hot)[0].ended);
  EXPECT_THAT(continuer.run(prompts, {.words = 0})[0].words, IsEmpty());
  EXPECT_THAT(continuer.run({}), IsEmpty());
}

TEST(Continuer, DrawsBySeedAndNumberWhateverTheOtherPrompts) {
  const std::vector<std::string> prompts{"w2", "w2", "w3 w4"};
  const ContinueOptions options{.words = 15, .temperature = 1, .seed = 6};
  Continuer continuer(markov_model());
  const auto together = continuer.run(prompts, options);
  for (std::size_t k = 0; k < prompts.size(); ++k) {
    const auto alone = continuer.run(std::span(prompts).subspan(k, 1), options, static_cast<std::int64_t>(k));
    EXPECT_EQ(alone[0].words, together[k].words);
    EXPECT_EQ(alone[0].log_probability, together[k].log_probability);
  }
  EXPECT_NE(together[0].words, together[1].words);  // one prompt with two numbers
  EXPECT_NE(continuer.run(prompts, {.words = 15, .temperature = 1, .seed = 7})[0].words, together[0].words);
}

TEST(Continuer, HigherTemperaturesDrawLessProbableWords) {
  const std::vector<std::string> prompts(40, "w2");
  Continuer continuer(markov_model());
  const auto different = [&](double temperature) {
    std::set<std::vector<std::string>> first;
    for (const auto& each : continuer.run(prompts, {.words = 1, .temperature = temperature})) first.insert(each.words);
    return first.size();
  };
  EXPECT_EQ(different(0), 1U);
  EXPECT_EQ(different(1e-3), 1U);
  EXPECT_GT(different(1), 2U);
  EXPECT_GT(different(100), different(1));
}

TEST(Continuer, ReportsWhatAModelLacks) {
  const TrainedModel trees = trained_on("binary-trees:leaves=4,samples=8", 1, "tree-lstm");
  EXPECT_FALSE(reads_text(trees));
  EXPECT_THAT(error_of([&] { Continuer{trees}; }), HasSubstr("not trained on text"));
  TrainedModel mute = markov_model(), forgetful = markov_model();
  mute.model = Model();
  forgetful.model = Model();
  mute.model.vertex_function("token", [](Vertex& v) { v.scatter("h", tanh(v.gather(0, "h") + v.pull("x", 2))); });
  EXPECT_THAT(error_of([&] { Continuer{mute}; }), HasSubstr("vertex function 'token' does not push 'logits'"));
  forgetful.model.vertex_function("token", [](Vertex& v) { v.push("logits", v.pull("x", 30)); });
  EXPECT_THAT(error_of([&] { Continuer{forgetful}; }), HasSubstr("vertex function 'token' gathers no state"));
  TrainedModel broken = markov_model();
  broken.parameters->values(broken.parameters->find("output_b"))[3] = std::nanf("");
  const std::string prompt = "a";
  EXPECT_THAT(error_of([&] {
                Continuer(broken).run({&prompt, 1});
              }),
              HasSubstr("prompt 1: after 0 words, the model's probabilities are not finite"));
  EXPECT_THAT(error_of([] { Continuer(markov_model()).run({}, {.temperature = -1}); }), HasSubstr("temperature -1"));
}

}  // namespace
}  // namespace cavs
