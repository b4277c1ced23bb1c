// The peer of `cavs bench tree-lstm-binary` and `cavs bench tree-fc` in DyNet 2.1.2: same model, same trees, plain SGD,
// its own autobatching. It is built against a DyNet of yours, not by this project's build:
//   g++ -std=c++14 -O2 -march=native -I DYNET -I DYNET/build -I /usr/include/eigen3 dynet_trees.cc \
//     -L DYNET/build/dynet -ldynet -o dynet_trees
//   ./dynet_trees MODEL TREES HIDDEN BATCH train|infer STRATEGY SECONDS
// TREES: a treebank's file, or the leaves of complete trees of random words. STRATEGY: 1 or 2 of --autobatch.
// Prints trees a second.
#include <dynet/dynet.h>
#include <dynet/expr.h>
#include <dynet/init.h>
#include <dynet/training.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using dynet::Expression;

constexpr std::size_t kTrees = 512;

struct Vertex {
  int label, word, left, right;  // word: -1 for an inner vertex
};
using Tree = std::vector<Vertex>;
using Words = std::map<std::string, int>;

int parse(const std::string& s, std::size_t& at, Tree& tree, Words& words) {
  const int label = s[at + 1] - '0';
  at += 3;
  if (s[at] == '(') {
    const int left = parse(s, at, tree, words);
    ++at;
    const int right = parse(s, at, tree, words);
    ++at;
    tree.push_back({label, -1, left, right});
  } else {
    const std::size_t end = s.find(')', at);
    const int word = words.emplace(s.substr(at, end - at), static_cast<int>(words.size())).first->second;
    at = end + 1;
    tree.push_back({label, word, -1, -1});
  }
  return static_cast<int>(tree.size()) - 1;
}

std::vector<Tree> read_trees(const char* path, Words& words) {
  std::vector<Tree> trees;
  std::ifstream file(path);
  for (std::string line; trees.size() < kTrees && std::getline(file, line);) {
    std::size_t at = 0;
    trees.emplace_back();
    parse(line, at, trees.back(), words);
  }
  return trees;
}

/// As the generator binary-trees makes them: 1,000 words, 5 classes, children before parents.
std::vector<Tree> make_trees(int leaves, Words& words) {
  for (int i = 0; i < 1000; ++i) words.emplace(std::to_string(i), i);
  std::vector<Tree> trees(64);
  std::srand(1);
  for (Tree& tree : trees) {
    for (int i = 0; i < leaves; ++i) tree.push_back({-1, std::rand() % 1000, -1, -1});
    for (int child = 0; child + 1 < static_cast<int>(tree.size()); child += 2)
      tree.push_back({-1, -1, child, child + 1});
    tree.back().label = std::rand() % 5;
  }
  return trees;
}

struct TreeModel {
  virtual ~TreeModel() = default;
  /// The sum of the cross-entropies of trees [begin, end), divided by `batch`.
  virtual Expression loss(dynet::ComputationGraph& graph, const std::vector<Tree>& trees, std::size_t begin,
                          std::size_t end, int batch) = 0;
};

struct TreeFc : TreeModel {
  TreeFc(dynet::ParameterCollection& m, unsigned h, unsigned vocabulary)
      : words(m.add_lookup_parameters(vocabulary, {h})),
        parameters{m.add_parameters({h}), m.add_parameters({h, h}), m.add_parameters({h, h}), m.add_parameters({5}),
                   m.add_parameters({5, h})} {}

  Expression loss(dynet::ComputationGraph& graph, const std::vector<Tree>& trees, std::size_t begin, std::size_t end,
                  int batch) override {
    enum { kB, kL, kR, kBy, kWy };
    std::vector<Expression> p, losses;
    for (auto& parameter : parameters) p.push_back(dynet::parameter(graph, parameter));
    for (std::size_t s = begin; s < end; ++s) {
      std::vector<Expression> hs;
      for (const Vertex& v : trees[s]) {
        if (v.word >= 0)
          hs.push_back(dynet::lookup(graph, words, v.word));
        else
          hs.push_back(dynet::rectify(dynet::affine_transform({p[kB], p[kL], hs[v.left], p[kR], hs[v.right]})));
        if (v.label >= 0)
          losses.push_back(
              dynet::pickneglogsoftmax(dynet::affine_transform({p[kBy], p[kWy], hs.back()}), unsigned(v.label)));
      }
    }
    return dynet::sum(losses) / static_cast<float>(batch);
  }

  dynet::LookupParameter words;
  std::vector<dynet::Parameter> parameters;
};

struct TreeLstm : TreeModel {
  TreeLstm(dynet::ParameterCollection& m, unsigned h, unsigned vocabulary)
      : h(h),
        words(m.add_lookup_parameters(vocabulary, {h})),
        parameters{m.add_parameters({3 * h, h}), m.add_parameters({3 * h}), m.add_parameters({3 * h, h}),
                   m.add_parameters({3 * h, h}), m.add_parameters({3 * h}), m.add_parameters({h, h}),
                   m.add_parameters({h, h}),     m.add_parameters({h}),     m.add_parameters({h}),
                   m.add_parameters({5, h}),     m.add_parameters({5})} {}

  Expression loss(dynet::ComputationGraph& graph, const std::vector<Tree>& trees, std::size_t begin, std::size_t end,
                  int batch) override {
    enum { kW, kBw, kUl, kUr, kB, kFl, kFr, kBl, kBr, kWy, kBy };
    std::vector<Expression> p, losses;
    for (auto& parameter : parameters) p.push_back(dynet::parameter(graph, parameter));
    for (std::size_t s = begin; s < end; ++s) {
      std::vector<Expression> hs, cs;
      for (const Vertex& v : trees[s]) {
        const bool leaf = v.word >= 0;
        const Expression gates = leaf ? dynet::affine_transform({p[kBw], p[kW], dynet::lookup(graph, words, v.word)})
                                      : dynet::affine_transform({p[kB], p[kUl], hs[v.left], p[kUr], hs[v.right]});
        const Expression i = dynet::logistic(dynet::pick_range(gates, 0, h));
        const Expression o = dynet::logistic(dynet::pick_range(gates, h, 2 * h));
        Expression c = dynet::cmult(i, dynet::tanh(dynet::pick_range(gates, 2 * h, 3 * h)));
        if (!leaf) {
          const Expression l = dynet::logistic(dynet::affine_transform({p[kBl], p[kFl], hs[v.left]}));
          const Expression r = dynet::logistic(dynet::affine_transform({p[kBr], p[kFr], hs[v.right]}));
          c = c + dynet::cmult(l, cs[v.left]) + dynet::cmult(r, cs[v.right]);
        }
        cs.push_back(c);
        hs.push_back(dynet::cmult(o, dynet::tanh(c)));
        losses.push_back(
            dynet::pickneglogsoftmax(dynet::affine_transform({p[kBy], p[kWy], hs.back()}), unsigned(v.label)));
      }
    }
    return dynet::sum(losses) / static_cast<float>(batch);
  }

  unsigned h;
  dynet::LookupParameter words;
  std::vector<dynet::Parameter> parameters;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr, "usage: %s tree-lstm-binary|tree-fc TREES HIDDEN BATCH train|infer STRATEGY SECONDS\n",
                 argv[0]);
    return 2;
  }
  const auto hidden = static_cast<unsigned>(std::atoi(argv[3]));
  const int batch = std::atoi(argv[4]), leaves = std::atoi(argv[2]);
  const bool train = std::string(argv[5]) == "train";
  Words words;
  const std::vector<Tree> trees = leaves > 0 ? make_trees(leaves, words) : read_trees(argv[2], words);
  dynet::DynetParams options;
  options.autobatch = std::atoi(argv[6]);
  options.random_seed = 1;
  options.mem_descriptor = "2048";
  dynet::initialize(options);
  dynet::ParameterCollection parameters;
  dynet::SimpleSGDTrainer trainer(parameters, 0.01F);
  std::unique_ptr<TreeModel> model;
  const auto vocabulary = static_cast<unsigned>(words.size());
  if (std::string(argv[1]) == "tree-fc")
    model = std::make_unique<TreeFc>(parameters, hidden, vocabulary);
  else
    model = std::make_unique<TreeLstm>(parameters, hidden, vocabulary);
  const auto step = [&](std::size_t begin) {
    dynet::ComputationGraph graph;
    const std::size_t end = std::min(begin + static_cast<std::size_t>(batch), trees.size());
    const Expression loss = model->loss(graph, trees, begin, end, batch);
    dynet::as_scalar(graph.forward(loss));
    if (train) {
      graph.backward(loss);
      trainer.update();
    }
    return end - begin;
  };
  using Clock = std::chrono::steady_clock;
  const std::size_t count = batch == 1 ? 64 : trees.size();
  step(0);  // warms up
  std::size_t done = 0;
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  while (seconds() < std::atof(argv[7]))
    for (std::size_t s = 0; s < count; s += static_cast<std::size_t>(batch)) done += step(s);
  std::printf("%.1f\n", static_cast<double>(done) / seconds());
}
