#include "execute/reference/interpreter.h"

#include <algorithm>

#include "backend/cpu/bf16.h"
#include "backend/cpu/kernels.h"
#include "compile/domains.h"
#include "ir/scalar_eval.h"
#include "support/check.h"

namespace cavs {

Interpreter::Interpreter(const Program& program, const Parameters& parameters, const Minibatch& minibatch,
                         std::uint64_t seed, std::uint32_t epoch, Rounding rounding)
    : program_(program), minibatch_(minibatch), seed_(seed), epoch_(epoch), rounding_(rounding) {
  for (int p = 0; p < parameters.size(); ++p)
    parameters_.emplace_back(parameters.values(p).begin(), parameters.values(p).end());
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(minibatch.samples.size()); ++k)
    for (std::int32_t v = minibatch.vertex_begin[k]; v < minibatch.vertex_begin[k + 1]; ++v)
      source_.push_back(minibatch.source(k, v));
  const auto& levels = minibatch.bound->graphs().levels();
  order_.resize(minibatch.vertices());
  for (std::int32_t v = 0; v < minibatch.vertices(); ++v) order_[v] = v;
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::int32_t a, std::int32_t b) { return levels[source_[a]] < levels[source_[b]]; });
}

int Interpreter::parameter_number(const std::string& name) const {
  int p = 0;
  while (program_.parameters[p].name != name) ++p;
  return p;
}

/// Child slots of the minibatch.
std::vector<std::int32_t> Interpreter::edges_of(std::int32_t vertex) const {
  std::vector<std::int32_t> edges;
  const std::int32_t first = program_.types[minibatch_.types[vertex]].first_edge_slot;
  for (std::int32_t k = minibatch_.child_begin[vertex] + first; k < minibatch_.child_begin[vertex + 1]; ++k)
    if (minibatch_.children[k] >= 0) edges.push_back(k);
  return edges;
}

std::vector<std::int32_t> Interpreter::children_of(std::int32_t vertex) const {
  std::vector<std::int32_t> children;
  for (const std::int32_t edge : edges_of(vertex)) children.push_back(minibatch_.children[edge]);
  return children;
}

/// The vertex in a child slot, -1.
std::int32_t Interpreter::child_in(std::int32_t vertex, std::int32_t slot) const {
  const std::int32_t k = minibatch_.child_begin[vertex] + slot;
  return k < minibatch_.child_begin[vertex + 1] ? minibatch_.children[k] : -1;
}

/// The data set's child slot.
std::int64_t Interpreter::slot_of(std::int32_t vertex, std::int32_t edge) const {
  return minibatch_.bound->graphs().child_begin()[source_[vertex]] + (edge - minibatch_.child_begin[vertex]);
}

std::int32_t Interpreter::index_of(std::int32_t vertex, const std::string& port) const {
  return minibatch_.bound->index_port(port)[source_[vertex]];
}

std::int64_t Interpreter::rows_of(std::int32_t vertex, const Domain& domain) const {
  if (domain.kind == DomainKind::kEdge) return static_cast<std::int64_t>(edges_of(vertex).size());
  if (is_partial(domain)) return index_of(vertex, domain.port) >= 0 ? 1 : 0;
  return 1;
}

void Interpreter::forward(double loss_gradient) {
  loss_gradient_ = loss_gradient;
  vertices_.assign(minibatch_.vertices(), {});
  loss_sum_ = 0;
  for (std::int32_t v : order_) {
    vertices_[v].values.resize(function(v).nodes.size());
    for (ValueId id = 0; id < function(v).forward; ++id) evaluate(v, id);
  }
}

void Interpreter::backward(Gradients& gradients, std::span<const Run::PushGradient> pushes) {
  push_gradients_ = pushes;
  for (VertexValues& vertex : vertices_) vertex.state_gradients.clear(), vertex.pulls.clear();  // of an earlier call
  gradients_.clear();
  for (const auto& values : parameters_) gradients_.emplace_back(values.size(), 0.0);
  for (auto v = order_.rbegin(); v != order_.rend(); ++v)
    for (ValueId id = function(*v).forward; id < static_cast<ValueId>(function(*v).nodes.size()); ++id)
      evaluate(*v, id);
  for (std::size_t p = 0; p < gradients_.size(); ++p) {
    std::copy(gradients_[p].begin(), gradients_[p].end(), gradients.values[p].begin());
    if (!program_.parameters[p].table) continue;
    const std::int64_t width = program_.parameters[p].shape.dims[1];
    gradients.table_rows[p].clear();
    for (std::int32_t row = 0; row < program_.parameters[p].shape.dims[0]; ++row)
      if (std::any_of(gradients_[p].begin() + row * width, gradients_[p].begin() + (row + 1) * width,
                      [](double x) { return x != 0; }))
        gradients.table_rows[p].push_back(row);
  }
}

void Interpreter::evaluate(std::int32_t vertex, ValueId id) {
  const Node& node = function(vertex).nodes[id];
  if (node.op->kind == OpKind::kSink) return sink(vertex, node);
  ReferenceTensor& y = vertices_[vertex].values[id];
  y.rows = rows_of(vertex, node.domain);
  y.width = node.shape.size();
  y.data.assign(static_cast<std::size_t>(y.rows * y.width), 0.0);
  if (node.op->kind == OpKind::kSource)
    source(vertex, node, y);
  else
    compute(vertex, id, y);
}

void Interpreter::source(std::int32_t vertex, const Node& node, ReferenceTensor& y) {
  const OpId op = node.op->id;
  const std::string& name = node.attribute_name();
  if (op == OpId::kParameter) {
    y.data = parameters_[parameter_number(name)];
  } else if (op == OpId::kConstant) {
    std::fill(y.data.begin(), y.data.end(), node.get<attr::Constant>().number);
  } else if (op == OpId::kLossGradient) {
    y.data[0] = loss_gradient_;
  } else if (op == OpId::kPullIndex) {
    for (double& x : y.data) x = index_of(vertex, name);
  } else if (op == OpId::kLookup) {
    const ReferenceTensor& index = vertices_[vertex].values[node.in[0]];
    const auto& table = parameters_[parameter_number(name)];
    for (std::int64_t r = 0; r < y.rows; ++r)
      if (const auto row = static_cast<std::int64_t>(index.data[r]); row >= 0)
        std::copy_n(table.begin() + row * y.width, y.width, y.data.begin() + r * y.width);
  } else if (op == OpId::kPull) {
    std::int32_t port = 0;
    while (program_.float_ports[port].name != name) ++port;
    const auto present = minibatch_.bound->float_present(port);
    const std::int64_t row = minibatch_.bound->is_run_port(name) ? vertex : source_[vertex];
    if (present.empty() || present[row] != 0)
      std::copy_n(minibatch_.float_port(port) + row * y.width, y.width, y.data.begin());
  } else if (is_edge_pull(node)) {
    pull_edges(vertex, node, y);
  } else if (op == OpId::kGather || op == OpId::kChildren) {
    gather_children(vertex, node, y);
  } else if (op == OpId::kGatherGradient) {
    const auto& sums = vertices_[vertex].state_gradients;
    if (const auto it = sums.find(name); it != sums.end()) y.data = it->second;
  } else {
    CAVS_ASSERT(op == OpId::kPushGradient);
    for (const Run::PushGradient& push : push_gradients_)
      if (push.port == name) std::copy_n(push.values.begin() + vertex * y.width, y.width, y.data.begin());
  }
}

void Interpreter::pull_edges(std::int32_t vertex, const Node& node, ReferenceTensor& y) {
  const std::string& name = node.attribute_name();
  const float* numbers = nullptr;
  if (node.is(OpId::kPullEdges))
    for (std::size_t p = 0; p < program_.float_ports.size(); ++p)
      if (program_.float_ports[p].name == name) numbers = minibatch_.bound->float_port(static_cast<std::int32_t>(p));
  std::int64_t row = 0;
  for (const std::int32_t edge : edges_of(vertex)) {
    const std::int64_t slot = slot_of(vertex, edge);
    if (numbers != nullptr)
      std::copy_n(numbers + slot * y.width, y.width, y.data.begin() + row * y.width);
    else
      y.at(row, 0) = minibatch_.bound->edge_index_port(name)[slot];
    ++row;
  }
}

void Interpreter::gather_children(std::int32_t vertex, const Node& node, ReferenceTensor& y) {
  const auto copy = [&](std::int32_t child, std::int64_t row) {
    const ReferenceTensor& state = vertices_[child].states.at(node.attribute_name());
    std::copy(state.data.begin(), state.data.end(), y.data.begin() + row * y.width);
  };
  if (node.is(OpId::kChildren)) {
    std::int64_t row = 0;
    for (std::int32_t child : children_of(vertex)) copy(child, row++);
    return;
  }
  if (const std::int32_t child = child_in(vertex, node.get<attr::Children>().slot); child >= 0) copy(child, 0);
}

namespace {

/// Element (row, column) of an input read in another domain or shape: one row or one number stands for all.
double broadcast_at(const ReferenceTensor& x, std::int64_t row, std::int64_t column) {
  if (x.rows == 0) return 0;  // absent: what is linear in it is zero
  return x.at(x.rows == 1 ? 0 : row, x.width == 1 ? 0 : column);
}

}  // namespace

namespace {

bool is_factor(const Node& node, std::size_t input) {
  return node.op->kind == OpKind::kMatmul || node.is(OpId::kWeightGradient) ||
         (node.op->kind == OpKind::kLinearLoss && input < 2);
}

}  // namespace

void Interpreter::compute(std::int32_t vertex, ValueId id, ReferenceTensor& y) {
  const Function& f = function(vertex);
  const Node& node = f.nodes[id];
  auto& values = vertices_[vertex].values;
  const OpId op = node.op->id;
  if (node.op->kind == OpKind::kElementwise) {
    const ScalarProgram program = expression_program(*node.op, node.attributes);
    std::vector<double> x(node.in.size());
    for (std::int64_t r = 0; r < y.rows; ++r)
      for (std::int64_t c = 0; c < y.width; ++c) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = broadcast_at(values[node.in[i]], r, c);
        cavs::evaluate(program, x, {&y.at(r, c), 1});
      }
  } else if (node.op->kind == OpKind::kView || node.op->kind == OpKind::kConcat) {
    std::int64_t begin = 0;
    if (op == OpId::kSlice) begin = node.get<attr::Columns>().begin;
    if (op == OpId::kPart) begin = node.get<attr::Part>().index * y.width;
    for (std::int64_t r = 0; r < y.rows; ++r) {
      std::int64_t c = 0;
      for (ValueId input : node.in)
        for (std::int64_t k = 0; k < values[input].width && c < y.width; ++k)
          y.at(r, c++) = broadcast_at(values[input], r, values[input].width == 1 ? 0 : begin + k);
    }
  } else {
    // Inputs are broadcast to the rows of the widest domain among them, so that the definitions need not.
    std::int64_t rows = node.op->runs_over == DomainKind::kVertex ? 1 : y.rows;
    if (node.domain.kind == DomainKind::kParameter) {  // a sum over rows
      rows = 1;
      for (ValueId input : node.in)
        if (f.nodes[input].domain.kind != DomainKind::kParameter) rows = values[input].rows;
    }
    const bool by_child = node.op->reads_children;
    std::vector<ReferenceTensor> broadcast(node.in.size());
    Reference reference{{}, y, node.attributes};
    for (std::size_t i = 0; i < node.in.size(); ++i) {
      const ReferenceTensor& x = values[node.in[i]];
      const bool as_is = (by_child && i == 0) || (node.op->kind == OpKind::kMatmul && i % 2 == 1) || x.rows == rows;
      if (!as_is) {
        broadcast[i] = {rows, x.width, std::vector<double>(static_cast<std::size_t>(rows * x.width))};
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t c = 0; c < x.width; ++c) broadcast[i].at(r, c) = broadcast_at(x, r, c);
      }
      if (rounding_ == Rounding::kBf16 && is_factor(node, i)) {
        if (as_is) broadcast[i] = x;
        for (double& number : broadcast[i].data) number = cpu::from_bf16(cpu::to_bf16(static_cast<float>(number)));
        reference.x.push_back(&broadcast[i]);
        continue;
      }
      reference.x.push_back(as_is ? &x : &broadcast[i]);
    }
    reference.random = [&](std::int64_t column) {
      const auto& dropout = node.get<attr::Dropout>();
      const std::int32_t k = minibatch_.position_of(vertex);
      const auto vertex_id = static_cast<std::uint32_t>(vertex - minibatch_.vertex_begin[k]);
      const auto sample = static_cast<std::uint32_t>(minibatch_.samples[k]);
      const cpu::RandomKey key{seed_, epoch_,
                               static_cast<std::uint32_t>(dropout.mask + (minibatch_.types[vertex] << 16)), &sample,
                               dropout.by_sample ? nullptr : &vertex_id};
      return cpu::dropout_factor(key, 0, static_cast<std::int32_t>(column), static_cast<float>(dropout.probability)) ==
                     0
                 ? 0.0
                 : 1.0;
    };
    node.op->reference(reference);
  }
}

void Interpreter::sink(std::int32_t vertex, const Node& node) {
  const OpId op = node.op->id;
  const std::string& name = node.attribute_name();
  VertexValues& here = vertices_[vertex];
  const ReferenceTensor& x = here.values[node.in.back()];
  const auto as_row = [&] {
    ReferenceTensor row{1, x.width, std::vector<double>(static_cast<std::size_t>(x.width))};
    for (std::int64_t c = 0; c < x.width; ++c) row.at(0, c) = broadcast_at(x, 0, c);
    return row;
  };
  if (op == OpId::kScatter) {
    here.states[name] = as_row();
  } else if (op == OpId::kPush) {
    here.pushes[name] = as_row();
  } else if (op == OpId::kPullGradient) {
    here.pulls[name] = as_row();
  } else if (op == OpId::kLoss) {
    const Function& f = function(vertex);
    const ValueId label = label_of(f, node.in[0]);
    if (label >= 0 && index_of(vertex, f.nodes[label].attribute_name()) < 0) return;
    loss_sum_ += broadcast_at(x, 0, 0);
  } else if (op == OpId::kScatterGradient) {
    scatter_gradient(vertex, node);
  } else if (op == OpId::kAccumulate) {
    auto& gradient = gradients_[parameter_number(name)];
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += broadcast_at(x, 0, static_cast<std::int64_t>(i));
  } else {
    CAVS_ASSERT(op == OpId::kLookupGradient);
    const ReferenceTensor& index = here.values[node.in[0]];
    auto& gradient = gradients_[parameter_number(name)];
    for (std::int64_t r = 0; r < index.rows; ++r)
      if (const auto row = static_cast<std::int64_t>(index.data[r]); row >= 0)
        for (std::int64_t c = 0; c < x.width; ++c) gradient[row * x.width + c] += broadcast_at(x, r, c);
  }
}

void Interpreter::scatter_gradient(std::int32_t vertex, const Node& node) {
  const ReferenceTensor& x = vertices_[vertex].values[node.in[0]];
  const auto add = [&](std::int32_t child, std::int64_t row) {
    auto& sum = vertices_[child].state_gradients[node.attribute_name()];
    sum.resize(static_cast<std::size_t>(x.width));
    for (std::int64_t c = 0; c < x.width; ++c) sum[c] += broadcast_at(x, row, c);
  };
  if (node.get<attr::Children>().all) {
    std::int64_t row = 0;
    for (std::int32_t child : children_of(vertex)) add(child, row++);
    return;
  }
  if (const std::int32_t child = child_in(vertex, node.get<attr::Children>().slot); child >= 0) add(child, 0);
}

void Interpreter::rows(PortKind kind, const std::string& port, std::span<float> values) const {
  const auto named = kind == PortKind::kPush    ? &VertexValues::pushes
                     : kind == PortKind::kState ? &VertexValues::states
                                                : &VertexValues::pulls;
  for (std::size_t v = 0; v < vertices_.size(); ++v)
    if (const auto it = (vertices_[v].*named).find(port); it != (vertices_[v].*named).end())
      std::copy(it->second.data.begin(), it->second.data.end(),
                values.begin() + static_cast<std::ptrdiff_t>(v) * it->second.width);
}

}  // namespace cavs
