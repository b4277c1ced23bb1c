// Law 1 over random vertex functions: any operators in any domains, on random graphs.

#include <gtest/gtest.h>

#include "helpers/finite_differences.h"
#include "ir/builder.h"

namespace cavs {
namespace {

constexpr std::int32_t kWidth = 4;

/// Draws operators over the values made so far. All are vectors of kWidth and stay near [-1, 1], so that no product
/// overflows.
class RandomFunction {
 public:
  RandomFunction(Model& model, Vertex& vertex, Numbers& numbers) : m_(model), v_(vertex), random_(numbers) {
    const auto table = [&](const char* name, std::int32_t rows, const char* port) {
      return m_.lookup(name, {rows, kWidth}, Initializer::uniform(1))(v_.pull_index(port));
    };
    values_ = {table("E", kWords, "word"), table("F", kWords, "word"), table("L", kLabels, "label"),
               v_.gather(0, "h"),          v_.gather(1, "g"),          v_.children("h"),
               v_.children("g"),           v_.pull("box", kBoxWidth),  v_(parameter("p")),
               v_(parameter("q"))};
  }

  Value draw() { return values_[random_.below(static_cast<std::int32_t>(values_.size()))]; }
  void grow(int operators) {
    for (int i = 0; i < operators; ++i) values_.push_back(make());
  }
  /// A drawn value with one row a vertex.
  Value of_vertex() {
    const Value x = draw();
    if (!is_edge(x)) return x;
    const std::int32_t kind = random_.below(3);
    return kind == 0 ? sum(x) : kind == 1 ? mean(x) : max(x);
  }
  Parameter parameter(const std::string& name) { return m_.parameter(name, {kWidth}, Initializer::uniform(1)); }

 private:
  static bool is_edge(const Value& x) { return x.builder()->function().nodes[x.id()].domain.kind == DomainKind::kEdge; }

  Value make() {
    const Value x = draw(), y = draw();
    switch (random_.below(16)) {
      case 0:
        return (x + y) * 0.5;
      case 1:
        return x * y;
      case 2:
        return x - y * 0.25;
      case 3:
        return tanh(x);
      case 4:
        return sigmoid(x) * y;
      case 5:
        return max(x, y);
      case 6:
        return relu(x);
      case 7:
        return product(x, y);
      case 8:
        return softmax(x);
      case 9:
        return layer_norm(x, 0.1) * 0.3;
      case 10:
        return concat({slice(x, 1, 2), part(y, 1, 2)});
      case 11:
        return tanh(dot(x, y)) * x;
      case 12:
        return of_vertex();
      case 13:
        return is_edge(x) ? exp(-square(x)) : dropout(x, 0.3) * 0.5;
      case 14:
        return multiply(x, parameter("r"));
      default:
        return tanh(mean_features(x) + sum_features(y) * 0.1) - y;
    }
  }

  /// A product whose gradient is summed, or comes from several readers, of all columns or of some.
  Value product(const Value& x, const Value& y) {
    const Value z = x * m_.parameter("W" + std::to_string(random_.below(3)), {kWidth, kWidth});
    switch (random_.below(4)) {
      case 0:
        return z * 0.3 - concat({slice(z, 2, kWidth - 2), slice(z, 1, 2)}) * y;
      case 1:
        return (sum_features(z) + z) * 0.1;
      case 2:
        return concat({slice(z, 1, 2), part(y, 1, 2)});
      default:
        return tanh(z);
    }
  }

  Model& m_;
  Vertex& v_;
  Numbers& random_;
  std::vector<Value> values_;
};

Model random_model(std::uint64_t seed, int types, int operators) {
  Model m({.seed = seed});
  Numbers numbers(seed);
  for (int t = 0; t < types; ++t)
    m.vertex_function("type" + std::to_string(t), [&](Vertex& v) {
      // Shapes of states are declared by what is added to them.
      RandomFunction f(m, v, numbers);
      f.grow(operators);
      v.scatter("h", tanh(f.of_vertex() + f.parameter("h")));
      v.scatter("g", tanh(f.of_vertex() + f.parameter("g")));
      v.push("y", f.of_vertex() + f.parameter("y"));
      v.loss(sum_features(square(f.of_vertex() + f.parameter("l"))));
      v.loss(sum_features(square(mean(v.children("h")))));  // so that any number of children fits
      v.loss(softmax_cross_entropy(concat({f.of_vertex(), sum_features(f.of_vertex())}), v.pull_index("label")));
    });
  return m;
}

GraphSet random_graphs(std::uint64_t seed, int types) {
  GraphSchema schema = dressed_schema({});
  for (int t = 0; t < types; ++t) schema.types.push_back("type" + std::to_string(t));
  GraphSet graphs(schema);
  for (int i = 0; i < 4; ++i)
    graphs.add(dressed(
        generate_dag({.vertices = 1 + 5 * i, .min_arity = 0, .max_arity = 4, .types = types, .absent = 0.2F}, seed, i),
        seed + static_cast<std::uint64_t>(i)));
  return graphs;
}

/// Of a gradient that vanishes, because those that meet in it cancel, rounding is all that is left.
constexpr double kRounding = 1e-6;

/// So small that hardly any number crosses the kink of a relu or a maximum.
constexpr double kStep = 1e-6;

/// @return how many values ∂F computes again.
int expect_laws(const Model& model, const GraphSet& graphs, const std::string& what) {
  const auto samples = all_samples(graphs);
  const Bench bench(model, graphs);
  const Result reference = bench.run(samples, {.engine = EngineKind::kReference}), one = bench.run(samples);
  expect_same_numbers(one, reference, *bench.parameters, what, kRounding);
  expect_gradients_match_differences(bench, samples, what, 1, kStep);
  expect_same_result_bits(bench.run(samples, {.threads = 2}), one, what + ", 2 threads");
  for (const char* pass : {"fuse", "simplify", "compact_absent"}) {
    const Bench other(model, graphs, {.disabled_passes = {pass}});
    const Result found = other.run(samples, {.policy = "serial"});
    expect_same_numbers(found, reference, *bench.parameters, what + ", without " + pass, kRounding);
    expect_same_bits(found.outputs.at("y"), one.outputs.at("y"), what + ", without " + pass);
  }
  for (const char* pass : {"fuse_rows", "recompute"}) {
    const Bench other(model, graphs, {.disabled_passes = {pass}});
    expect_same_result_bits(other.run(samples), one, what + ", without " + pass);
  }
  return computed_again(*bench.program);
}

TEST(RandomFunctions, GiveTheNumbersOfTheReferenceAndTheSameBitsForAnyThreads) {
  int again = 0;
  for (std::uint64_t seed = 1; seed <= 80 && !HasFailure(); ++seed) {
    const int types = static_cast<int>(1 + seed % 3);
    const Model model = random_model(seed, types, static_cast<int>(1 + seed % 25));
    again += expect_laws(model, random_graphs(seed, types), "seed " + std::to_string(seed));
  }
  EXPECT_GT(again, 80);
}

}  // namespace
}  // namespace cavs
