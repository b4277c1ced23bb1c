// A custom operator: softplus with a stable gradient, in the forget gate of a recursive net. It is batched, fused and
// compiled like the library's operators, and a checkpoint that uses it is loaded without a declaration.
// Usage: custom_operator [CHECKPOINT]
#include <cavs/checkpoint.h>
#include <cavs/data.h>
#include <cavs/error.h>
#include <cavs/evaluator.h>
#include <cavs/model.h>
#include <cavs/operator.h>
#include <cavs/trained_model.h>
#include <cavs/trainer.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

using Function = std::function<cavs::Value(const cavs::Value&)>;

/// log(1 + exp(x)), in a form that does not overflow; its gradient is the sigmoid.
const cavs::Operator& softplus() {
  static const cavs::Operator op({
      .name = "softplus",
      .expression = [](const auto& x) { return max(x[0], 0) + log(1 + exp(-abs(x[0]))); },
      .gradient = [](const auto& g) { return std::vector{g.dy * sigmoid(g.x[0])}; },
      .doc = "log(1 + exp(x))",
  });
  return op;
}

/// The same, composed of the library's operators: a function of Values is an operator, too. Its gradient is derived.
cavs::Value composed_softplus(const cavs::Value& x) { return relu(x) + log(1.0 + exp(-abs(x))); }

cavs::Model declare(const cavs::Dataset& data, const Function& positive) {
  constexpr int d = 32, h = 64;
  cavs::Model m({.seed = 1});
  auto E = m.lookup("embedding", {data.rows("word"), d});
  auto W = m.parameter("W", {d, h}), U = m.parameter("U", {h, h}), b = m.parameter("b", {h});
  auto Wg = m.parameter("Wg", {d, h}), Ug = m.parameter("Ug", {h, h}), bg = m.parameter("bg", {h});
  auto Wy = m.parameter("Wy", {h, data.classes});
  m.vertex_function("cell", [&](cavs::Vertex& v) {
    auto x = E(v.pull_index("word"));
    auto hs = v.children("h");
    auto weights = positive(x * Wg + hs * Ug + bg);         // a positive weight for each child and feature
    auto mean = sum(weights * hs) / (sum(weights) + 1e-3);  // their weighted mean
    auto y = tanh(x * W + mean * U + b);
    v.scatter("h", y);
    v.push("logits", y * Wy);
    v.loss(softmax_cross_entropy(y * Wy, v.pull_index("label")));
  });
  return m;
}

/// The mean loss per label of each epoch.
std::vector<double> train(cavs::Trainer& trainer, int epochs) {
  std::vector<double> losses;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    double loss = 0;
    std::int64_t labels = 0;
    while (trainer.position().epoch == epoch) {
      const cavs::TrainStep step = trainer.step();
      loss += step.loss_sum;
      labels += step.labels;
    }
    losses.push_back(loss / static_cast<double>(labels));
  }
  return losses;
}

void require(bool holds, const char* claim) {
  if (!holds) throw cavs::UserError(std::string("does not hold: ") + claim);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string path = argc > 1 ? argv[1] : "custom_operator.safetensors";
  const cavs::Dataset data = cavs::load_data("random-trees:train=500,test=100,leaves=6,vocabulary=50");
  cavs::TrainOptions options{.batch_size = 32, .optimizer = cavs::optimizer_defaults("adam")};
  options.optimizer.lr = 0.005;

  cavs::Trainer trainer(declare(data, softplus()), data, options);
  const std::vector<double> losses = train(trainer, 6);
  cavs::Trainer other(declare(data, composed_softplus), data.train, options);
  const double composed = train(other, 1).front();
  for (const double loss : losses) std::printf("loss %.4f\n", loss);
  std::printf("the first epoch with softplus composed of the library's operators: %.4f\n", composed);
  require(losses.back() < 0.6 * losses.front(), "the loss falls");
  require(std::abs(composed - losses.front()) < 1e-3, "the operator and the composed one train alike");

  const cavs::Checkpoint record = trainer.checkpoint();
  cavs::save_checkpoint(path, record);
  const auto evaluate = [&](const cavs::TrainedModel& m) { return cavs::evaluate(m.model, m.parameters, data.dev); };
  const cavs::Evaluation now = evaluate(cavs::trained_model(record));
  const cavs::Evaluation later = evaluate(cavs::trained_model(cavs::load_checkpoint(path)));
  std::printf("accuracy on new trees %.1f %%\n", 100 * later.accuracy);
  require(later.accuracy == now.accuracy && later.loss == now.loss, "the loaded model is the one that was trained");
  require(later.accuracy > 0.6, "the model is right on new trees");
  return 0;
} catch (const cavs::UserError& error) {
  std::fprintf(stderr, "custom_operator: %s\n", error.what());
  return 1;
}
