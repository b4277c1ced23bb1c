// Growing graphs with states in a GPU's memory, on the stand-in.

#include "cavs/decode.h"

#include <gmock/gmock.h>

#include <limits>
#include <utility>

#include "backend/cuda/device.h"
#include "cuda/engine_case.h"
#include "graphs/error_text.h"
#include "helpers/growing.h"
#include "helpers/trained.h"

namespace cavs::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kForms[] = {"waited", "plain", "graphs", "early"};
const Growth kTaker{"taker", "word", "said"};

std::int64_t free_memory() { return Device::open(open_driver())->free_memory(); }

class CudaGrowingGraphs : public CudaBatched {
 protected:
  const Model model = attention_model();
  const std::shared_ptr<Parameters> parameters = model.make_parameters();
};

TEST_F(CudaGrowingGraphs, GiveTheOutputsOfTheWholeGraphWithTheSameBitsInEveryForm) {
  const std::vector<float> all = outputs_of_whole_graph(model, parameters, gpu_session);
  const std::vector<float> on_cpu = outputs_of_whole_graph(model, parameters, {});
  for (const std::string form : kForms) {
    const Variable launches("CAVS_CUDA_LAUNCHES", form);
    SessionOptions options = gpu_session;
    options.check_scripts = true;
    GrowingGraphs graphs(model, parameters, kTaker, options);
    const auto rows = outputs_in_steps(graphs);
    for (const auto& [step, vertex] : {std::pair{0, 3}, {1, 5}, {2, 4}}) {
      expect_same_bits(rows[step], std::span(all).subspan(10 * vertex, 10), form);
      expect_close(rows[step], std::span(on_cpu).subspan(10 * vertex, 10), form);
    }
  }
}

/// In bf16, products of the whole graph read rounded states. Kept states are in fp32 and are rounded when read.
TEST_F(CudaGrowingGraphs, HaveTheBitsOfTheWholeGraphInEveryPrecision) {
  for (const Precision precision : {Precision::kTf32, Precision::kBf16}) {
    SessionOptions options = gpu_session;
    options.precision = precision;
    const std::vector<float> all = outputs_of_whole_graph(model, parameters, options);
    GrowingGraphs graphs(model, parameters, kTaker, options);
    const auto rows = outputs_in_steps(graphs);
    for (const auto& [step, vertex] : {std::pair{0, 3}, {1, 5}, {2, 4}})
      expect_same_bits(rows[step], std::span(all).subspan(10 * vertex, 10), std::string(to_string(precision)));
  }
}

/// Vertices by themselves, among others, and in other slots.
TEST_F(CudaGrowingGraphs, HaveTheSameBitsWhateverTheOtherVertices) {
  GrowingGraphs graphs(model, parameters, kTaker, gpu_session);
  const auto s = graphs.evaluate(sources(), std::vector<std::int32_t>{0, 1, 2});
  const std::vector<std::vector<std::int32_t>> children{{-1, s[2]}, {s[1], s[0], s[1]}, {s[0]}, {-1, s[1], s[2]}};
  NewVertices together;
  for (std::int32_t k = 0; k < 4; ++k) together.add(k, children[k]);
  const GrownStep first(graphs, together);
  for (std::int32_t k = 3; k >= 0; --k) {
    NewVertices alone;
    alone.add(k, children[k]);
    expect_same_bits(GrownStep(graphs, alone).rows[0], first.rows[k], "alone");
  }
}

/// A model with large states and small outputs.
Model wide_model(int width) {
  Model m({.seed = 3});
  const auto E = m.lookup("E", {10, width});
  m.vertex_function("taker", [&](Vertex& v) {
    const Value x = tanh(E(v.pull_index("word")) + v.gather(0, "h"));
    v.scatter("h", x);
    v.push("said", slice(x, 0, 2));
  });
  return m;
}

TEST_F(CudaBatched, KeptStatesNeverMoveToTheHost) {
  if (!is_standin()) GTEST_SKIP() << "only the stand-in counts";
  constexpr int kWidth = 10'000, kVertices = 5;
  const Model model = wide_model(kWidth);
  GrowingGraphs graphs(model, model.make_parameters(), kTaker, gpu_session);
  std::vector<std::int32_t> before(kVertices, -1);
  const auto step = [&] {
    NewVertices vertices;
    for (std::int32_t k = 0; k < kVertices; ++k) vertices.add(k, std::span(before).subspan(k, 1));
    before = GrownStep(graphs, vertices).evaluated;
  };
  step();
  const long long copied = copied_bytes(), graphs_before = graph_launches();
  step();
  step();
  EXPECT_LT(copied_bytes() - copied, kWidth * 4) << "less than a state";
  EXPECT_EQ(graph_launches(), graphs_before) << "a single level is launched without a graph";
}

/// The host gets only the scores of the best words.
TEST_F(CudaBatched, LogitsDoNotMoveToTheHost) {
  if (!is_standin()) GTEST_SKIP() << "only the stand-in counts";
  constexpr int kWidth = 10'000, kWords = 3;
  Model m({.seed = 3});
  const auto E = m.lookup("E", {10, kWidth});
  m.vertex_function("taker", [&](Vertex& v) {
    const Value x = tanh(E(v.pull_index("word")));
    v.scatter("h", slice(x, 0, 2) + v.gather(0, "h"));
    v.push("said", x * 3.0);
  });
  const auto parameters = m.make_parameters();
  GrowingGraphs graphs(m, parameters, kTaker, gpu_session), on_cpu(m, parameters, kTaker, {});
  NewVertices vertices;
  for (std::int32_t k = 0; k < 4; ++k) vertices.add(k, std::vector<std::int32_t>{-1});
  const std::vector<std::int32_t> forced{-1, 77, -1, -1};
  std::vector<ScoredWord> found(4 * kWords), expected(4 * kWords);
  graphs.step(vertices, forced, found);
  const long long copied = copied_bytes();
  graphs.step(vertices, forced, found);
  EXPECT_LT(copied_bytes() - copied, kWidth * 4) << "less than a row";
  on_cpu.step(vertices, forced, expected);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].word, expected[k].word) << k;
    if (found[k].word < 0) continue;
    EXPECT_NEAR(found[k].log_probability, expected[k].log_probability, 1e-5) << k;
  }
}

TEST_F(CudaBatched, SlotsOfRetiredVerticesAreReusedAndAllMemoryIsFreed) {
  constexpr int kWidth = 10'000, kVertices = 3;
  const Model model = wide_model(kWidth);
  const auto parameters = model.make_parameters();
  const std::int64_t free_before = free_memory();
  {
    GrowingGraphs graphs(model, parameters, kTaker, gpu_session);
    std::vector<std::int32_t> before(kVertices, -1);
    const auto step = [&](bool retires) {
      NewVertices vertices;
      for (std::int32_t k = 0; k < kVertices; ++k) vertices.add(k, std::span(before).subspan(k, 1));
      const GrownStep next(graphs, vertices);
      if (retires) graphs.retire(before);
      before = next.evaluated;
      return next.rows;
    };
    step(true);
    step(true);
    step(true);
    const std::int64_t free_then = free_memory();
    for (int k = 0; k < 10; ++k) step(true);
    EXPECT_EQ(free_memory(), free_then);
    const auto rows = step(true);
    graphs.clear();
    std::ranges::fill(before, -1);
    for (int k = 0; k < 13; ++k) step(true);
    EXPECT_EQ(step(true), rows) << "in reused slots";
    for (int k = 0; k < 20; ++k) step(false);
    EXPECT_LT(free_memory(), free_then - 20 * kVertices * kWidth * 4) << "all states are kept";
  }
  EXPECT_EQ(free_memory(), free_before);
}

TEST_F(CudaGrowingGraphs, RefuseStatesThatAreNotFinite) {
  for (const auto& [name, bad] : {std::pair{"E", std::nanf("")}, {"K", -std::numeric_limits<float>::infinity()}}) {
    const auto wrong = model.make_parameters();
    std::ranges::fill(wrong->values(wrong->find(name)), bad);
    GrowingGraphs graphs(model, wrong, kTaker, gpu_session);
    NewVertices vertices;
    vertices.add(7, graphs.evaluate(sources(), std::vector<std::int32_t>{2}));
    EXPECT_THAT(error_of([&] { GrownStep(graphs, vertices); }), HasSubstr("expected finite numbers")) << name;
  }
}

TEST_F(CudaPersistent, RefusesGrowingGraphs) {
  const Model model = attention_model();
  EXPECT_THAT(error_of([&] { GrowingGraphs(model, model.make_parameters(), kTaker, gpu_session); }),
              AllOf(HasSubstr("engine persistent on device cuda does not support"),
                    HasSubstr("use engine batched, or device cpu")));
}

class CudaContinuer : public CudaBatched, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, CudaContinuer, testing::Values("var-lstm", "gru", "tree-lstm"),
                         [](const auto& model) { return name_of(model.param); });

TEST_P(CudaContinuer, GivesTheWordsOfTheCpu) {
  const TrainedModel model = trained_on("markov:train=200,vocabulary=30,length=6", 30, GetParam());
  const std::vector<std::string> prompts{"", "w2", "w5 w2 w7 w2", "w29 never-seen w3"};
  for (const double temperature : {0.0, 1.0}) {
    const ContinueOptions options{.words = 6, .temperature = temperature, .seed = 6};
    const auto expected = Continuer(model).run(prompts, options);
    for (const int threads : {1, 2}) {
      SessionOptions session = gpu_session;
      session.threads = threads;
      Continuer continuer(model, session);
      const auto found = continuer.run(prompts, options);
      for (std::size_t k = 0; k < prompts.size(); ++k) {
        EXPECT_EQ(found[k].words, expected[k].words) << prompts[k];
        EXPECT_EQ(found[k].ended, expected[k].ended) << prompts[k];
        EXPECT_NEAR(found[k].log_probability, expected[k].log_probability, 1e-4) << prompts[k];
        const auto alone = continuer.run(std::span(prompts).subspan(k, 1), options, static_cast<std::int64_t>(k));
        EXPECT_EQ(alone[0].log_probability, found[k].log_probability) << prompts[k];
      }
    }
  }
}

TEST_F(CudaBatched, TranslatesLikeTheCpuGreedilyAndWithBeams) {
  const TrainedModel model = trained_on("translations:train=400,test=20,length=4,vocabulary=20", 60, "lstm-nmt");
  const std::vector<std::string> sentences{"w12 w13", "", "w14 w15 w11", "w13"};
  Translator on_cpu(model);
  std::vector<double> first_scores;
  for (const std::string form : kForms) {
    const Variable launches("CAVS_CUDA_LAUNCHES", form);
    SessionOptions session = gpu_session;
    session.threads = 3;
    Translator translator(model, session);
    std::vector<double> scores;
    for (const TranslateOptions options :
         {TranslateOptions{.max_words = 6}, TranslateOptions{.beam = 3, .best = 2, .max_words = 6}}) {
      const auto found = translator.run(sentences, options), expected = on_cpu.run(sentences, options);
      for (std::size_t s = 0; s < sentences.size(); ++s) {
        ASSERT_EQ(found[s].size(), expected[s].size());
        for (std::size_t k = 0; k < found[s].size(); ++k) {
          EXPECT_EQ(found[s][k].words, expected[s][k].words) << sentences[s];
          EXPECT_NEAR(found[s][k].score, expected[s][k].score, 1e-5 * std::abs(expected[s][k].score)) << sentences[s];
          scores.push_back(found[s][k].score);
        }
      }
      const auto alone = translator.run({&sentences[2], 1}, options);
      EXPECT_EQ(alone[0].front().score, found[2].front().score);
    }
    if (first_scores.empty()) first_scores = scores;
    EXPECT_EQ(scores, first_scores) << form;
  }
}

TEST_F(CudaBatched, TranslatesAllSentencesTogetherWithAnyNumberOfThreads) {
  if (!is_standin()) GTEST_SKIP() << "only the stand-in counts";
  const TrainedModel model = trained_on("translations:train=40,test=2,length=4,vocabulary=20", 1, "lstm-nmt");
  const std::vector<std::string> sentences{"w12 w13", "w14", "w13"};
  std::vector<long long> counts;
  for (const int threads : {1, 3}) {
    SessionOptions session = gpu_session;
    session.threads = threads;
    const long long before = launches();
    Translator(model, session).run(sentences, {.max_words = 2});
    counts.push_back(launches() - before);
  }
  EXPECT_EQ(counts[0], counts[1]);
}

TEST_F(CudaBatched, ReportsAStepThatNeedsMoreMemoryThanAllowed) {
  const TrainedModel model = trained_on("translations:train=40,test=2,length=4,vocabulary=20", 1, "lstm-nmt");
  const std::string source = "w12 w13";
  SessionOptions session = gpu_session;
  session.memory_limit = 1000;
  EXPECT_THAT(error_of([&] { Translator(model, session).run({&source, 1}); }), HasSubstr("the limit is 500"));
}

}  // namespace
}  // namespace cavs::cuda
