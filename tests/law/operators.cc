#include "law/operators.h"

#include <array>
#include <cctype>

#include "cavs/layers.h"

namespace cavs::law {
namespace {

#define LAW_ARGUMENTS                                                                                        \
  [[maybe_unused]] Model &m, [[maybe_unused]] Vertex &v, [[maybe_unused]] int d, [[maybe_unused]] int first, \
      [[maybe_unused]] const Value &x
#define LAW_OPERATOR(rows, weight, ...)                                                                             \
  {                                                                                                                 \
#__VA_ARGS__, rows, weight, [](LAW_ARGUMENTS, [[maybe_unused]] const Value& y) -> Value { return __VA_ARGS__; } \
  }
#define LAW_SINK(kind, edges, weight, ...)                                \
  {                                                                       \
    kind, #__VA_ARGS__, edges, weight, [](LAW_ARGUMENTS) { __VA_ARGS__; } \
  }

constexpr Rows kVertex = Rows::kVertex, kEdges = Rows::kEdges, kAny = Rows::kAny, kVertexOnly = Rows::kVertexOnly,
               kEdgeToVertex = Rows::kEdgeToVertex, kEdgeToEdge = Rows::kEdgeToEdge;

// All values are vectors of d numbers. None grows fast, so no number overflows.
const Operator kOperators[] = {
    // Inputs. Words and labels share table E. Several operators use parameters p, q, r and W0 to W2.
    LAW_OPERATOR(kVertex, 2, m.lookup("F", {7, d}, Initializer::uniform(1))(v.pull_index("word"))),
    LAW_OPERATOR(kVertex, 1, m.lookup("E", {7, d}, Initializer::uniform(1))(v.pull_index("label"))),
    LAW_OPERATOR(kVertex, 2, m.lookup("L", {5, d}, Initializer::uniform(1))(v.pull_index("label"))),
    LAW_OPERATOR(kVertex, 1, one_hot(v.pull_index("label"), d)),
    LAW_OPERATOR(kVertex, 1, v(m.parameter("p", {d}, Initializer::uniform(1)))),
    LAW_OPERATOR(kVertex, 1, v(m.parameter("q", {d}, Initializer::uniform(1)))),
    LAW_OPERATOR(kVertex, 1, one_hot(v.pull_index("word"), 7) * m.parameter("T", {7, d})),
    LAW_OPERATOR(kEdges, 2, v.children("g", first)),
    LAW_OPERATOR(kEdges, 2, v.pull_edges("bond", 3, first) * m.parameter("D", {3, d})),
    LAW_OPERATOR(kEdges, 2, m.lookup("R", {6, d}, Initializer::uniform(1))(v.pull_edge_index("relation", first))),
    // Element-wise operators.
    LAW_OPERATOR(kAny, 3, (x + y) * 0.5),
    LAW_OPERATOR(kAny, 3, x* tanh(y)),
    LAW_OPERATOR(kAny, 2, x - y * 0.25),
    LAW_OPERATOR(kAny, 3, tanh(x)),
    LAW_OPERATOR(kAny, 3, sigmoid(x) * y),
    LAW_OPERATOR(kAny, 1, max(x, y)),
    LAW_OPERATOR(kAny, 1, min(x, y)),
    LAW_OPERATOR(kAny, 1, relu(x)),
    LAW_OPERATOR(kAny, 1, gelu(x)),
    LAW_OPERATOR(kAny, 1, abs(x) - y),
    LAW_OPERATOR(kAny, 1, exp(-square(x))),
    LAW_OPERATOR(kAny, 1, log(square(x) + 1)),
    LAW_OPERATOR(kAny, 1, sqrt(square(x) + 0.1)),
    LAW_OPERATOR(kAny, 1, x / (square(y) + 1)),
    LAW_OPERATOR(kAny, 1, sin(x * 2) - cos(y)),
    LAW_OPERATOR(kAny, 1, pow(square(x) + 0.1, tanh(y))),
    LAW_OPERATOR(kAny, 1, where(one_hot(v.pull_index("label"), d), x, y)),
    LAW_OPERATOR(kAny, 1, multiply(x, m.parameter("r", {d}, Initializer::uniform(1)))),
    LAW_OPERATOR(kAny, 1, x - m.parameter("p", {d}, Initializer::uniform(1))),
    LAW_OPERATOR(kAny, 1, concat({slice(x, 1, d - 1), slice(y, 0, 1)})),
    LAW_OPERATOR(kAny, 1, concat({part(x, 1, 2), part(y, 0, 2)})),
    // Reductions over features.
    LAW_OPERATOR(kAny, 1, softmax(x)),
    LAW_OPERATOR(kAny, 1, log_softmax(x) * 0.2),
    LAW_OPERATOR(kAny, 1, layer_norm(x, 0.1) * 0.3),
    LAW_OPERATOR(kAny, 1, masked_softmax(x, 1 - one_hot(v.pull_index("label"), d))),
    LAW_OPERATOR(kAny, 1, masked_softmax(x, one_hot(v.pull_index("label"), d))),
    // Sums of softmax_children are all 1, so without p rounding alone would decide which feature is the largest.
    LAW_OPERATOR(kAny, 1, hard_max(x - m.parameter("p", {d}, Initializer::uniform(1))) * y),
    LAW_OPERATOR(kAny, 1, max_features(x) * sigmoid(y)),
    LAW_OPERATOR(kAny, 1, tanh(dot(x, y)) * x),
    LAW_OPERATOR(kAny, 1, tanh(mean_features(x) + sum_features(y) * 0.1) - y),
    LAW_OPERATOR(kAny, 1, log_sum_exp(x) * 0.2 - y),
    // Products, some of which share a weight, so that they are merged, summed, and read in slices.
    LAW_OPERATOR(kAny, 2, x* m.parameter("W0", {d, d})),
    LAW_OPERATOR(kAny, 2, tanh(x* m.parameter("W0", {d, d}) + y * m.parameter("W1", {d, d}))),
    LAW_OPERATOR(kAny, 2, tanh(x* m.parameter("W1", {d, d}) + m.parameter("p", {d}, Initializer::uniform(1))) * y),
    LAW_OPERATOR(kAny, 2, sigmoid(x* m.parameter("W1", {d, d})) * tanh(x * m.parameter("W2", {d, d}))),
    LAW_OPERATOR(kAny, 2, (sum_features(x * m.parameter("W2", {d, d})) + x * m.parameter("W2", {d, d})) * 0.1),
    LAW_OPERATOR(
        kAny, 2,
        sigmoid(slice(x* m.parameter("G", {d, 2 * d}), 0, d)) * tanh(slice(x * m.parameter("G", {d, 2 * d}), d, d))),
    LAW_OPERATOR(kAny, 1, concat({slice(x * m.parameter("W1", {d, d}), 1, 2), slice(y, 2, d - 2)})),
    LAW_OPERATOR(kAny, 1, log_matmul(x, m.parameter("W0", {d, d})) * 0.3),
    LAW_OPERATOR(kAny, 1, max_matmul(x, m.parameter("W2", {d, d})) * 0.5),
    LAW_OPERATOR(kAny, 1, batch_matmul(x, diagonal(tanh(y)))),
    LAW_OPERATOR(kAny, 1, highway(x, y, m.parameter("W1", {d, d}), m.parameter("q", {d}, Initializer::uniform(1)))),
    LAW_OPERATOR(kAny, 4, dropout(x, 0.3)),
    LAW_OPERATOR(kAny, 2, sample_dropout(x, 0.4)),
    // Operators on vertices only.
    LAW_OPERATOR(kVertexOnly, 2, v.where_present("box", x)),
    // Operators over children.
    LAW_OPERATOR(kEdgeToVertex, 4, sum(x) * 0.7),
    LAW_OPERATOR(kEdgeToVertex, 3, mean(x)),
    LAW_OPERATOR(kEdgeToVertex, 3, max(x)),
    LAW_OPERATOR(kEdgeToVertex, 2, attention(v(m.parameter("q", {d}, Initializer::uniform(1))), x, x)),
    LAW_OPERATOR(kEdgeToEdge, 2, softmax_children(x)),
    // Not x - mean(x): the mean's rounding would count once per child, so large sums would be off by more than 1e-5.
    LAW_OPERATOR(kEdgeToEdge, 2, x* each_child(sigmoid(mean(x)))),
};

const Operator kPrelude[] = {
    LAW_OPERATOR(kVertex, 0, m.lookup("E", {7, d}, Initializer::uniform(1))(v.pull_index("word"))),
    LAW_OPERATOR(kVertex, 0, v.pull("box", 4) * m.parameter("B", {4, d})),
    LAW_OPERATOR(kVertex, 0, v.gather(0, "h")),
    LAW_OPERATOR(kVertex, 0, v.gather(1, "g")),
    LAW_OPERATOR(kEdges, 0, v.children("h", first)),
    LAW_OPERATOR(kVertex, 0, v.pull("in0", d)),
    LAW_OPERATOR(kVertex, 0, v.pull("in1", d)),
    LAW_OPERATOR(kEdges, 0, v.pull_all("all", d)),
};

constexpr Sink::Kind kState = Sink::Kind::kState, kOut = Sink::Kind::kOut, kScore = Sink::Kind::kScore,
                     kLink = Sink::Kind::kLink, kLoss = Sink::Kind::kLoss;

// The parameters fix the shapes of the states, whatever the shape of x.
const Sink kSinks[] = {
    LAW_SINK(kState, false, 1, v.scatter("h", tanh(x + m.parameter("bh", {d}, Initializer::uniform(1))))),
    LAW_SINK(kState, false, 1, v.scatter("g", tanh(x + m.parameter("bg", {d}, Initializer::uniform(1))))),
    LAW_SINK(kOut, false, 1, v.push("out", x + m.parameter("bo", {d}, Initializer::uniform(1)))),
    LAW_SINK(kScore, false, 1, v.push("score", sum_features(x + m.parameter("bo", {d}, Initializer::uniform(1))))),
    LAW_SINK(kLink, false, 1, v.push("link", tanh(x + m.parameter("bo", {d}, Initializer::uniform(1))))),
    LAW_SINK(kLoss, false, 3, v.loss(sum_features(square(x + m.parameter("bl", {d}, Initializer::uniform(1)))))),
    LAW_SINK(kLoss, false, 2, v.loss(mean_features(multiply(x, m.parameter("bl", {d}, Initializer::uniform(1)))))),
    LAW_SINK(kLoss, false, 3, v.loss(softmax_cross_entropy(x* m.parameter("C", {d, 5}), v.pull_index("label")))),
    LAW_SINK(kLoss, false, 2, v.loss(mean_squared_error(x* m.parameter("M", {d, 4}), v.pull("box", 4)))),
    LAW_SINK(kLoss, false, 2, v.loss(v.where_present("box", sum_features(abs(x* m.parameter("W0", {d, d})))))),
    LAW_SINK(
        kLoss, false, 2,
        v.loss(softmax_cross_entropy(x* m.parameter("H", {d, 300}) + m.parameter("c", {300}), v.pull_index("label")))),
    LAW_SINK(kLoss, true, 2,
             v.loss(sum(softmax_cross_entropy((v.children("h", first) + x) * m.parameter("Q", {d, 6}),
                                              v.pull_edge_index("relation", first))))),
    LAW_SINK(kLoss, true, 1,
             v.loss(sum(v.where_edge_present("bond", sum_features(square(v.children("h", first) - x)), first)))),
};

}  // namespace

bool uses(const Operator& op, char operand) {
  const auto is_name = [&](std::size_t i) {
    return i < op.text.size() && (std::isalnum(static_cast<unsigned char>(op.text[i])) != 0 || op.text[i] == '_');
  };
  for (std::size_t i = 0; i < op.text.size(); ++i)
    if (op.text[i] == operand && !is_name(i - 1) && !is_name(i + 1)) return true;
  return false;
}

std::span<const Operator> all_operators() { return kOperators; }
const Operator& prelude(Prelude number) { return kPrelude[static_cast<std::size_t>(number)]; }
std::span<const Sink> all_sinks() { return kSinks; }

}  // namespace cavs::law
