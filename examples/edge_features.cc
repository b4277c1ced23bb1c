// Input and labels of edges: molecules whose bonds have an order and a length. A model that reads the orders of bonds
// finds what a model of atoms alone cannot find. Another model predicts the order of every bond.
#include <cavs/data.h>
#include <cavs/error.h>
#include <cavs/evaluator.h>
#include <cavs/model.h>
#include <cavs/session.h>
#include <cavs/trainer.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kWidth = 16;

/// A molecule as a JSON line: a tree of atoms, with the order and length of every bond. The label at the root is 1 if
/// an oxygen has a double bond.
std::string draw(std::mt19937& random) {
  const int atoms = 3 + static_cast<int>(random() % 6);
  std::vector<std::string> children(atoms), orders(atoms), lengths(atoms);
  std::string names, labels;
  bool carbonyl = false;
  for (int a = 0; a < atoms; ++a) {
    const bool oxygen = a > 0 && random() % 3 == 0, twice = random() % 3 == 0;
    names += std::string(a > 0 ? "," : "") + (oxygen ? "\"O\"" : "\"C\"");
    if (a == 0) continue;
    carbonyl = carbonyl || (oxygen && twice);
    const std::size_t parent = random() % static_cast<unsigned>(a);
    const double length = (twice ? 1.2 : 1.5) + 0.01 * (static_cast<double>(random() % 21) - 10);
    const char* comma = children[parent].empty() ? "" : ",";
    children[parent] += comma + std::to_string(a);
    orders[parent] += std::string(comma) + (twice ? "\"double\"" : "\"single\"");
    lengths[parent] += comma + ("[" + std::to_string(length) + "]");
    labels += ",-1";
  }
  const auto lists = [](const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& each : all) text += (text.empty() ? "[" : ",[") + each + "]";
    return "[" + text + "]";
  };
  return "{\"children\":" + lists(children) + ",\"pull\":{\"word\":[" + names +
         "]},\"edges\":{\"order\":" + lists(orders) + ",\"length\":" + lists(lengths) + "},\"label\":[" +
         (carbonyl ? "1" : "0") + labels + "]}\n";
}

void write_molecules(const std::string& path, int count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::ofstream file(path);
  for (int i = 0; i < count; ++i) file << draw(random);
}

/// Predicts whether a molecule has a double bond to an oxygen. bonds: true if the model reads the orders of bonds.
cavs::Model classifier(const cavs::Dataset& data, bool bonds) {
  cavs::Model m;
  const auto E = m.lookup("E", {data.rows("word"), kWidth}), B = m.lookup("B", {data.rows("order"), kWidth});
  const auto U = m.parameter("U", {kWidth, kWidth}), W = m.parameter("W", {kWidth, data.classes});
  m.vertex_function("vertex", [&](cavs::Vertex& v) {
    auto message = v.children("h") * U;  // one row per child
    if (bonds) message = message + B(v.pull_edge_index("order"));
    auto h = relu(E(v.pull_index("word")) + sum(relu(message)));
    v.scatter("h", h);
    auto logits = h * W;
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  });
  return m;
}

/// Predicts the order of every bond from its length and the atoms at its ends.
cavs::Model bond_finder(const cavs::Dataset& data) {
  const int orders = data.rows("order");
  cavs::Model m;
  const auto E = m.lookup("E", {data.rows("word"), kWidth});
  const auto L = m.parameter("L", {1, kWidth}), b = m.parameter("b", {kWidth}, cavs::Initializer::zeros());
  const auto W = m.parameter("W", {kWidth, orders});
  m.vertex_function("vertex", [&](cavs::Vertex& v) {
    auto atom = E(v.pull_index("word"));
    v.scatter("atom", atom);
    auto bond = relu((v.pull_edges("length", 1) - 1.35) * 10 * L + v.children("atom") + atom + b);
    auto logits = bond * W;  // one row per bond
    auto order = v.pull_edge_index("order");
    v.loss(sum(softmax_cross_entropy(logits, order)));
    v.push("right", sum(dot(hard_max(logits), one_hot(order, orders))));
  });
  return m;
}

std::shared_ptr<cavs::Parameters> trained(const cavs::Model& model, const cavs::Dataset& data) {
  cavs::TrainOptions options{.batch_size = 16};
  options.optimizer = cavs::optimizer_defaults("adam");
  options.optimizer.lr = 0.01;
  cavs::Trainer trainer(model, data.train, options);
  while (trainer.position().epoch < 15) trainer.step();
  return trainer.evaluated_parameters();
}

double accuracy_of(const cavs::Model& model, const cavs::Dataset& data) {
  return cavs::evaluate(model, trained(model, data), data.dev).root_accuracy;
}

/// The fraction of bonds with the right order.
double bonds_found(const cavs::Model& model, const cavs::Dataset& data) {
  const auto program = cavs::compile(model, {.training = false});
  const auto bound = cavs::bind_graphs(program, data.dev);
  cavs::Session session(program, trained(model, data));
  std::vector<std::int32_t> samples(data.dev.size());
  std::iota(samples.begin(), samples.end(), 0);
  const cavs::Run run = session.forward(*bound, samples);
  const std::vector<float> right = run.output("right");  // [vertices]: number of right bonds to the children
  return std::accumulate(right.begin(), right.end(), 0.0) / static_cast<double>(run.labels());
}

}  // namespace

int main() try {
  write_molecules("train.jsonl", 600, 1);
  write_molecules("dev.jsonl", 200, 2);
  const cavs::Dataset data = cavs::load_data("jsonl:train=train.jsonl,dev=dev.jsonl");
  const double with = accuracy_of(classifier(data, true), data), without = accuracy_of(classifier(data, false), data);
  const double found = bonds_found(bond_finder(data), data);
  std::printf("molecules that are classified: %.1f %% with bonds, %.1f %% without\n", 100 * with, 100 * without);
  std::printf("bonds whose order is found: %.1f %%\n", 100 * found);
  if (with < 0.95) throw cavs::UserError("fewer than 95 % of the molecules are right with their bonds");
  if (without > 0.85) throw cavs::UserError("the label can be predicted without bonds, so the example shows nothing");
  if (found < 0.95) throw cavs::UserError("fewer than 95 % of the bonds are found");
  return 0;
} catch (const cavs::UserError& error) {
  std::fprintf(stderr, "edge_features: %s\n", error.what());
  return 1;
}
