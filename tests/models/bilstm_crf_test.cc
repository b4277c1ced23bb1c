// Compares the probabilities that bilstm-crf pushes with a sum over all tag sequences.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cavs/models.h"
#include "cavs/readers.h"
#include "cavs/trained_model.h"
#include "helpers/evaluate.h"

namespace cavs {
namespace {

constexpr int kTags = 3;
using Row = std::vector<double>;

/// A tagger of three tags that also pushes its filtered scores. `deviation` scales its transitions.
TrainedModel tagger(float deviation) {
  Model m = find_model("bilstm-crf").make({.vocabulary = 12, .embedding = 6, .hidden = 5, .classes = kTags, .seed = 7});
  m.extend("crf", [](Vertex& v) { v.push("filtered", v.scattered("alpha")); });
  TrainedModel trained{.model = m,
                       .parameters = m.make_parameters(),
                       .words = {},
                       .schema = spelled_chain_schema(),
                       .graph_builder = {},
                       .class_names = {},
                       .classes = kTags};
  for (const char* name : {"transitions", "start"}) {
    const std::span<float> values = trained.parameters->values(trained.parameters->find(name));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = deviation * static_cast<float>(std::sin(3.7 * static_cast<double>(i) + 1));
  }
  return trained;
}

GraphSet chains() {
  GraphSet graphs(spelled_chain_schema());
  for (int length = 1; length <= 6; ++length) {
    std::vector<std::int32_t> words(length), labels(length, -1);
    for (int t = 0; t < length; ++t) words[t] = 1 + (3 * t + 5 * length) % 11;
    graphs.add(to_spelled_chain(words, labels, std::vector<std::string>(words.size())));
  }
  return graphs;
}

double log_sum(const Row& terms) {
  const double most = *std::max_element(terms.begin(), terms.end());
  double sum = 0;
  for (const double x : terms) sum += std::exp(x - most);
  return most + std::log(sum);
}

/// The contribution of each token to the scores of its tags, up to a constant: its filtered scores minus the part of
/// earlier tokens.
std::vector<Row> emissions_of(const std::vector<Row>& filtered, const Row& transitions) {
  std::vector<Row> emissions = filtered;
  for (std::size_t t = 1; t < filtered.size(); ++t)
    for (int j = 0; j < kTags; ++j) {
      Row terms = filtered[t - 1];
      for (int i = 0; i < kTags; ++i) terms[i] += transitions[i * kTags + j];
      emissions[t][j] -= log_sum(terms);
    }
  return emissions;
}

struct Enumeration {
  std::vector<Row> marginals;
  std::vector<int> best;
};

Enumeration enumerate(const std::vector<Row>& emissions, const Row& transitions) {
  const auto sequences = static_cast<int>(std::lround(std::pow(kTags, emissions.size())));
  Row scores(sequences);
  const auto tag_of = [](int sequence, std::size_t t) {
    return sequence / static_cast<int>(std::lround(std::pow(kTags, t))) % kTags;
  };
  for (int s = 0; s < sequences; ++s)
    for (std::size_t t = 0; t < emissions.size(); ++t)
      scores[s] += emissions[t][tag_of(s, t)] + (t == 0 ? 0 : transitions[tag_of(s, t - 1) * kTags + tag_of(s, t)]);
  const double z = log_sum(scores);
  Enumeration all{std::vector<Row>(emissions.size(), Row(kTags)), {}};
  const auto best = static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  for (std::size_t t = 0; t < emissions.size(); ++t) {
    all.best.push_back(tag_of(best, t));
    for (int s = 0; s < sequences; ++s) all.marginals[t][tag_of(s, t)] += std::exp(scores[s] - z);
  }
  return all;
}

class BilstmCrf : public testing::TestWithParam<float> {};

TEST_P(BilstmCrf, HasTheMarginalsAndTheBestOfAllTagSequences) {
  const TrainedModel trained = tagger(GetParam());
  const GraphSet graphs = chains();
  const std::span<const float> T = trained.parameters->values(trained.parameters->find("transitions"));
  const Row transitions(T.begin(), T.end());
  const GraphSet built = build_graphs(graphs, network_builder(trained.model, graphs.schema()));
  const auto program = compile(trained.model, {.training = false});
  const auto bound = bind_graphs(program, built);
  Session session(program, trained.parameters);
  const cavs::Run run = session.forward(*bound, all_samples(built));
  const std::vector<const float*> rows = run.rows("filtered");
  const std::vector<Prediction> predictions = Predictor(trained).predict(graphs);
  for (std::int32_t s = 0; s < graphs.size(); ++s) {
    std::vector<Row> filtered;
    for (std::int64_t v = built.vertex_begin()[s]; v < built.vertex_begin()[s + 1]; ++v)
      if (rows[v] != nullptr) filtered.emplace_back(rows[v], rows[v] + kTags);
    ASSERT_EQ(std::ssize(filtered), graphs.vertex_begin()[s + 1] - graphs.vertex_begin()[s]);
    const Enumeration all = enumerate(emissions_of(filtered, transitions), transitions);
    EXPECT_EQ(predictions[s].classes, all.best) << "chain of " << filtered.size();
    for (std::size_t t = 0; t < filtered.size(); ++t)
      for (int j = 0; j < kTags; ++j)
        EXPECT_NEAR(predictions[s].probabilities[t][j], all.marginals[t][j], 2e-5)
            << "chain of " << filtered.size() << ", token " << t << ", tag " << j;
  }
}

// With transitions of 200, exp() of a score overflows a float.
INSTANTIATE_TEST_SUITE_P(Transitions, BilstmCrf, testing::Values(0.5F, 4.0F, 200.0F));

}  // namespace
}  // namespace cavs
