// A custom cell: declares a Tree-LSTM with coupled gates and peepholes, trains and saves it, loads it and predicts.
// docs/start/tutorial.md walks through this file. Usage: custom_cell [CHECKPOINT]
#include <cavs/checkpoint.h>
#include <cavs/data.h>
#include <cavs/error.h>
#include <cavs/fit.h>
#include <cavs/model.h>
#include <cavs/readers.h>
#include <cavs/trained_model.h>
#include <cavs/trainer.h>

#include <cstdio>
#include <string>

namespace {

constexpr const char* kData = "random-trees:train=1000,test=200,leaves=8,vocabulary=100";

cavs::Model declare(int words, int classes) {
  constexpr int d = 32, h = 64;
  const auto zeros = cavs::Initializer::zeros();
  cavs::Model m({.seed = 1});
  auto E = m.lookup("embedding", {words, d});
  auto W = m.parameter("W", {d, 2 * h}), U = m.parameter("U", {h, 2 * h}), b = m.parameter("b", {2 * h}, zeros);
  auto Wf = m.parameter("Wf", {d, h}), Uf = m.parameter("Uf", {h, h}), bf = m.parameter("bf", {h}, zeros);
  auto pf = m.parameter("pf", {h}, zeros), po = m.parameter("po", {h}, zeros);
  auto Wy = m.parameter("Wy", {h, classes}), by = m.parameter("by", {classes}, zeros);

  m.vertex_function("cell", [&](cavs::Vertex& v) {
    auto x = E(v.pull_index("word"));                            // [d]; zeros where a vertex has no word
    auto hs = v.children("h"), cs = v.children("c");             // one row per child
    auto [o, u] = cavs::split<2>(x * W + sum(hs) * U + b);       // output gate and candidate
    auto f = sigmoid(x * Wf + hs * Uf + multiply(cs, pf) + bf);  // one forget gate per child, which sees its memory
    auto i = 1.0 - mean(f);                                      // coupled to the forget gates
    auto c = (i * tanh(u) + sum(f * cs)).named("memory");        // the name in messages and printed programs
    auto y = sigmoid(o + multiply(c, po)) * tanh(c);             // the output gate sees the new memory
    v.scatter("c", c);
    v.scatter("h", y);
    auto logits = y * Wy + by;
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  });
  return m;
}

/// Trains; prints the loss and saves a checkpoint after every epoch. Returns the accuracy on new trees.
double train(const cavs::Model& model, const cavs::Dataset& data, const std::string& checkpoint) {
  cavs::TrainOptions options{.batch_size = 32, .optimizer = cavs::optimizer_defaults("adam")};
  options.optimizer.lr = 0.005;
  cavs::Trainer trainer(model, data, options);

  double first = 0, last = 0, accuracy = 0;
  const auto report = [&](const cavs::EpochReport& epoch) {
    std::printf("epoch %d: loss %.3f, accuracy on new trees %.1f %%\n", static_cast<int>(epoch.epoch), epoch.train_loss,
                100 * epoch.dev->accuracy);
    (epoch.epoch == 1 ? first : last) = epoch.train_loss;
    accuracy = epoch.dev->accuracy;
  };
  cavs::fit(trainer, data.dev, {.epochs = 8, .save = checkpoint}, {.epoch = report});
  if (!(last < 0.5 * first)) throw cavs::UserError("the loss did not fall to half of its first value");
  return accuracy;
}

/// Predicts classes of trees as text with a checkpoint; no declaration is needed.
void predict(const std::string& checkpoint, const std::string& text) {
  const cavs::TrainedModel model = cavs::trained_model(cavs::load_checkpoint(checkpoint));
  const cavs::Samples samples = cavs::parse_samples(text, {.words = model.words});
  cavs::Predictor predictor(model);
  for (const cavs::Prediction& tree : predictor.predict(samples.graphs))
    std::printf("%s -> class %d\n", text.c_str(), tree.classes[tree.roots[0].vertex]);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string checkpoint = argc > 1 ? argv[1] : "custom_cell.safetensors";
  const cavs::Dataset data = cavs::load_data(kData);
  const cavs::Model model = declare(data.rows("word"), data.classes);
  const double accuracy = train(model, data, checkpoint);

  const cavs::TrainedModel loaded = cavs::trained_model(cavs::load_checkpoint(checkpoint));
  const cavs::Evaluation again = cavs::evaluate(loaded.model, loaded.parameters, data.dev);
  predict(checkpoint, "(((w3) (w5)) ((w8) ((w2) (w7))))");
  if (accuracy < 0.8) throw cavs::UserError("fewer than 80 % of the classes of new trees are right");
  if (again.accuracy != accuracy) throw cavs::UserError("the loaded model is not the one that was saved");
  return 0;
} catch (const cavs::UserError& error) {
  std::fprintf(stderr, "custom_cell: %s\n", error.what());
  return 1;
}
