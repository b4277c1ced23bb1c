// The models: the vertices of a sample, and their losses.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cells.h"

struct Model {
  virtual ~Model() = default;
  /// Adds the losses of a sample's labels.
  virtual void add_losses(const Sample& sample, Expressions& losses) = 0;
};

/// Classifies each labelled vertex of a tree.
class TreeModel : public Model {
 public:
  TreeModel(std::unique_ptr<TreeCell> cell, Classifier classifier)
      : cell_(std::move(cell)), classifier_(std::move(classifier)) {}

  void add_losses(const Sample& sample, Expressions& losses) override {
    std::vector<State> states;
    for (const Vertex& v : sample) {
      std::vector<State> children;
      for (const int child : v.children) children.push_back(states.at(static_cast<std::size_t>(child)));
      states.push_back(children.empty() ? cell_->leaf(v.word) : cell_->inner(children));
      if (v.label >= 0) losses.push_back(classifier_.loss(states.back().h, v.label));
    }
  }

 private:
  std::unique_ptr<TreeCell> cell_;
  Classifier classifier_;
};

/// Combines neighbouring words of a tree until one state is left, which determines the class of the root.
class TimeDelay : public Model {
 public:
  TimeDelay(std::unique_ptr<TreeCell> cell, Classifier classifier)
      : cell_(std::move(cell)), classifier_(std::move(classifier)) {}

  void add_losses(const Sample& sample, Expressions& losses) override {
    std::vector<State> row;
    std::vector<std::size_t> open{sample.size() - 1};  // the root comes last
    while (!open.empty()) {
      const Vertex& v = sample[open.back()];
      open.pop_back();
      if (v.children.empty()) row.push_back(cell_->leaf(v.word));
      for (auto child = v.children.rbegin(); child != v.children.rend(); ++child)
        open.push_back(static_cast<std::size_t>(*child));
    }
    for (; row.size() > 1; row.pop_back())
      for (std::size_t i = 0; i + 1 < row.size(); ++i) row[i] = cell_->inner({row[i], row[i + 1]});
    if (sample.back().label >= 0) losses.push_back(classifier_.loss(row[0].h, sample.back().label));
  }

 private:
  std::unique_ptr<TreeCell> cell_;
  Classifier classifier_;
};

/// bilstm, and bilstm-char, which spells unknown words.
class Tagger : public Model {
 public:
  Tagger(Net& net, const Sizes& s, bool spelled)
      : net_(net),
        words_(net.add_table("embedding", s.words, s.hidden)),
        forward_(net, "forward", s.hidden, s.hidden),
        backward_(net, "backward", s.hidden, s.hidden),
        classifier_(net, s, "hidden_W", "hidden_b", 2 * s.hidden) {
    if (spelled) speller_.reset(new Speller(net, s.hidden));
  }

  void add_losses(const Sample& sample, Expressions& losses) override {
    Expressions xs;
    std::vector<int> labels;
    for (const Vertex& v : sample) {
      if (v.character >= 0) continue;
      xs.push_back(v.word >= 0 ? net_.row(words_, v.word) : speller_->spell(net_, sample, v));
      labels.push_back(v.label);
    }
    const std::vector<State> ahead = forward_.run(xs, false), back = backward_.run(xs, true);
    for (std::size_t t = 0; t < xs.size(); ++t)
      if (labels[t] >= 0) losses.push_back(classifier_.loss(dynet::concatenate({ahead[t].h, back[t].h}), labels[t]));
  }

 private:
  struct Speller {
    static constexpr unsigned kBytes = 256, kCharacter = 32;
    Speller(Net& net, unsigned width)
        : characters(net.add_table("characters", kBytes, kCharacter)),
          forward(net, "spell_forward", kCharacter, (width + 1) / 2),
          backward(net, "spell_backward", kCharacter, width / 2) {}

    Expression spell(const Net& net, const Sample& sample, const Vertex& token) {
      Expressions xs;
      for (int v = token.first; v <= token.last; ++v)
        xs.push_back(net.row(characters, sample.at(static_cast<std::size_t>(v)).character));
      return dynet::concatenate({forward.run(xs, false).back().h, backward.run(xs, true).front().h});
    }

    dynet::LookupParameter characters;
    Lstm forward, backward;
  };

  Net& net_;
  dynet::LookupParameter words_;
  Lstm forward_, backward_;
  Classifier classifier_;
  std::unique_ptr<Speller> speller_;
};

/// Number of vertices that the model evaluates.
inline std::size_t vertices_of(const std::string& model, const Sample& sample) {
  if (model.compare(0, 3, "td-") != 0) return sample.size();
  std::size_t words = 0;
  for (const Vertex& v : sample) words += v.children.empty() ? 1 : 0;
  return words * (words + 1) / 2;
}

inline std::unique_ptr<Model> make_model(const std::string& name, Net& net, const Sizes& s) {
  using Cell = std::unique_ptr<TreeCell>;
  using Made = std::unique_ptr<Model>;
  const auto mlp = [&] { return Classifier(net, s, "Wm", "bm", s.hidden); };
  const RecursiveNet::Names rnn{"L", "R", "inner_b"};
  if (name == "bilstm" || name == "bilstm-char") return Made(new Tagger(net, s, name == "bilstm-char"));
  if (name == "tree-lstm") return Made(new TreeModel(Cell(new ChildSumLstm(net, s)), Classifier(net, s)));
  if (name == "tree-lstm-binary")
    return Made(new TreeModel(Cell(new BinaryLstm(net, s, {"bw", "", "bl", "br"})), Classifier(net, s)));
  if (name == "tree-fc")
    return Made(new TreeModel(Cell(new RecursiveNet(net, s, {"Wl", "Wr", "b"}, false, true)), Classifier(net, s)));
  if (name == "rvnn") return Made(new TreeModel(Cell(new RecursiveNet(net, s, rnn, true, false)), mlp()));
  if (name == "td-rnn") return Made(new TimeDelay(Cell(new RecursiveNet(net, s, rnn, false, false)), mlp()));
  if (name == "td-lstm") return Made(new TimeDelay(Cell(new BinaryLstm(net, s, {"b", "inner_", "bf", "bf"})), mlp()));
  throw std::runtime_error("no peer for the model '" + name +
                           "'; known: bilstm, bilstm-char, rvnn, td-lstm, td-rnn, "
                           "tree-fc, tree-lstm, tree-lstm-binary");
}
