// A linear-chain CRF (Lafferty et al., 2001) and its decoder, written as vertex functions, against all tag sequences.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "helpers/finite_differences.h"

namespace cavs {
namespace {

constexpr int kTags = 3;
using Numbers2d = std::vector<std::vector<double>>;

/// alpha_t = log(sum over tags i of exp(alpha_t-1 + T_ij)) + emissions, shifted so that its exponentials sum to one;
/// the shifts add up to log Z.
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
    v.scatter("one", v.constant(1)), v.scatter("alpha", alpha - z), v.scatter("tag", tag);
    v.loss(z - dot(tag, v.gather(0, "tag") * T + start + emissions));
  });
  return m;
}

/// The first type goes from left to right, the second one back: its children are the next choice and the scores of its
/// own token.
Model viterbi() {
  Model m{{.seed = 4}};
  auto W = m.parameter("W", {kBoxWidth, kTags});
  auto T = m.parameter("T", {kTags, kTags}, Initializer::normal(1)), S = m.parameter("start", {kTags});
  m.vertex_function("score", [&](Vertex& v) {
    auto inner = v.gather(0, "one");
    auto delta = inner * max_matmul(v.gather(0, "delta"), T) + multiply(1 - inner, S) + v.pull("box", kBoxWidth) * W;
    v.scatter("one", v.constant(1)), v.scatter("delta", delta), v.scatter("tag", delta * 0);
  });
  m.vertex_function("choice", [&](Vertex& v) {
    auto delta = v.gather(1, "delta");
    auto tag = hard_max(delta + batch_matmul(v(T), v.gather(0, "tag")));
    v.scatter("tag", tag), v.scatter("delta", delta);
    v.push("tag", tag);
  });
  return m;
}

/// Every tag sequence of one chain.
struct BruteForce {
  double log_z = 0, best_score = 0;
  std::vector<int> best;
  Numbers2d pairs = Numbers2d(kTags, std::vector<double>(kTags));  // expected number of tag j right behind tag i
  std::vector<double> first = std::vector<double>(kTags);          // probability of the first tag
  Numbers2d tokens;                                                // of the tag of each token
};

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
  for (int& tag : tags) tag = number % kTags, number /= kTags;
  return tags;
}

BruteForce enumerate(const Scores& scores) {
  const std::size_t length = scores.emissions.size();
  const int sequences = static_cast<int>(std::lround(std::pow(kTags, length)));
  BruteForce all;
  all.tokens.assign(length, std::vector<double>(kTags));
  double z = 0;
  for (int k = 0; k < sequences; ++k) {
    const double score = scores.of(sequence_of(k, length));
    z += std::exp(score);
    if (k == 0 || score > all.best_score) all.best_score = score, all.best = sequence_of(k, length);
  }
  all.log_z = std::log(z);
  for (int k = 0; k < sequences; ++k) {
    const std::vector<int> tags = sequence_of(k, length);
    const double p = std::exp(scores.of(tags)) / z;
    all.first[tags[0]] += p;
    for (std::size_t t = 0; t < length; ++t) all.tokens[t][tags[t]] += p;
    for (std::size_t t = 1; t < length; ++t) all.pairs[tags[t - 1]][tags[t]] += p;
  }
  return all;
}

GraphSet labelled_chains(bool with_choices) {
  GraphSet set(
      dressed_schema(with_choices ? std::vector<std::string>{"score", "choice"} : std::vector<std::string>{"token"}));
  for (int length = 1; length <= 5; ++length) {
    std::vector<std::vector<std::int32_t>> children(static_cast<std::size_t>(length));
    for (int t = 1; t < length; ++t) children[t] = {t - 1};
    for (int t = 0; with_choices && t < length; ++t)  // vertex length + t is the choice of token t
      children.push_back({t + 1 < length ? length + t + 1 : -1, t});
    InputGraph graph = dressed(graph_of(children), static_cast<std::uint64_t>(length));
    for (std::size_t v = 0; v < children.size(); ++v) {
      graph.types[v] = static_cast<int>(v) < length ? 0 : 1;
      graph.index_pulls[1][v] = static_cast<std::int32_t>((v * 7 + static_cast<std::size_t>(length)) % kTags);
    }
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

TEST(ChainCrf, HasTheLikelihoodAndTheGradientsOfAllTagSequences) {
  const GraphSet graphs = labelled_chains(false);
  const Bench bench(chain_crf(), graphs);
  const auto samples = all_samples(graphs);
  const Result found = bench.run(samples);
  double loss = 0;
  std::vector<double> dT(kTags * kTags), dS(kTags), dW(kBoxWidth * kTags);
  for (std::int32_t s = 0; s < graphs.size(); ++s) {
    const std::int64_t begin = graphs.vertex_begin()[s];
    const auto length = static_cast<std::size_t>(graphs.vertex_begin()[s + 1] - begin);
    const std::vector<int> gold(graphs.index_pulls(1).begin() + begin, graphs.index_pulls(1).begin() + begin + length);
    const Scores scores = scores_of(graphs, *bench.parameters, s, length);
    const BruteForce all = enumerate(scores);
    loss += all.log_z - scores.of(gold);
    for (int j = 0; j < kTags; ++j) {
      dS[j] += all.first[j] - (gold[0] == j ? 1 : 0);
      for (int i = 0; i < kTags; ++i) dT[i * kTags + j] += all.pairs[i][j];
      for (std::size_t t = 0; t < length; ++t)
        for (int k = 0; k < kBoxWidth && graphs.float_present(0)[begin + t] != 0; ++k)
          dW[k * kTags + j] +=
              (all.tokens[t][j] - (gold[t] == j ? 1 : 0)) * graphs.float_pulls(0)[(begin + t) * kBoxWidth + k];
    }
    for (std::size_t t = 1; t < length; ++t) dT[gold[t - 1] * kTags + gold[t]] -= 1;
  }
  loss /= graphs.size();  // as that of a minibatch is
  EXPECT_NEAR(found.loss, loss, 1e-5 * loss);
  const auto expect_gradient = [&](const char* name, std::vector<double> expected) {
    for (double& g : expected) g /= graphs.size();
    expect_close(std::span<const float>(found.gradients.values[bench.parameters->find(name)]),
                 std::span<const double>(expected), name);
  };
  expect_gradient("T", dT), expect_gradient("start", dS), expect_gradient("W", dW);
  expect_same_numbers(found, bench.run(samples, {.engine = EngineKind::kReference}), *bench.parameters, "reference");
  expect_gradients_match_differences(bench, samples, "CRF");
}

TEST(ChainCrf, DecodesTheBestTagSequence) {
  const GraphSet graphs = labelled_chains(true);
  const Bench bench(viterbi(), graphs, {.training = false});
  for (const EngineKind engine : {EngineKind::kBatched, EngineKind::kReference}) {
    const Result found = bench.run(all_samples(graphs), {.engine = engine});
    for (std::int32_t s = 0; s < graphs.size(); ++s) {
      const std::int64_t begin = graphs.vertex_begin()[s];
      const auto length = static_cast<std::size_t>(graphs.vertex_begin()[s + 1] - begin) / 2;
      const BruteForce all = enumerate(scores_of(graphs, *bench.parameters, s, length));
      for (std::size_t t = 0; t < length; ++t)
        for (int j = 0; j < kTags; ++j)
          EXPECT_EQ(found.outputs.at("tag")[(begin + length + t) * kTags + j], all.best[t] == j ? 1 : 0)
              << to_string(engine) << ", chain of " << length << ", token " << t;
    }
  }
}

}  // namespace
}  // namespace cavs
