// Custom graphs: small programs, whose variables are used any number of times. A stream generates them on demand, a
// network learns their values, and then predicts the value of a program given as text.
#include <cavs/checkpoint.h>
#include <cavs/data.h>
#include <cavs/error.h>
#include <cavs/evaluator.h>
#include <cavs/graph.h>
#include <cavs/model.h>
#include <cavs/readers.h>
#include <cavs/trained_model.h>
#include <cavs/trainer.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kNumbers = 8;                                         // values are 0 to 7
const std::array<std::string, 3> kOperations{"min", "max", "not"};  // not x is 7 - x

/// One line of a program: a number, or an operation on the values of earlier lines.
struct Line {
  int operation = -1;  // index into kOperations; -1 is a number
  int number = 0;
  std::vector<int> reads{};  // earlier lines
};
using Program = std::vector<Line>;

std::vector<int> evaluate(const Program& program) {
  std::vector<int> values;
  for (const Line& line : program) {
    const auto value = [&](std::size_t i) { return values[line.reads[i]]; };
    if (line.operation < 0) values.push_back(line.number);
    if (line.operation == 0) values.push_back(std::min(value(0), value(1)));
    if (line.operation == 1) values.push_back(std::max(value(0), value(1)));
    if (line.operation == 2) values.push_back(kNumbers - 1 - value(0));
  }
  return values;
}

/// "a = 3; b = not a; c = max a b": names are letters in order.
Program parse(const std::string& text) {
  Program program;
  std::istringstream statements(text);
  for (std::string statement; std::getline(statements, statement, ';');) {
    std::istringstream words(statement);
    std::string name, equals, first, operand;
    words >> name >> equals >> first;
    const auto operation = std::find(kOperations.begin(), kOperations.end(), first) - kOperations.begin();
    Line line;
    if (operation < std::ssize(kOperations))
      line.operation = static_cast<int>(operation);
    else
      line.number = std::stoi(first);
    while (words >> operand) line.reads.push_back(operand[0] - 'a');
    program.push_back(line);
  }
  return program;
}

cavs::GraphSchema schema() { return {.types = {"number", "operation"}, .index_ports = {"token", "label"}}; }

/// One vertex per line, whose children are the lines that it reads, so a variable that is used twice has two parents.
/// The library checks the graph: a cycle or a child that does not exist is a UserError.
cavs::InputGraph to_graph(const Program& program) {
  cavs::InputGraph graph{.child_offsets = {0}, .index_pulls = {{}, {}}};
  const std::vector<int> values = evaluate(program);
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Line& line = program[i];
    const bool is_number = line.operation < 0;
    graph.types.push_back(is_number ? 0 : 1);
    graph.children.insert(graph.children.end(), line.reads.begin(), line.reads.end());
    graph.child_offsets.push_back(std::ssize(graph.children));
    graph.index_pulls[0].push_back(is_number ? line.number : line.operation);
    graph.index_pulls[1].push_back(values[i]);
  }
  return graph;
}

Program draw(std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<int>(random() % n); };
  Program program;
  for (int i = 0, numbers = 2 + below(3); i < numbers; ++i) program.push_back({.number = below(kNumbers)});
  for (int i = 0, operations = 2 + below(6); i < operations; ++i) {
    Line line{.operation = below(kOperations.size())};
    for (int k = 0; k < (line.operation == 2 ? 1 : 2); ++k) line.reads.push_back(below(program.size()));
    program.push_back(line);
  }
  return program;
}

/// Samples that are generated on demand; only the samples in the shuffle buffer are in memory.
class Programs : public cavs::SampleStream {
 public:
  cavs::GraphSchema schema() const override { return ::schema(); }
  std::int64_t samples() const override { return 2000; }
  std::uint64_t content_hash() const override { return kSeed; }
  void rewind() override { random_.seed(kSeed); }
  cavs::InputGraph next() override { return to_graph(draw(random_)); }

 private:
  static constexpr std::uint32_t kSeed = 1;
  std::mt19937 random_{kSeed};
};

/// A number has its own vector. An operation reads the mean of its operands, and their largest and smallest features.
cavs::Model declare() {
  constexpr int h = 64;
  cavs::Model m({.seed = 1});
  auto N = m.lookup("numbers", {kNumbers, h}, cavs::Initializer::uniform(1));
  auto O = m.lookup("operations", {static_cast<int>(kOperations.size()), 2 * h}, cavs::Initializer::uniform(1));
  auto W = m.parameter("W", {3 * h, 2 * h}), V = m.parameter("V", {2 * h, h});
  auto Wy = m.parameter("Wy", {h, kNumbers});
  const auto classify = [&](cavs::Vertex& v, const cavs::Value& y) {
    v.scatter("h", y);
    v.push("logits", y * Wy);
    v.loss(softmax_cross_entropy(y * Wy, v.pull_index("label")));
  };
  m.vertex_function("number", [&](cavs::Vertex& v) { classify(v, N(v.pull_index("token"))); });
  m.vertex_function("operation", [&](cavs::Vertex& v) {
    auto hs = v.children("h");
    auto x = cavs::concat({mean(hs), max(hs), -max(-hs)}) * W + O(v.pull_index("token"));
    classify(v, tanh(relu(x) * V));
  });
  return m;
}

cavs::TrainedModel train(const cavs::Model& model) {
  cavs::TrainOptions options{.batch_size = 32, .shuffle_buffer = 500, .optimizer = cavs::optimizer_defaults("adam")};
  options.optimizer.lr = 0.003;
  cavs::Trainer trainer(model, std::make_shared<Programs>(), options);
  constexpr int kEpochs = 12;
  double first = 0, loss = 0;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    loss = 0;
    while (trainer.position().epoch == epoch) loss += trainer.step().loss / trainer.steps_per_epoch();
    if (epoch == 0) first = loss;
    std::printf("epoch %d: loss of a program %.3f\n", epoch + 1, loss);
  }
  if (!(loss < 0.2 * first)) throw cavs::UserError("the loss did not fall to a fifth of its first value");
  return cavs::trained_model(trainer.checkpoint());
}

}  // namespace

int main() try {
  const cavs::TrainedModel model = train(declare());

  cavs::GraphSet unseen(schema());
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) unseen.add(to_graph(draw(random)), "program " + std::to_string(i));
  const double accuracy = cavs::evaluate(model.model, model.parameters, unseen).accuracy;
  std::printf("values of new programs that are right: %.1f %%\n", 100 * accuracy);
  if (accuracy < 0.95) throw cavs::UserError("fewer than 95 % of the values of new programs are right");

  const std::string text = "a = 2; b = 6; c = max a b; d = not c; e = max d a";
  const Program program = parse(text);
  cavs::GraphSet asked(schema());
  asked.add(to_graph(program), text);
  const int found = cavs::Predictor(model).predict(asked)[0].classes.back();
  const int expected = evaluate(program).back();
  std::printf("%s -> %d (is %d)\n", text.c_str(), found, expected);
  if (found != expected) throw cavs::UserError("the value of the program is wrong");
  return 0;
} catch (const cavs::UserError& error) {
  std::fprintf(stderr, "custom_graphs: %s\n", error.what());
  return 1;
}
