#include "execute/reference/interpreter.h"

#include <algorithm>

#include "support/check.h"

namespace cavs::reference {
namespace {

/// Adds a row of a value to a sum. An empty sum is zero.
void add_row(const ReferenceTensor& x, std::int64_t row, std::vector<double>& sum) {
  sum.resize(static_cast<std::size_t>(x.width));
  for (std::int64_t c = 0; c < x.width; ++c) sum[c] += broadcast_at(x, row, c);
}

std::vector<double> first_row(const ReferenceTensor& x) {
  std::vector<double> row;
  add_row(x, 0, row);
  return row;
}

}  // namespace

Interpreter::Interpreter(std::span<const Function> functions, const Parameters& parameters, const Minibatch& minibatch,
                         const Settings& settings)
    : graph_(minibatch, functions, settings.pulls),
      settings_(settings),
      infos_(parameters.list()),
      table_rows_(static_cast<std::size_t>(parameters.size())) {
  for (int p = 0; p < parameters.size(); ++p)
    parameters_.emplace_back(parameters.values(p).begin(), parameters.values(p).end());
}

int Interpreter::parameter_number(const std::string& name) const {
  const auto it = std::ranges::find(*infos_, name, &ParameterInfo::name);
  CAVS_ASSERT(it != infos_->end());
  return static_cast<int>(it - infos_->begin());
}

void Interpreter::forward(double loss_gradient) {
  loss_gradient_ = loss_gradient;
  loss_sum_ = 0;
  vertices_.assign(graph_.vertices(), {});
  for (const std::int32_t v : graph_.children_first()) {
    const Function& f = graph_.function(v);
    vertices_[v].values.resize(f.nodes.size());
    for (ValueId id = 0; id < f.forward; ++id) evaluate(v, id);
  }
}

void Interpreter::backward(Gradients& gradients, std::span<const Run::PushGradient> pushes) {
  push_gradients_ = pushes;
  for (VertexValues& vertex : vertices_) {  // clears values of an earlier call
    vertex.state_gradients.clear();
    vertex.pull_gradients.clear();
  }
  gradients_.clear();
  for (const Row& values : parameters_) gradients_.emplace_back(values.size(), 0.0);
  for (std::set<std::int32_t>& rows : table_rows_) rows.clear();
  const auto& order = graph_.children_first();
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    const Function& f = graph_.function(*v);
    for (ValueId id = f.forward; id < std::ssize(f.nodes); ++id) evaluate(*v, id);
  }
  hand_out(gradients);
}

void Interpreter::hand_out(Gradients& gradients) const {
  for (std::size_t p = 0; p < gradients_.size(); ++p) {
    std::ranges::copy(gradients_[p], gradients.values(p).begin());
    gradients.table_rows[p].assign(table_rows_[p].begin(), table_rows_[p].end());
  }
}

void Interpreter::evaluate(std::int32_t vertex, ValueId id) {
  const Function& f = graph_.function(vertex);
  const Node& node = f.nodes[id];
  if (node.op->kind == OpKind::kSink) return store(vertex, node);
  const auto& values = vertices_[vertex].values;
  const bool by_edge = node.domain.kind == DomainKind::kEdge;
  ReferenceTensor y{by_edge ? std::ssize(graph_.edges(vertex)) : 1, node.shape.size(), {}};
  y.data.assign(static_cast<std::size_t>(y.rows * y.width), 0.0);
  if (node.op->kind == OpKind::kSource) {
    load(vertex, node, y);
  } else {
    const std::vector<std::int32_t> edges = by_edge ? graph_.edges(vertex) : std::vector<std::int32_t>();
    const auto dropped = [&](std::int64_t row, std::int64_t column) {
      const auto& dropout = node.get<attr::Dropout>();
      MaskKey key = by_edge ? graph_.edge_mask_key(vertex, edges[row], dropout) : graph_.mask_key(vertex, dropout);
      key.seed = settings_.seed;
      key.epoch = settings_.epoch;
      return is_dropped(key, column, dropout.probability);
    };
    compute({f, node, values, settings_.rounding, dropped}, y);
  }
  vertices_[vertex].values[id] = std::move(y);
}

/// Returns the vertices whose states a node gathers; -1 for an empty slot.
std::vector<std::int32_t> Interpreter::children(std::int32_t vertex, const attr::Children& which) const {
  if (!which.all) return {graph_.child(vertex, which.slot)};
  std::vector<std::int32_t> all;
  for (const std::int32_t edge : graph_.edges(vertex)) all.push_back(graph_.child(vertex, edge));
  return all;
}

/// Sets `y` to the value of a source, or to zeros if the value is absent.
void Interpreter::load(std::int32_t vertex, const Node& node, ReferenceTensor& y) const {
  const std::string& name = node.attribute_name();
  const auto copy = [&](const auto& row) { std::ranges::copy(row, y.data.begin()); };
  const auto fill = [&](double number) { std::ranges::fill(y.data, number); };
  switch (node.op->id) {
    case OpId::kParameter:
      return copy(parameters_[parameter_number(name)]);
    case OpId::kConstant:
      return fill(node.get<attr::Constant>().number);
    case OpId::kLossGradient:
      return fill(loss_gradient_);
    case OpId::kPull:
      return copy(graph_.row(vertex, name, y.width));
    case OpId::kPullIndex:
      return fill(graph_.index(vertex, name));
    case OpId::kPullEdges:
    case OpId::kPullEdgeIndex:
      return pull_edges(vertex, node, y);
    case OpId::kLookup:
      return look_up(vertex, node, y);
    case OpId::kGather:
    case OpId::kChildren:
      return gather(vertex, node, y);
    case OpId::kGatherGradient:
      if (const auto& sums = vertices_[vertex].state_gradients; sums.contains(name)) copy(sums.at(name));
      return;
    case OpId::kPushGradient:
      for (const Run::PushGradient& push : push_gradients_)
        if (push.port == name) copy(push.values.subspan(vertex * y.width, y.width));
      return;
    default:
      CAVS_ASSERT(false);
  }
}

void Interpreter::gather(std::int32_t vertex, const Node& node, ReferenceTensor& y) const {
  auto to = y.data.begin();
  for (const std::int32_t child : children(vertex, node.get<attr::Children>())) {
    if (child >= 0) std::ranges::copy(vertices_[child].states.at(node.attribute_name()), to);
    to += y.width;
  }
}

void Interpreter::look_up(std::int32_t vertex, const Node& node, ReferenceTensor& y) const {
  const ReferenceTensor& index = vertices_[vertex].values[node.in[0]];
  const Row& table = parameters_[parameter_number(node.attribute_name())];
  for (std::int64_t r = 0; r < y.rows; ++r)
    if (const auto row = static_cast<std::int64_t>(index.data[r]); row >= 0)
      std::copy_n(table.begin() + row * y.width, y.width, y.data.begin() + r * y.width);
}

void Interpreter::pull_edges(std::int32_t vertex, const Node& node, ReferenceTensor& y) const {
  const std::string& port = node.attribute_name();
  std::int64_t row = 0;
  for (const std::int32_t edge : graph_.edges(vertex)) {
    if (node.is(OpId::kPullEdges))
      std::ranges::copy(graph_.edge_row(vertex, edge, port, y.width), y.data.begin() + row * y.width);
    else
      y.at(row, 0) = graph_.edge_index(vertex, edge, port);
    ++row;
  }
}

/// Stores the value of a sink.
void Interpreter::store(std::int32_t vertex, const Node& node) {
  const std::string& name = node.attribute_name();
  VertexValues& here = vertices_[vertex];
  const ReferenceTensor& x = here.values[node.in.back()];
  switch (node.op->id) {
    case OpId::kScatter:
      here.states[name] = first_row(x);
      return;
    case OpId::kPush:
      here.pushes[name] = first_row(x);
      return;
    case OpId::kPullGradient:
      return add_row(x, 0, here.pull_gradients[name]);
    case OpId::kLoss:
      loss_sum_ += broadcast_at(x, 0, 0);
      return;
    case OpId::kScatterGradient:
      return scatter_gradient(vertex, node);
    case OpId::kLookupGradient:
      return add_table_rows(vertex, node);
    case OpId::kAccumulate: {
      Row& gradient = gradients_[parameter_number(name)];
      for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += broadcast_at(x, 0, static_cast<std::int64_t>(i));
      return;
    }
    default:
      CAVS_ASSERT(false);
  }
}

void Interpreter::scatter_gradient(std::int32_t vertex, const Node& node) {
  const ReferenceTensor& x = vertices_[vertex].values[node.in[0]];
  std::int64_t row = 0;
  for (const std::int32_t child : children(vertex, node.get<attr::Children>())) {
    if (child >= 0) add_row(x, row, vertices_[child].state_gradients[node.attribute_name()]);
    ++row;
  }
}

void Interpreter::add_table_rows(std::int32_t vertex, const Node& node) {
  const ReferenceTensor& index = vertices_[vertex].values[node.in[0]];
  const ReferenceTensor& x = vertices_[vertex].values[node.in[1]];
  const int p = parameter_number(node.attribute_name());
  for (std::int64_t r = 0; r < index.rows; ++r) {
    const auto row = static_cast<std::int32_t>(index.data[r]);
    if (row < 0) continue;
    table_rows_[p].insert(row);
    for (std::int64_t c = 0; c < x.width; ++c) gradients_[p][row * x.width + c] += broadcast_at(x, r, c);
  }
}

const std::vector<double>* Interpreter::row(PortKind kind, const std::string& port, std::int32_t vertex) const {
  const VertexValues& here = vertices_[vertex];
  const auto& rows = kind == PortKind::kPush    ? here.pushes
                     : kind == PortKind::kState ? here.states
                                                : here.pull_gradients;
  const auto it = rows.find(port);
  return it == rows.end() ? nullptr : &it->second;
}

}  // namespace cavs::reference
