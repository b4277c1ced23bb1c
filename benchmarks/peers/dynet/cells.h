// Cells of trees and sequences: the equations of src/models, one vertex at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "net.h"

struct State {
  Expression h, c;  // c only for LSTMs
};

struct TreeCell {
  virtual ~TreeCell() = default;
  virtual State leaf(int word) = 0;
  virtual State inner(const std::vector<State>& children) = 0;
};

/// The c and h of a Tree-LSTM from i, o, u. kept: the children's c, times their forget gates.
inline State tree_lstm_state(const Expression& gates, unsigned h, const Expressions& kept) {
  const Expression i = dynet::logistic(dynet::pick_range(gates, 0, h));
  const Expression o = dynet::logistic(dynet::pick_range(gates, h, 2 * h));
  Expressions terms = kept;
  terms.push_back(dynet::cmult(i, dynet::tanh(dynet::pick_range(gates, 2 * h, 3 * h))));
  const Expression c = terms.size() == 1 ? terms[0] : dynet::sum(terms);
  return {dynet::cmult(o, dynet::tanh(c)), c};
}

class ChildSumLstm : public TreeCell {
 public:
  ChildSumLstm(Net& net, const Sizes& s)
      : net_(net),
        h_(s.hidden),
        words_(net.add_table("embedding", s.words, h_)),
        W_(net.add("W", 3 * h_, h_)),
        U_(net.add("U", 3 * h_, h_)),
        b_(net.add("b", 3 * h_)),
        Wf_(net.add("Wf", h_, h_)),
        Uf_(net.add("Uf", h_, h_)),
        bf_(net.add("bf", h_)) {}

  State leaf(int word) override {
    return tree_lstm_state(dynet::affine_transform({net_[b_], net_[W_], net_.row(words_, word)}), h_, {});
  }
  /// An inner vertex has no word, so Wf is not used.
  State inner(const std::vector<State>& children) override {
    Expressions hs, kept;
    for (const State& child : children) {
      hs.push_back(child.h);
      const Expression f = dynet::logistic(dynet::affine_transform({net_[bf_], net_[Uf_], child.h}));
      kept.push_back(dynet::cmult(f, child.c));
    }
    return tree_lstm_state(dynet::affine_transform({net_[b_], net_[U_], dynet::sum(hs)}), h_, kept);
  }

 private:
  Net& net_;
  unsigned h_;
  dynet::LookupParameter words_;
  int W_, U_, b_, Wf_, Uf_, bf_;
};

/// The cell of tree-lstm-binary, and of td-lstm, where the two forget gates share a bias.
class BinaryLstm : public TreeCell {
 public:
  struct Names {
    std::string leaf_bias, prefix, left_bias, right_bias;
  };
  BinaryLstm(Net& net, const Sizes& s, const Names& names)
      : net_(net),
        h_(s.hidden),
        words_(net.add_table("embedding", s.words, h_)),
        leaf_(net, "W", names.leaf_bias, h_, 3 * h_),
        Ul_(net.add(names.prefix + "Ul", 3 * h_, h_)),
        Ur_(net.add(names.prefix + "Ur", 3 * h_, h_)),
        b_(net.add(names.prefix + "b", 3 * h_)),
        left_{net.add(names.prefix + "Fl", h_, h_), net.add(names.prefix + names.left_bias, h_)},
        right_{net.add(names.prefix + "Fr", h_, h_),
               names.right_bias == names.left_bias ? left_.b : net.add(names.prefix + names.right_bias, h_)} {}

  State leaf(int word) override { return tree_lstm_state(leaf_(net_.row(words_, word)), h_, {}); }
  State inner(const std::vector<State>& children) override {
    const State &l = children.at(0), &r = children.at(1);
    const Expression gates = dynet::affine_transform({net_[b_], net_[Ul_], l.h, net_[Ur_], r.h});
    return tree_lstm_state(gates, h_, {keep(left_, l), keep(right_, r)});
  }

 private:
  struct Forget {
    int F, b;
  };
  Expression keep(const Forget& gate, const State& child) const {
    return dynet::cmult(dynet::logistic(dynet::affine_transform({net_[gate.b], net_[gate.F], child.h})), child.c);
  }

  Net& net_;
  unsigned h_;
  dynet::LookupParameter words_;
  Linear leaf_;
  int Ul_, Ur_, b_;
  Forget left_, right_;
};

/// A product per child and a bias, followed by tanh (rvnn, whose leaves have another product, and td-rnn, whose leaves
/// are words) or by ReLU (tree-fc).
class RecursiveNet : public TreeCell {
 public:
  struct Names {
    std::string left, right, bias;
  };
  RecursiveNet(Net& net, const Sizes& s, const Names& names, bool leaf_product, bool relu)
      : net_(net),
        relu_(relu),
        words_(net.add_table("embedding", s.words, s.hidden)),
        leaf_(leaf_product ? new Linear(net, "W", "b", s.hidden, s.hidden) : nullptr),
        L_(net.add(names.left, s.hidden, s.hidden)),
        R_(net.add(names.right, s.hidden, s.hidden)),
        b_(net.add(names.bias, s.hidden)) {}

  State leaf(int word) override {
    const Expression x = net_.row(words_, word);
    return {leaf_ ? dynet::tanh((*leaf_)(x)) : x, {}};
  }
  State inner(const std::vector<State>& children) override {
    const Expression sum = dynet::affine_transform({net_[b_], net_[L_], children.at(0).h, net_[R_], children.at(1).h});
    return {relu_ ? dynet::rectify(sum) : dynet::tanh(sum), {}};
  }

 private:
  Net& net_;
  bool relu_;
  dynet::LookupParameter words_;
  std::unique_ptr<Linear> leaf_;
  int L_, R_, b_;
};

/// An LSTM over a sequence, with the gates i, f, o, u.
class Lstm {
 public:
  Lstm(Net& net, const std::string& name, unsigned inputs, unsigned hidden)
      : net_(net),
        h_(hidden),
        W_(net.add(name + "_W", 4 * hidden, inputs)),
        U_(net.add(name + "_U", 4 * hidden, hidden)),
        b_(net.add(name + "_b", 4 * hidden)) {}

  /// The product of the input is a separate node, so that DyNet batches it over all positions. At h = 256 this is 1.5
  /// to 2 times as fast as one affine_transform, as in DyNet's own builders, or as its node vanilla_lstm_gates.
  State step(const Expression& x, const State* before) const {
    const Expression wx = dynet::affine_transform({net_[b_], net_[W_], x});
    const Expression gates = before == nullptr ? wx : wx + net_[U_] * before->h;
    const Expression i = dynet::logistic(dynet::pick_range(gates, 0, h_));
    const Expression o = dynet::logistic(dynet::pick_range(gates, 2 * h_, 3 * h_));
    Expression c = dynet::cmult(i, dynet::tanh(dynet::pick_range(gates, 3 * h_, 4 * h_)));
    if (before != nullptr) c = c + dynet::cmult(dynet::logistic(dynet::pick_range(gates, h_, 2 * h_)), before->c);
    return {dynet::cmult(o, dynet::tanh(c)), c};
  }
  /// The states of all positions.
  std::vector<State> run(const Expressions& xs, bool reverse) const {
    std::vector<State> states(xs.size());
    const State* before = nullptr;
    for (std::size_t t = 0; t < xs.size(); ++t) {
      const std::size_t at = reverse ? xs.size() - 1 - t : t;
      states[at] = step(xs[at], before);
      before = &states[at];
    }
    return states;
  }

 private:
  Net& net_;
  unsigned h_;
  int W_, U_, b_;
};
