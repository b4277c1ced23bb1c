// Predictions from text, in the terms of the data.

#include <gmock/gmock.h>

#include "cavs/checkpoint.h"
#include "cavs/models.h"
#include "cavs/readers.h"
#include "cavs/trained_model.h"
#include "cavs/trainer.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// An untrained model of the zoo with these words and classes.
TrainedModel untrained(std::string_view name, const GraphSchema& schema, std::vector<std::string> tags) {
  std::vector<std::string> words{"<unk>", "Anna", "runs", "dog", "the"};
  const Model model = find_model(name).make({.vocabulary = 5, .embedding = 4, .hidden = 4, .classes = 5, .seed = 3});
  return {.model = model,
          .parameters = model.make_parameters(),
          .words = Vocabulary(std::move(words)),
          .schema = schema,
          .graph_builder = {},
          .class_names = std::move(tags),
          .classes = 5};
}

TrainedModel tagger() { return untrained("bilstm", chain_schema(), {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"}); }

TEST(TextPredictor, TagsTheWordsOfASentenceByName) {
  TextPredictor predictor(tagger());
  const std::vector<Answer> answers = predictor.run("Anna runs\nthe dog runs\n");
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_THAT(answers[1].tokens, ElementsAre("the", "dog", "runs"));
  for (const Answer& answer : answers)
    for (std::size_t t = 0; t < answer.tokens.size(); ++t) {
      const std::vector<float>& row = answer.prediction.probabilities[t];
      EXPECT_EQ(answer.classes[t], predictor.model().class_names[answer.ids[t]]);
      EXPECT_EQ(answer.probabilities[t], *std::max_element(row.begin(), row.end()));
    }
}

TEST(TextPredictor, ReportsTheExpectedFormOfInput) {
  EXPECT_THAT(TextPredictor(tagger()).run("Anna B-PER\nruns O\n")[0].expected, ElementsAre("B-PER", "O"));
  const TrainedModel trees = untrained("tree-lstm", tree_schema(), {});
  EXPECT_THAT(TextPredictor(trees).run("(3 (the) (2 dog))")[0].expected, ElementsAre("3", "", "2"));
  EXPECT_TRUE(TextPredictor(trees).run("((the) (dog))")[0].expected.empty());
}

TEST(TextPredictor, ReadsDependencyTreesIfTheModelWasTrainedOnThem) {
  TrainedModel model = untrained("tree-lstm", tree_schema(), {"A", "B", "C", "D", "E"});
  model.data = "conllu:somewhere";
  const std::vector<Answer> answers = TextPredictor(model).run("(runs (dog (the)))\n(Anna (dog (the)))\n");
  EXPECT_THAT(answers[0].tokens, ElementsAre("runs", "dog", "the"));
  EXPECT_NE(answers[0].probabilities[0], answers[1].probabilities[0]);  // the head word is read
  EXPECT_EQ(answers[0].probabilities[1], answers[1].probabilities[1]);
  EXPECT_THAT(error_of([&] { TextPredictor(model).run("(3 (2 It) (4 works))"); }), HasSubstr("expected one word"));
}

TEST(TextPredictor, ScoresPairs) {
  const TrainedModel model = untrained(
      "tree-lstm-relatedness", {.types = {"node", "pair"}, .index_ports = {"word"}, .float_ports = {{"score", 1}}}, {});
  const std::vector<Answer> answers = TextPredictor(model).run("(runs (dog))\t(runs (dog))\t4\n(dog)\t(the)\n");
  ASSERT_TRUE(answers[0].score && answers[1].score);
  EXPECT_GT(*answers[0].score, 1);
  EXPECT_EQ(answers[0].expected_score, 4.0F);
  EXPECT_EQ(answers[1].expected_score, std::nullopt);
}

TEST(TextPredictor, HasNoProbabilitiesForAChoice) {
  Model m({.seed = 1});
  auto W = m.lookup("embedding", {5, 3});
  m.vertex_function("token", [&](Vertex& v) {
    auto scores = W(v.pull_index("word")) + v.gather(0, "scores");
    v.scatter("scores", scores);
    v.push("logits", hard_max(scores));
  });
  TrainedModel model = tagger();
  model.model = m;
  model.parameters = m.make_parameters();
  model.classes = 3;
  const Answer answer = TextPredictor(model).run("Anna runs\n")[0];
  EXPECT_EQ(answer.ids.size(), 2U);
  EXPECT_TRUE(answer.probabilities.empty());
  EXPECT_TRUE(answer.prediction.roots[0].probabilities.empty());
}

TEST(Spans, FollowTheTags) {
  TrainedModel model = tagger();
  Answer answer{.tokens = {"Anna", "Smith", "in", "Rome"}, .classes = {"B-PER", "I-PER", "O", "B-LOC"}};
  const std::vector<Span> spans = spans_of(model, answer);
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].text, "Anna Smith");
  EXPECT_EQ(spans[1].entity_class, "LOC");
  EXPECT_EQ(spans[1].begin, 3);
  EXPECT_EQ(spans[1].end, 4);
  model.class_names = {"DET", "NOUN"};
  EXPECT_FALSE(has_spans(model));
  EXPECT_THAT(error_of([&] { spans_of(model, answer); }), HasSubstr("not tags of entities"));
}

TEST(TrainedModel, RecognisesTheSchemeOfItsTags) {
  const Model m = find_model("bilstm").make({.vocabulary = 9, .embedding = 4, .hidden = 4, .classes = 9});
  const GraphSet chains =
      build_graphs(load_data("tags:train=8,test=0,vocabulary=9").train, network_builder(m, chain_schema()));
  Trainer trainer(m, chains, {});
  Checkpoint checkpoint = trainer.checkpoint();
  const auto scheme = [&](const std::string& data, const std::vector<std::string>& tags) {
    checkpoint.data.spec = data;
    checkpoint.data.class_names = tags;
    return trained_model(checkpoint).tag_scheme;
  };
  EXPECT_EQ(scheme("conll:a,tags=iob2", {"O", "B-A"}), "iob2");  // as in files without the key
  EXPECT_EQ(scheme("conll:a", {"O", "S-A"}), "iobes");
  EXPECT_EQ(scheme("conll:a", {"O", "I-A"}), "");
  checkpoint.data.tag_scheme = "iob1";
  EXPECT_EQ(scheme("conll:a", {"O", "I-A"}), "iob1");
}

}  // namespace
}  // namespace cavs
