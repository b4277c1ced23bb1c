// A model that reads edges, from JSON lines through a checkpoint to predictions, and the labels in its reports.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "cavs/data.h"
#include "cavs/evaluator.h"
#include "cavs/readers.h"
#include "cavs/trained_model.h"
#include "cavs/trainer.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A vertex over two vertices with the same word. Its class is 1 if the edges have different names.
std::string line(const char* first, const char* second, int label) {
  return std::string(R"({"children":[[],[],[0,1]],"pull":{"word":["a","a","b"]},"edges":{"relation":[[],[],[")") +
         first + R"(",")" + second + R"("]]},"label":[-1,-1,)" + std::to_string(label) + "]}\n";
}

std::string lines() {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += line("left", "right", 1) + line("right", "left", 1) + line("left", "left", 0) + line("right", "right", 0);
  return text;
}

Model reader_of_edges(const Dataset& data) {
  Model m({.seed = 2});
  const int width = 8;
  auto E = m.lookup("E", {data.rows("word"), width}), R = m.lookup("R", {data.rows("relation"), width});
  auto W = m.parameter("W", {width, data.classes}), V = m.parameter("V", {width, data.rows("relation")});
  m.vertex_function("vertex", [&](Vertex& v) {
    auto relation = v.pull_edge_index("relation");
    auto sum_of = sum(R(relation) + v.children("h") * 0.1);
    auto h = E(v.pull_index("word")) + square(sum_of);
    v.scatter("h", h);
    auto logits = h * W;
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
    v.loss(sum(softmax_cross_entropy(R(relation) * V, relation)));
  });
  return m;
}

TEST(EdgeModels, AreTrainedSavedAndPredictFromJsonLines) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.jsonl";
  std::ofstream(path) << lines();
  const Dataset data = load_data("jsonl:" + path);
  const Model model = reader_of_edges(data);
  TrainOptions options;
  options.batch_size = 4;
  options.optimizer = optimizer_defaults("adam");
  options.optimizer.lr = 0.05;
  Trainer trainer(model, data, options);
  const TrainStep first = trainer.step();
  EXPECT_EQ(first.labels, 4 * (1 + 2)) << "one vertex and two edges per sample";
  while (trainer.position().epoch < 40) trainer.step();
  const Evaluation evaluation = evaluate(model, trainer.evaluated_parameters(), data.train);
  EXPECT_EQ(evaluation.accuracy, 1);
  EXPECT_LT(evaluation.loss, 0.5);

  Checkpoint checkpoint = trainer.checkpoint();
  save_checkpoint(folder / "a.cavs", checkpoint);
  const TrainedModel trained = trained_model(load_checkpoint(folder / "a.cavs"));
  EXPECT_EQ(trained.schema, data.schema);
  EXPECT_EQ(trained.edge_names, data.edge_names);
  const auto read = [&](const std::string& text) { return parse_samples(text, sample_options(trained)); };
  Predictor predictor(trained);
  std::vector<std::int32_t> found;
  for (const Prediction& sample :
       predictor.predict(read(line("right", "left", -1) + line("right", "right", -1)).graphs))
    found.push_back(sample.classes[2]);
  EXPECT_THAT(found, ElementsAre(1, 0));
  EXPECT_THAT(error_of([&] { read(line("right", "lef", -1)); }),
              HasSubstr("edge port 'relation' has the unknown name 'lef'; did you mean 'left'?"));
  EXPECT_THAT(error_of([&] { read(R"({"children":[[]],"pull":{"word":["a"]}})"); }),
              HasSubstr("edges has no port 'relation'"));

  // Without a saved schema, the model's ports give the schema.
  checkpoint.data.schema.reset();
  EXPECT_THAT(trained_model(checkpoint).schema.edge_index_ports, ElementsAre("relation"));
}

}  // namespace
}  // namespace cavs
