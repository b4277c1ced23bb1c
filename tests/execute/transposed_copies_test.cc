// SessionOptions::transposed_copies: without them ∂F reads the weights as F has them.

#include <gmock/gmock.h>

#include "cavs/trainer.h"
#include "compile/weights_of_products.h"
#include "execute/batched/packed_weights.h"
#include "graphs/error_text.h"
#include "helpers/evaluate.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

constexpr EngineKind kEngines[] = {EngineKind::kBatched, EngineKind::kPersistent};

SessionOptions without_copies(EngineKind engine, int threads) {
  return {.threads = threads, .engine = engine, .transposed_copies = false};
}

std::string named(const std::string& model, EngineKind engine, int threads) {
  return model + ", " + std::string(to_string(engine)) + ", " + std::to_string(threads) + " threads";
}

class TransposedCopiesOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, TransposedCopiesOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(TransposedCopiesOfModel, OffGiveTheNumbersOfTheReferenceAndTheSameBitsInAnyEngineAndNumberOfThreads) {
  const ZooCase zoo = make(fewer(12), 0.2);
  const Bench bench(zoo.model, zoo.graphs);
  const auto all = all_samples(zoo.graphs);
  for (const std::size_t batch : {std::size_t{1}, all.size()}) {
    const auto samples = std::span(all).first(batch);
    const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
    const Result with_copies = bench.run(samples), one = bench.run(samples, without_copies(EngineKind::kBatched, 1));
    for (const auto& [port, values] : with_copies.outputs)
      expect_same_bits(one.outputs.at(port), values, zoo.name + ": F reads the same weights");
    for (const EngineKind engine : kEngines)
      for (const int threads : {1, 2, 3}) {
        const std::string what = named(zoo.name, engine, threads) + ", batch " + std::to_string(batch);
        const Result found = bench.run(samples, without_copies(engine, threads));
        expect_same_numbers(found, reference, *bench.parameters, what);
        expect_same_result_bits(found, one, what);
      }
  }
}

TEST_P(TransposedCopiesOfModel, OffGiveTheSameBitsWhateverIsSwitchedOff) {
  const ZooCase zoo = make(fewer(6));
  const auto samples = all_samples(zoo.graphs);
  const Result reference = Bench(zoo.model, zoo.graphs).run(samples, {.engine = EngineKind::kReference});
  for (const std::string pass : {"lazy", "fuse_rows", "merge_products", "tile_softmax"}) {
    const Bench bench(zoo.model, zoo.graphs, {.disabled_passes = {pass}});
    const Result one = bench.run(samples, without_copies(EngineKind::kBatched, 1));
    expect_same_numbers(one, reference, *bench.parameters, zoo.name + ", without " + pass);
    for (const EngineKind engine : kEngines)
      expect_same_result_bits(bench.run(samples, without_copies(engine, 2)), one, zoo.name + ", without " + pass);
  }
}

TrainOptions train_options(SessionOptions session, const char* optimizer, double clip_norm) {
  TrainOptions options;
  options.batch_size = 2, options.clip_norm = clip_norm;
  options.session = std::move(session), options.session.defer_from = 0;
  options.optimizer = optimizer_defaults(optimizer), options.optimizer.lr = 0.01;
  return options;
}

/// Updates change the one copy: with squares of the gradient, by rows, or from a gradient that was clipped.
TEST_P(TransposedCopiesOfModel, OffTrainWithTheSameBitsInAnyEngineAndNearlyAsWithCopies) {
  const ZooCase zoo = make(fewer(8), 0.2);
  for (const auto& [optimizer, clip] : {std::pair{"sgd", 0.0}, {"sgd", 0.5}, {"adam", 0.0}}) {
    const auto trained = [&](const SessionOptions& session) {
      auto trainer = std::make_unique<Trainer>(zoo.model, zoo.graphs, train_options(session, optimizer, clip));
      for (int step = 0; step < 4; ++step) trainer->step();
      return trainer;
    };
    const auto one = trained(without_copies(EngineKind::kBatched, 1)), copies = trained({});
    for (const EngineKind engine : kEngines) {
      const auto found = trained(without_copies(engine, 2));
      for (int p = 0; p < one->parameters().size(); ++p)
        expect_same_bits(found->parameters().values(p), one->parameters().values(p),
                         named(zoo.name, engine, 2) + ", " + optimizer + ", " + one->parameters().info(p).name);
    }
    for (int p = 0; std::string_view(optimizer) == "sgd" && p < one->parameters().size(); ++p)
      expect_close(one->parameters().values(p), copies->parameters().values(p), zoo.name + ", " + optimizer);
  }
}

/// Weights whose columns are no multiple of a slice, and fewer units than threads.
TEST(TransposedCopies, OffDoNotDependOnHowManyColumnsThereAre) {
  const GraphSet graphs = random_samples(find_model("tree-lstm"), 12, 50, 11);
  for (const std::int32_t hidden : {1, 15, 17, 33}) {
    const Bench bench(small_model("tree-lstm", 0, hidden), graphs);
    const auto samples = all_samples(graphs);
    const Result one = bench.run(samples, without_copies(EngineKind::kBatched, 1));
    expect_same_numbers(one, bench.run(samples, {.engine = EngineKind::kReference}), *bench.parameters,
                        std::to_string(hidden));
    for (const EngineKind engine : kEngines)
      expect_same_result_bits(bench.run(samples, without_copies(engine, 5)), one, std::to_string(hidden));
  }
}

TEST(TransposedCopies, OffLeaveOnePackOfEveryWeight) {
  const Bench bench(small_model("tree-lstm-binary", 0, 32), random_samples(find_model("tree-lstm-binary"), 4, 50, 11));
  const Program& program = *bench.program;
  const std::vector<char> readable = readable_as_declared(program);
  const PackedWeights copies(program, cpu::Precision::kFp32, true), one(program, cpu::Precision::kFp32, false);
  int views = 0;
  for (std::int32_t w = 0; w < std::ssize(program.weights); ++w) {
    EXPECT_FALSE(copies[w].is_view());
    EXPECT_EQ(one[w].is_view(), program.weights[w].transposed) << "all of this model's are read as declared";
    EXPECT_EQ(one[w].is_view(), readable[w] != 0);
    EXPECT_EQ(one[w].units(), copies[w].units());
    EXPECT_EQ(one[w].k(), copies[w].k());
    views += one[w].is_view() ? 1 : 0;
  }
  EXPECT_GT(views, 0);
}

/// F that multiplies with a weight read transposed keeps its bits, so it keeps its pack.
TEST(TransposedCopies, AreKeptForForwardProducts) {
  Model model;
  model.vertex_function("cell", [&](Vertex& v) {
    auto W = model.parameter("W", {6, 6});
    auto x = model.lookup("E", {50, 6})(v.pull_index("word"));
    auto h = tanh(apply_op("matmul_transposed", {x + sum(v.children("h")), v(W)}));
    v.scatter("h", h);
    v.loss(sum_features(square(h * W)));
  });
  const auto program = compile(model);
  const std::vector<char> readable = readable_as_declared(*program);
  int transposed = 0;
  for (std::size_t w = 0; w < program->weights.size(); ++w) {
    transposed += program->weights[w].transposed ? 1 : 0;
    EXPECT_FALSE(readable[w] != 0 && !program->weights[w].transposed);
  }
  EXPECT_GT(transposed, std::ranges::count(readable, 1)) << "one is F's";
}

TEST(TransposedCopies, OffAreRefusedInBf16) {
  const Bench bench(small_model("tree-lstm", 0, 16), random_samples(find_model("tree-lstm"), 4, 50, 11));
  EXPECT_THAT(error_of([&] {
                Session(bench.program, bench.parameters, {.precision = Precision::kBf16, .transposed_copies = false});
              }),
              testing::HasSubstr("transposed_copies is off with precision bf16, whose products need them"));
}

}  // namespace
}  // namespace cavs
