// Text at an index port other than "word" and "label", from JSON lines through a checkpoint to predictions.

#include <gmock/gmock.h>

#include <fstream>

#include "cavs/data.h"
#include "cavs/fit.h"
#include "cavs/trained_model.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kLines =
    R"({"children":[[],[],[]],"pull":{"pos":["noun","verb",null]},"label":["thing","deed","none"]}
{"children":[[],[]],"pull":{"pos":["verb","noun"]},"label":["deed","thing"]}
)";

/// A model whose label depends only on port "pos".
Model model_of(std::int32_t rows, std::int32_t classes) {
  Model m({.seed = 1});
  const Lookup kinds = m.lookup("kinds", {rows, 4});
  const Parameter W = m.parameter("W", {4, classes}), b = m.parameter("b", {classes});
  m.vertex_function("vertex", [&](Vertex& v) {
    const auto logits = kinds(v.pull_index("pos")) * W + b;
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  });
  return m;
}

Checkpoint trained_checkpoint(const std::string& spec) {
  const Dataset data = load_data(spec);
  const Model model = model_of(data.rows("pos"), data.classes);
  TrainOptions options;
  options.optimizer = optimizer_defaults("adam");
  options.optimizer.lr = 0.1;
  Trainer trainer(model, data, options);
  for (int step = 0; step < 30; ++step) trainer.step();
  return trainer.checkpoint();
}

class PortWordsOfACheckpoint : public testing::Test {
 protected:
  PortWordsOfACheckpoint() {
    std::ofstream(folder_ / "a.jsonl") << kLines;
    checkpoint_ = trained_checkpoint("jsonl:" + (folder_ / "a.jsonl"));
  }
  TemporaryFolder folder_;
  Checkpoint checkpoint_;
};

TEST_F(PortWordsOfACheckpoint, GiveTheSameIdsInPrediction) {
  const TrainedModel trained = trained_model(checkpoint_);
  EXPECT_THAT(trained.port_words.at("pos").words(), ElementsAre("<unk>", "noun", "verb"));
  TextPredictor predictor(trained);
  const auto classes = [&](const std::string& values) {
    return predictor.run(R"({"children":[[],[],[]],"pull":{"pos":[)" + values + "]}}")[0].classes;
  };
  EXPECT_THAT(classes(R"("noun",null,"verb")"), ElementsAre("thing", "none", "deed"));
  EXPECT_EQ(classes(R"("noun",null,"verb")"), classes("1,-1,2"));
  EXPECT_EQ(classes(R"("adverb",null,"adverb")"), classes("0,null,0"));
}

TEST_F(PortWordsOfACheckpoint, ApplyToDataThatAreReadForTheCheckpoint) {
  const TrainedModel trained = trained_model(checkpoint_);
  std::ofstream(folder_ / "b.jsonl") << R"({"children":[[],[]],"pull":{"pos":["verb","x"]},"label":["deed",null]})";
  const Dataset data =
      load_data("jsonl:" + (folder_ / "b.jsonl"),
                {.classes = 3, .class_names = &trained.class_names, .port_words = &trained.port_words});
  EXPECT_THAT(data.train.to_arrays().index_pulls[1], ElementsAre(2, 0));
}

TEST_F(PortWordsOfACheckpoint, MustBeValidAndMatchTheRowsOfTheTable) {
  checkpoint_.data.port_words = {{"pos", {"<unk>", "noun"}}};
  EXPECT_THAT(error_of([&] { trained_model(checkpoint_); }),
              HasSubstr("vocabulary of port 'pos' has 2 words, but table 'kinds' of the model has 3 rows"));
  checkpoint_.data.port_words = {{"pos", {}}};
  EXPECT_NE(error_of([&] { trained_model(checkpoint_); }), "no UserError");
  checkpoint_.data.port_words.clear();
  EXPECT_EQ(
      error_of([&] { TextPredictor(trained_model(checkpoint_)).run(R"({"children":[[]],"pull":{"pos":["noun"]}})"); }),
      "stdin:1: port 'pos' has the name 'noun', but only numbers are known there; expected numbers from 0");
}

}  // namespace
}  // namespace cavs
