// A softmax in tiles gives the same numbers in little memory.

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "compile/program.h"
#include "graphs/error_text.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"

namespace cavs {
namespace {

using testing::HasSubstr;

constexpr std::int32_t kVocabulary = 30, kClasses = 517;  // 517 is not a multiple of any vector or panel

/// A recurrent cell with a softmax over many classes.
Model classifier(bool bias) {
  Model m({.seed = 3});
  auto E = m.lookup("E", {kVocabulary, 9});
  auto U = m.parameter("U", {9, 9}), W = m.parameter("W", {9, kClasses});
  m.vertex_function("token", [&](Vertex& v) {
    const Value h = tanh(E(v.pull_index("word")) + v.gather(0, "h") * U);
    v.scatter("h", h);
    Value logits = h * W;
    if (bias) logits = logits + m.parameter("b", {kClasses}, Initializer::uniform(1));
    const Value loss = softmax_cross_entropy(logits, v.pull_index("label"));
    v.loss(loss);
    v.push("loss", loss);
    v.push("h", h);
  });
  return m;
}

/// Chains with labels below `classes`. One vertex in six has no label.
GraphSet labelled_chains(std::int32_t count, std::int32_t length, std::int32_t vocabulary = kVocabulary,
                         std::int32_t classes = kClasses) {
  GraphSet set(chain_schema());
  Numbers numbers(static_cast<std::uint64_t>(count));
  for (std::int32_t i = 0; i < count; ++i) {
    std::vector<std::int32_t> words(static_cast<std::size_t>(length));
    for (std::int32_t& word : words) word = numbers.below(vocabulary);
    InputGraph graph = to_chain(0, words);
    for (std::int32_t& label : graph.index_pulls[1]) label = numbers.below(6) == 0 ? -1 : numbers.below(classes);
    set.add(graph);
  }
  return set;
}

bool is_tiled(const Program& program) {
  for (const Node& node : program.types[0].function.nodes)
    if (node.op->kind == OpKind::kLinearLoss) return true;
  return false;
}

const CompileOptions kUntiled{.disabled_passes = {"tile_softmax"}};

struct SoftmaxCase {
  const char* name;
  GraphSet graphs;
};
/// Cases with rows for a part of a tile, for one tile and for several.
std::vector<SoftmaxCase> cases() {
  return {
      {"3 rows", labelled_chains(1, 3)}, {"256 rows", labelled_chains(16, 16)}, {"650 rows", labelled_chains(26, 25)}};
}

TEST(TiledSoftmax, GivesTheBitsOfTheWholeProductForAnyNumberOfThreads) {
  for (const bool bias : {false, true})
    for (const SoftmaxCase& c : cases()) {
      const Bench bench(classifier(bias), c.graphs), plain(classifier(bias), c.graphs, kUntiled);
      const auto samples = all_samples(c.graphs);
      const Result expected = plain.run(samples);
      for (int threads : {1, 2, 3})
        expect_same_result_bits(bench.run(samples, {.threads = threads}), expected,
                                std::string(c.name) + ", " + std::to_string(threads) + " threads");
    }
}

TEST(TiledSoftmax, GivesTheSameLossInInferenceAndInAnyBatch) {
  const GraphSet graphs = labelled_chains(26, 25);
  const auto samples = all_samples(graphs);
  const Bench training(classifier(true), graphs), inference(classifier(true), graphs, {.training = false});
  const Result together = training.run(samples);
  const Result alone = inference.run(samples);
  EXPECT_EQ(alone.loss, together.loss);
  const auto& losses = together.outputs.at("loss");
  expect_same_bits(alone.outputs.at("loss"), losses, "inference");
  for (std::size_t begin = 0; begin < samples.size(); begin += 13)
    expect_same_bits(inference.run(std::span(samples).subspan(begin, 13)).outputs.at("loss"),
                     std::span(losses).subspan(begin * 25, std::size_t{13} * 25), "half of the batch");
}

/// Both losses and the state of one type multiply with W, so all add to one gradient.
Model shared_weight() {
  Model m({.seed = 5});
  auto E = m.lookup("E", {kVocabulary, kClasses});
  auto W = m.parameter("W", {9, kClasses}), b = m.parameter("b", {kClasses});
  m.vertex_function("token", [&](Vertex& v) {
    auto label = v.pull_index("label");
    auto x = tanh(E(v.pull_index("word")) + v.gather(0, "h") * W + b);
    auto h = slice(x, 0, 9);
    v.scatter("h", h);
    v.loss(softmax_cross_entropy(h * W + b, label));
    v.loss(softmax_cross_entropy(slice(x, 9, 9) * W, label));
  });
  return m;
}

TEST(TiledSoftmax, SharesAWeightWithOtherProducts) {
  const GraphSet graphs = labelled_chains(20, 20);
  const auto samples = all_samples(graphs);
  const Bench bench(shared_weight(), graphs);
  ASSERT_TRUE(is_tiled(*bench.program));
  const Result expected = bench.run(samples, {.engine = EngineKind::kReference});
  for (int threads : {1, 2})
    expect_same_numbers(bench.run(samples, {.threads = threads}), expected, *bench.parameters,
                        std::to_string(threads) + " threads");
}

TEST(TiledSoftmax, FindsANumberThatIsNotFinite) {
  const GraphSet graphs = labelled_chains(2, 5);
  const Bench bench(classifier(true), graphs);
  bench.parameters->values(bench.parameters->find("b"))[7] = std::nanf("");
  Session session(bench.program, bench.parameters);
  cavs::Run run = session.forward(*bench.bound, all_samples(graphs));
  EXPECT_THAT(run.find_not_finite(), HasSubstr("linear_cross_entropy"));
}

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

TEST(TiledSoftmax, AVocabularyOf100000WordsNeedsLessThan112MiB) {
  constexpr std::int32_t kMany = 100'000;
  const Model model =
      find_model("var-lstm").make({.vocabulary = kMany, .embedding = 8, .hidden = 16, .classes = kMany, .seed = 1});
  const GraphSet graphs = labelled_chains(64, 20, kMany, kMany);
  const auto samples = all_samples(graphs);
  CompileOptions options{.pushes = std::vector<std::string>{}};
  const Bench bench(model, graphs, options);
  Session session(bench.program, bench.parameters, {.memory_limit = 112 * kMiB});
  cavs::Run run = session.forward(*bench.bound, samples);
  EXPECT_NEAR(run.mean_loss(), std::log(kMany), 0.5);
  Gradients gradients(*bench.parameters);
  run.backward(gradients);
  EXPECT_EQ(run.find_not_finite(), "");
  const auto by = bench.parameters->find("output_b");
  EXPECT_NEAR(std::accumulate(gradients.values(by).begin(), gradients.values(by).end(), 0.0), 0, 1e-3)
      << "the gradients of a softmax sum to zero";

  options.disabled_passes = {"tile_softmax"};
  const Bench plain(model, graphs, options);
  Session whole(plain.program, plain.parameters, {.memory_limit = 3 * 112 * kMiB});
  EXPECT_THAT(error_of([&] { whole.forward(*plain.bound, samples); }), HasSubstr("needs"));
  EXPECT_GT(whole.memory(*plain.bound, samples), 3 * session.memory(*bench.bound, samples));
}

}  // namespace
}  // namespace cavs
