// A network: two recurrent nets, one in each direction, below a tagger. The tag of a word depends on the next word, so
// only the net that reads from the end of the sentence can predict it.
#include <cavs/data.h>
#include <cavs/error.h>
#include <cavs/evaluator.h>
#include <cavs/graph.h>
#include <cavs/model.h>
#include <cavs/trained_model.h>
#include <cavs/trainer.h>

#include <cstdio>
#include <string>

namespace {

cavs::Model declare(int words, int classes) {
  constexpr int d = 32, h = 64;
  cavs::Model m({.seed = 1});
  auto E = m.lookup("embedding", {words, d});
  for (const std::string name : {"forward", "backward"}) {
    auto W = m.parameter(name + "_W", {d, h}), U = m.parameter(name + "_U", {h, h}), b = m.parameter(name + "_b", {h});
    const auto step = [&](cavs::Vertex& v) {
      auto y = tanh(E(v.pull_index("word")) * W + v.gather(0, name) * U + b);
      v.scatter(name, y);
      v.push("h", y);
    };
    m.vertex_function(name, step, {.over = {"token"}, .reverse = name == "backward"});
  }

  auto Wl = m.parameter("Wl", {h, classes}), Wr = m.parameter("Wr", {h, classes});
  const auto tagger = [&](cavs::Vertex& v) {
    auto logits = v.pull("left", h) * Wl + v.pull("right", h) * Wr;
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  };
  m.vertex_function("tagger", tagger, {.over = {"token"}});

  m.connect({"forward", "h"}, {"tagger", "left"});
  m.connect({"backward", "h"}, {"tagger", "right"});
  return m;
}

}  // namespace

int main() try {
  const cavs::Dataset data = cavs::load_data("tags:train=1000,test=200,length=10,vocabulary=100");
  const cavs::Model model = declare(data.rows("word"), data.classes);
  const cavs::GraphBuilder network = cavs::network_builder(model, data.schema);
  const cavs::GraphSet train = cavs::build_graphs(data.train, network);
  const cavs::GraphSet test = cavs::build_graphs(data.dev, network);

  cavs::TrainOptions options{.batch_size = 32, .optimizer = cavs::optimizer_defaults("adam")};
  options.optimizer.lr = 0.005;
  cavs::Trainer trainer(model, train, options);
  while (trainer.position().epoch < 6) trainer.step();

  const cavs::TrainedModel trained = cavs::trained_model(trainer.checkpoint());
  const double accuracy = cavs::evaluate(trained.model, trained.parameters, test).accuracy;
  std::printf("tags of new sentences that are right: %.1f %%\n", 100 * accuracy);
  if (accuracy < 0.95) throw cavs::UserError("fewer than 95 % of the tags of new sentences are right");
  return 0;
} catch (const cavs::UserError& error) {
  std::fprintf(stderr, "custom_network: %s\n", error.what());
  return 1;
}
