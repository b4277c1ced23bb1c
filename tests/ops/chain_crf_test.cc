// Compares a linear-chain CRF (Lafferty et al., 2001), written as a vertex function, with a sum over all tag sequences.
// tests/models/bilstm_crf_test.cc tests decoding.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "helpers/finite_differences.h"

namespace cavs {
namespace {

constexpr int kTags = 3;
using Numbers2d = std::vector<std::vector<double>>;

/// alpha_t = log(sum over tags i of exp(alpha_t-1 + T_ij)) + emissions, shifted so that its exponentials sum to one.
/// The sum of the shifts is log Z.
Model chain_crf() {
  Model m{{.seed = 4}};
  auto W = m.parameter("W", {kBoxWidth, kTags});
  auto T = m.parameter("T", {kTags, kTags}, Initializer::normal(1)), S = m.parameter("start", {kTags});
  m.vertex_function("token", [&](Vertex& v) {
    auto emissions = v.pull("box", kBoxWidth) * W;
    auto inner = v.gather(0, "one");  // 0 at the first token, which has no child
    auto start = multiply(1 - inner, S);
    auto alpha = inner * log_matmul(v.gather(0, "alpha"), T) + start + emissions;
    auto z = log_sum_exp(alpha);
    auto tag = one_hot(v.pull_index("label"), kTags);
    v.scatter("one", v.constant(1));
    v.scatter("alpha", alpha - z);
    v.scatter("tag", tag);
    v.loss(z - dot(tag, v.gather(0, "tag") * T + start + emissions));
  });
  return m;
}

struct Scores {
  Numbers2d emissions, transitions;
  std::vector<double> start;

  double of(const std::vector<int>& tags) const {
    double score = start[tags[0]];
    for (std::size_t t = 0; t < tags.size(); ++t)
      score += emissions[t][tags[t]] + (t == 0 ? 0 : transitions[tags[t - 1]][tags[t]]);
    return score;
  }
};

std::vector<int> sequence_of(int number, std::size_t length) {
  std::vector<int> tags(length);
  for (int& tag : tags) {
    tag = number % kTags;
    number /= kTags;
  }
  return tags;
}

/// log Z, computed from the scores of all sequences.
double log_of_all(const Scores& scores) {
  const std::size_t length = scores.emissions.size();
  const int sequences = static_cast<int>(std::lround(std::pow(kTags, length)));
  double z = 0;
  for (int k = 0; k < sequences; ++k) z += std::exp(scores.of(sequence_of(k, length)));
  return std::log(z);
}

GraphSet labelled_chains() {
  GraphSet set(dressed_schema({"token"}));
  for (int length = 1; length <= 5; ++length) {
    InputGraph graph = dressed(chain(length), static_cast<std::uint64_t>(length));
    for (int v = 0; v < length; ++v) graph.index_pulls[1][v] = (v * 7 + length) % kTags;
    set.add(graph);
  }
  return set;
}

Scores scores_of(const GraphSet& graphs, const Parameters& parameters, std::int32_t sample, std::size_t length) {
  const auto value = [&](const char* name, std::size_t i) {
    return static_cast<double>(parameters.values(parameters.find(name))[i]);
  };
  Scores scores{Numbers2d(length, std::vector<double>(kTags)), Numbers2d(kTags, std::vector<double>(kTags)),
                std::vector<double>(kTags)};
  for (std::size_t j = 0; j < kTags; ++j) {
    scores.start[j] = value("start", j);
    for (std::size_t i = 0; i < kTags; ++i) scores.transitions[i][j] = value("T", i * kTags + j);
    for (std::size_t t = 0; t < length; ++t)
      for (std::size_t k = 0; k < kBoxWidth; ++k) {
        const std::size_t v = static_cast<std::size_t>(graphs.vertex_begin()[sample]) + t;
        if (graphs.float_present(0)[v] != 0)
          scores.emissions[t][j] += graphs.float_pulls(0)[v * kBoxWidth + k] * value("W", k * kTags + j);
      }
  }
  return scores;
}

TEST(ChainCrf, HasTheLikelihoodOverAllTagSequences) {
  const GraphSet graphs = labelled_chains();
  const Bench bench(chain_crf(), graphs);
  const auto samples = all_samples(graphs);
  double loss = 0;
  for (std::int32_t s = 0; s < graphs.size(); ++s) {
    const std::int64_t begin = graphs.vertex_begin()[s];
    const auto length = static_cast<std::size_t>(graphs.vertex_begin()[s + 1] - begin);
    const std::vector<int> gold(graphs.index_pulls(1).begin() + begin, graphs.index_pulls(1).begin() + begin + length);
    const Scores scores = scores_of(graphs, *bench.parameters, s, length);
    loss += log_of_all(scores) - scores.of(gold);
  }
  loss /= graphs.size();  // as for a minibatch
  const Result found = bench.run(samples);
  EXPECT_NEAR(found.loss, loss, 1e-5 * loss);
  expect_same_numbers(found, bench.run(samples, {.engine = EngineKind::kReference}), *bench.parameters, "reference");
  expect_gradients_match_differences(bench, samples, "CRF");
}

}  // namespace
}  // namespace cavs
