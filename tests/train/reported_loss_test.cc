// The number of labels in reports for each kind of loss, and targets that are absent.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "cavs/fit.h"
#include "cavs/graph.h"
#include "cavs/models.h"
#include "cavs/readers.h"
#include "cavs/trainer.h"
#include "graphs/error_text.h"
#include "helpers/finite_differences.h"

namespace cavs {
namespace {

using testing::HasSubstr;

/// Values of a vertex from which losses are declared.
struct Parts {
  Vertex& v;
  Value state;         // [4]
  Value logits, more;  // for labels and for words
};
using Declare = std::function<void(Parts&)>;

Model model_with(const Declare& declare) {
  Model m({.seed = 3});
  auto E = m.lookup("E", {kWords, 4});
  auto W = m.parameter("W", {4, kLabels}), M = m.parameter("M", {4, kWords}), b = m.parameter("b", {4});
  m.vertex_function("vertex", [&](Vertex& v) {
    const Value state = tanh(E(v.pull_index("word")) + sum(v.children("s")) + b);
    v.scatter("s", state);
    Parts parts{v, state, state * W, state * M};
    declare(parts);
  });
  return m;
}

GraphSet graphs() {
  return dressed_set({graph_of({{}, {0, 0}, {-1, 1}, {2, 0, -1, 1}, {}, {3, 4}}), chain(40), star(9), chain(1)});
}

Value cross_entropy(Parts& p) { return softmax_cross_entropy(p.logits, p.v.pull_index("label")); }
Value words_cross_entropy(Parts& p) { return softmax_cross_entropy(p.more, p.v.pull_index("word")); }
Value squared_error(Parts& p) { return mean_squared_error(p.state, p.v.pull("box", kBoxWidth)); }

using Counted = std::function<bool(const GraphSet&, std::size_t)>;
bool has_label(const GraphSet& g, std::size_t v) { return g.index_pulls(1)[v] >= 0; }
bool has_word(const GraphSet& g, std::size_t v) { return g.index_pulls(0)[v] >= 0; }
bool has_box(const GraphSet& g, std::size_t v) { return g.float_present(0)[v] != 0; }

struct LossCase {
  std::string name;
  Declare declare;
  Counted counted;
};

std::vector<LossCase> loss_cases() {
  const Counted all = [](const GraphSet&, std::size_t) { return true; };
  const Counted label_or_word = [](const GraphSet& g, std::size_t v) { return has_label(g, v) || has_word(g, v); };
  const Counted label_or_box = [](const GraphSet& g, std::size_t v) { return has_label(g, v) || has_box(g, v); };
  return {
      {"plain", [](Parts& p) { p.v.loss(cross_entropy(p)); }, has_label},
      {"scaled", [](Parts& p) { p.v.loss(cross_entropy(p) * 2.0); }, has_label},
      {"weighted", [](Parts& p) { p.v.loss(cross_entropy(p) * slice(p.v.pull("box", kBoxWidth), 0, 1)); }, has_label},
      {"regularised", [](Parts& p) { p.v.loss(cross_entropy(p) + sum_features(square(p.state)) * 0.01); }, has_label},
      {"regularised by a loss of its own",
       [](Parts& p) {
         p.v.loss(cross_entropy(p));
         p.v.loss(sum_features(square(p.state)) * 0.01);
       },
       has_label},
      {"two losses of one label",
       [](Parts& p) {
         p.v.loss(cross_entropy(p));
         p.v.loss(cross_entropy(p));
       },
       has_label},
      {"two losses",
       [](Parts& p) {
         p.v.loss(cross_entropy(p));
         p.v.loss(words_cross_entropy(p));
       },
       label_or_word},
      {"sum of two", [](Parts& p) { p.v.loss(cross_entropy(p) + words_cross_entropy(p) * 0.5); }, label_or_word},
      {"without a label", [](Parts& p) { p.v.loss(sum_features(square(p.state))); }, all},
      {"squared error", [](Parts& p) { p.v.loss(squared_error(p)); }, has_box},
      {"squared error of a shifted target",
       [](Parts& p) { p.v.loss(mean_squared_error(p.state, p.v.pull("box", kBoxWidth) * 0.5 + 1.0)); }, has_box},
      {"squared error the other way round",
       [](Parts& p) { p.v.loss(mean_squared_error(p.v.pull("box", kBoxWidth), p.state) * 3.0); }, has_box},
      {"squared error of a label",
       [](Parts& p) { p.v.loss(mean_squared_error(p.logits, one_hot(p.v.pull_index("label"), kLabels))); }, has_label},
      {"error of one's own",
       [](Parts& p) { p.v.loss(p.v.where_present("box", sum_features(abs(p.state - p.v.pull("box", kBoxWidth))))); },
       has_box},
      {"classes and squared error", [](Parts& p) { p.v.loss(cross_entropy(p) + squared_error(p)); }, label_or_box},
  };
}

std::int64_t count(const GraphSet& g, const Counted& counted) {
  std::int64_t labels = 0;
  for (std::size_t v = 0; v < g.types().size(); ++v) labels += counted(g, v) ? 1 : 0;
  return labels;
}

TEST(ReportedLoss, IsPerLabelForEveryKindOfLoss) {
  const GraphSet data = graphs();
  const std::vector<std::int32_t> samples = all_samples(data);
  for (const LossCase& c : loss_cases()) {
    const Model model = model_with(c.declare);
    const std::int64_t labels = count(data, c.counted);
    ASSERT_TRUE(labels > 0 && (c.name == "without a label" || labels < data.vertices())) << c.name;
    const Bench bench(model, data);
    const Result found = bench.run(samples), reference = bench.run(samples, {.engine = EngineKind::kReference});
    EXPECT_EQ(found.labels, labels) << c.name;
    expect_same_numbers(found, reference, *bench.parameters, c.name);
    const double mean = found.loss * data.size() / static_cast<double>(labels);
    const Evaluation evaluation = evaluate(model, bench.parameters, data, {}, 2, Metric::kPerplexity);
    EXPECT_EQ(evaluation.labels, labels) << c.name;
    EXPECT_NEAR(evaluation.loss, mean, 1e-6 * std::abs(mean)) << c.name;
    Trainer trainer(model, data, {.batch_size = data.size()});
    const TrainStep step = trainer.step();
    EXPECT_EQ(step.labels, labels) << c.name;
    EXPECT_NEAR(step.loss_sum / static_cast<double>(step.labels), mean, 1e-6 * std::abs(mean)) << c.name;
    std::vector<EpochReport> reports;
    Trainer again(model, data, {.batch_size = data.size()});
    fit(again, data, {.epochs = 1}, {.epoch = [&](const EpochReport& r) { reports.push_back(r); }});
    EXPECT_NEAR(reports.at(0).train_loss, mean, 1e-6 * std::abs(mean)) << c.name;
    EXPECT_EQ(reports.at(0).dev->labels, labels) << c.name;
  }
}

TEST(ReportedLoss, ScalesWithTheLoss) {
  const GraphSet data = graphs();
  const auto evaluated = [&](double scale) {
    const Model model = model_with([&](Parts& p) { p.v.loss(cross_entropy(p) * scale); });
    return evaluate(model, model.make_parameters(), data, {}, 64, Metric::kPerplexity).loss;
  };
  EXPECT_NEAR(evaluated(2), 2 * evaluated(1), 1e-6);
}

/// One vertex per graph, with inputs x and a target that is absent except in line `there`.
GraphSet targets(int lines, int there) {
  std::string text;
  for (int i = 0; i < lines; ++i)
    text += fmt::format("{{\"children\":[[]],\"pull\":{{\"x\":[[{},1]],\"t\":[{}]}}}}\n", 1 + i,
                        i == there ? "[0.5]" : "null");
  return parse_jsonl(text, "t.jsonl");
}

Model regression() {
  Model m({.seed = 4});
  m.vertex_function("vertex", [&](Vertex& v) {
    v.loss(mean_squared_error(v.pull("x", 2) * m.parameter("W", {2, 1}), v.pull("t", 1)));
  });
  return m;
}

TEST(AbsentTargets, AreNeitherTrainedOnNorCounted) {
  const Model model = regression();
  const GraphSet data = targets(4, 1);
  const Bench bench(model, data);
  const std::vector<std::int32_t> all{0, 1, 2, 3}, present{1}, absent{0, 2, 3};
  const Result four = bench.run(all), one = bench.run(present), none = bench.run(absent);
  EXPECT_EQ(four.labels, 1);
  EXPECT_EQ(none.labels, 0);
  EXPECT_EQ(none.loss, 0);
  EXPECT_THAT(none.gradients.values(0), testing::Each(0.0F));
  EXPECT_GT(one.loss, 0);
  EXPECT_NEAR(four.loss, one.loss / 4, 1e-7);  // mean over four samples
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(four.gradients.values(0)[i], one.gradients.values(0)[i] / 4, 1e-6);
  const Evaluation evaluation = evaluate(model, bench.parameters, data);
  EXPECT_EQ(evaluation.labels, 1);
  EXPECT_NEAR(evaluation.loss, one.loss, 1e-6);
}

TEST(AbsentTargets, OfPairsAreNotCounted) {
  GraphSet data = load_data("tree-pairs:train=6,test=0,length=4,vocabulary=20").train;
  const Model model = find_model("tree-lstm-relatedness").make({.vocabulary = 60, .embedding = 4, .hidden = 4});
  EXPECT_EQ(Bench(model, data).run(all_samples(data)).labels, 6);
  const std::int64_t pair = data.vertex_begin()[3] - 1;  // the pair of the third sample
  GraphArrays arrays = data.to_arrays();
  ASSERT_EQ(arrays.float_present[0][pair], 1);
  arrays.float_present[0][pair] = 0;
  data = GraphSet::from_arrays(data.schema(), std::move(arrays));
  const Result result = Bench(model, data).run(all_samples(data));
  EXPECT_EQ(result.labels, 5);
  EXPECT_EQ(evaluate(model, model.make_parameters(), data, {}, 4, Metric::kCorrelation).labels, 5);
}

TEST(AbsentTargets, DoNotExistIfAConnectionFeedsTheTarget) {
  Model m;
  auto W = m.parameter("W", {kBoxWidth, kBoxWidth});
  m.vertex_function("teacher", [&](Vertex& v) { v.push("y", tanh(v.pull("box", kBoxWidth) * W)); },
                    {.over = {"vertex"}});
  m.vertex_function("student",
                    [&](Vertex& v) { v.loss(mean_squared_error(v.pull("box", kBoxWidth), v.pull("y", kBoxWidth))); },
                    {.over = {"vertex"}});
  m.connect({"teacher", "y"}, {"student", "y"});
  GraphSet data(dressed_schema());
  data.add(dressed(graph_of({{}, {}, {}}), 1));
  const GraphSet network = build_graphs(data, network_builder(m, data.schema()));
  const Bench bench(m, network);
  const Result result = bench.run(all_samples(network));
  EXPECT_GT(result.loss, 0);
  EXPECT_EQ(result.labels, 3);
  expect_same_numbers(result, bench.run(all_samples(network), {.engine = EngineKind::kReference}), *bench.parameters,
                      "student");
}

TEST(AbsentTargets, NameTheMissingPortOfTheData) {
  const Model model = model_with([](Parts& p) { p.v.loss(p.v.where_present("size", sum_features(p.state))); });
  const GraphSet data = graphs();
  EXPECT_THAT(error_of([&] { Bench(model, data); }),
              HasSubstr("asks where port 'size' is present, but the graphs have no"));
  GraphSet odd({.types = {"vertex"}, .index_ports = {"word", "label", "present(box)"}, .float_ports = {{"box", 4}}});
  EXPECT_THAT(error_of([&] { Bench(model_with([](Parts& p) { p.v.loss(squared_error(p)); }), odd); }),
              HasSubstr("the graphs have a port 'present(box)'"));
  EXPECT_THAT(error_of([] { model_with([](Parts& p) { p.v.where_present("", p.state); }); }),
              HasSubstr("[where_present] the name is empty"));
}

}  // namespace
}  // namespace cavs
