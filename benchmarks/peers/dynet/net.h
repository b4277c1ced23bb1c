// Building blocks of models: parameters, linear layers, a classifier.
#pragma once

#include <dynet/dynet.h>
#include <dynet/expr.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "samples.h"

using dynet::Expression;
using Expressions = std::vector<Expression>;

/// Parameters with the names of cavs, and their expressions in the current graph. A matrix of cavs is [inputs, outputs]
/// in row-major order, which is the order of DyNet's {outputs, inputs} in column-major order.
class Net {
 public:
  int add(const std::string& name, unsigned outputs, unsigned inputs = 1) {
    const dynet::Dim dim = inputs == 1 ? dynet::Dim({outputs}) : dynet::Dim({outputs, inputs});
    weights_.push_back(collection.add_parameters(dim));
    names_.push_back(name);
    return static_cast<int>(weights_.size()) - 1;
  }
  dynet::LookupParameter add_table(const std::string& name, unsigned rows, unsigned width) {
    return tables_.emplace(name, collection.add_lookup_parameters(rows, {width})).first->second;
  }

  void begin(dynet::ComputationGraph& graph) {
    graph_ = &graph;
    expressions_.clear();
    for (dynet::Parameter& weight : weights_) expressions_.push_back(dynet::parameter(graph, weight));
  }
  const Expression& operator[](int weight) const { return expressions_[static_cast<std::size_t>(weight)]; }
  Expression row(dynet::LookupParameter& table, int index) const {
    return dynet::lookup(*graph_, table, static_cast<unsigned>(index));
  }

  /// @throws std::runtime_error unless `parameters` are exactly the parameters of this model.
  void set(const std::vector<NamedValues>& parameters) {
    for (const NamedValues& given : parameters) {
      const auto table = tables_.find(given.name);
      std::size_t at = 0;
      while (at < names_.size() && names_[at] != given.name) ++at;
      if (table != tables_.end())
        table->second.get_storage().all_values.d.size() == given.values.size() ? set_table(table->second, given.values)
                                                                               : wrong_size(given.name);
      else if (at < names_.size())
        weights_[at].dim().size() == given.values.size() ? weights_[at].set_value(given.values)
                                                         : wrong_size(given.name);
      else
        throw std::runtime_error("cavs has a parameter '" + given.name + "' that this peer lacks");
    }
    if (parameters.size() != names_.size() + tables_.size())
      throw std::runtime_error("cavs has " + std::to_string(parameters.size()) + " parameters, this peer " +
                               std::to_string(names_.size() + tables_.size()));
  }

  dynet::ParameterCollection collection;

 private:
  static void wrong_size(const std::string& name) {
    throw std::runtime_error("parameter '" + name + "' has another size in cavs");
  }
  static void set_table(dynet::LookupParameter& table, const std::vector<float>& values) {
    const std::size_t width = table.dim().size();
    for (std::size_t row = 0; row < values.size() / width; ++row)
      table.initialize(static_cast<unsigned>(row), {values.begin() + static_cast<long>(row * width),
                                                    values.begin() + static_cast<long>((row + 1) * width)});
  }

  std::vector<dynet::Parameter> weights_;
  std::vector<std::string> names_;
  std::map<std::string, dynet::LookupParameter> tables_;
  dynet::ComputationGraph* graph_ = nullptr;
  Expressions expressions_;
};

struct Sizes {
  unsigned words, hidden, classes;
};

class Linear {
 public:
  Linear(Net& net, const std::string& weight, const std::string& bias, unsigned inputs, unsigned outputs)
      : net_(net), weight_(net.add(weight, outputs, inputs)), bias_(net.add(bias, outputs)) {}
  Expression operator()(const Expression& x) const { return dynet::affine_transform({net_[bias_], net_[weight_], x}); }

 private:
  Net& net_;
  int weight_, bias_;
};

/// The cross-entropy of the class of a state, with an optional hidden tanh layer.
class Classifier {
 public:
  Classifier(Net& net, const Sizes& sizes, const std::string& W, const std::string& b, unsigned inputs)
      : layer_(new Linear(net, W, b, inputs, sizes.hidden)),
        output_(net, "output_W", "output_b", sizes.hidden, sizes.classes) {}
  Classifier(Net& net, const Sizes& sizes) : output_(net, "output_W", "output_b", sizes.hidden, sizes.classes) {}

  Expression loss(const Expression& h, int label) const {
    const Expression scores = output_(layer_ ? dynet::tanh((*layer_)(h)) : h);
    return dynet::pickneglogsoftmax(scores, static_cast<unsigned>(label));
  }

 private:
  std::unique_ptr<Linear> layer_;
  Linear output_;
};
