#include "cavs/model.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/presence.h"
#include "ops/defined_operator.h"
#include "support/check.h"
#include "support/suggest.h"
#include "tensor/check_parameters.h"

namespace cavs::inline v0_1 {

Value Value::named(const std::string& name) const {
  builder_of("named", *this).function().nodes[id_].name = name;
  return *this;
}

std::optional<Shape> Value::shape() const {
  const Node& node = builder_of("shape", *this).function().nodes[id_];
  return node.shape_known ? std::optional(node.shape) : std::nullopt;
}

std::string Value::describe() const { return cavs::describe(builder_of("describe", *this).function(), id_); }

Value Lookup::operator()(const IndexValue& index) const {
  return apply_op("lookup", {index.value()}, attr::Tensor{name, shape});
}

namespace {

void check_name(const char* what, const std::string& name, const std::string& function) {
  user_check(!name.empty(), "[{}] the name is empty, in vertex function '{}'", what, function);
}

}  // namespace

Value Vertex::gather(int k, const std::string& state) {
  check_name("gather", state, builder_.function().name);
  user_check(k >= 0, "[gather] child {} is negative, in vertex function '{}'; children count from 0", k,
             builder_.function().name);
  return builder_.apply(OpId::kGather, {}, attr::Children{.name = state, .slot = k});
}

Value Vertex::children(const std::string& state, int first) {
  const Function& f = builder_.function();
  check_name("children", state, f.name);
  check_first_edge(f, first);
  return builder_.apply(OpId::kChildren, {}, attr::Children{.name = state, .slot = first, .all = true});
}

void Vertex::scatter(const std::string& state, const Value& x) {
  check_name("scatter", state, builder_.function().name);
  for (const Node& node : builder_.function().nodes)
    user_check(!node.is(OpId::kScatter) || node.attribute_name() != state,
               "[scatter] state '{}' is set twice, in vertex function '{}'; a state has one value", state,
               builder_.function().name);
  builder_.apply(OpId::kScatter, {x}, attr::Named{state});
}

Value Vertex::pull(const std::string& port, int width) {
  check_name("pull", port, builder_.function().name);
  user_check(width > 0, "[pull] port '{}' has width {}; expected at least 1, in vertex function '{}'", port, width,
             builder_.function().name);
  return builder_.apply(OpId::kPull, {}, attr::Tensor{port, {width}});
}

IndexValue Vertex::pull_index(const std::string& port) {
  check_name("pull_index", port, builder_.function().name);
  return IndexValue(builder_.apply(OpId::kPullIndex, {}, attr::IndexPort{port}));
}

Value Vertex::pull_edges(const std::string& port, int width, int first) {
  const Function& f = builder_.function();
  check_name("pull_edges", port, f.name);
  user_check(width > 0, "[pull_edges] port '{}' has width {}; expected at least 1, in vertex function '{}'", port,
             width, f.name);
  check_first_edge(f, first);
  return builder_.apply(OpId::kPullEdges, {}, attr::EdgePort{port, first, {width}});
}

IndexValue Vertex::pull_edge_index(const std::string& port, int first) {
  const Function& f = builder_.function();
  check_name("pull_edge_index", port, f.name);
  check_first_edge(f, first);
  return IndexValue(builder_.apply(OpId::kPullEdgeIndex, {}, attr::EdgePort{port, first}));
}

Value Vertex::pull_all(const std::string& port, int width) {
  check_name("pull_all", port, builder_.function().name);
  user_check(width > 0, "[pull_all] port '{}' has width {}; expected at least 1, in vertex function '{}'", port, width,
             builder_.function().name);
  return builder_.apply(OpId::kPullAll, {}, attr::Tensor{port, {width}});
}

void Vertex::push(const std::string& port, const Value& x) {
  check_name("push", port, builder_.function().name);
  for (const Node& node : builder_.function().nodes)
    user_check(!node.is(OpId::kPush) || node.attribute_name() != port,
               "[push] port '{}' is set twice, in vertex function '{}'; a port has one value", port,
               builder_.function().name);
  builder_.apply(OpId::kPush, {x}, attr::Named{port});
}

void Vertex::loss(const Value& x) { builder_.apply(OpId::kLoss, {x}); }

Value Vertex::where_present(const std::string& port, const Value& x) {
  check_name("where_present", port, builder_.function().name);
  return cavs::where_present(x, {{port}});
}

Value Vertex::where_edge_present(const std::string& port, const Value& x, int first) {
  check_name("where_edge_present", port, builder_.function().name);
  check_first_edge(builder_.function(), first);
  return cavs::where_present(x, {{port, first}});
}

Value Vertex::sink_input(OpId op, const std::string& name) {
  const Function& f = builder_.function();
  std::vector<std::string_view> known;
  for (const Node& node : f.nodes) {
    if (!node.is(op)) continue;
    if (node.attribute_name() == name) return {&builder_, node.in[0]};
    known.push_back(node.attribute_name());
  }
  user_error("[{}] vertex function '{}' has no '{}' yet; {}", find_op(op).name, f.name, name, suggest(name, known));
}

Value Vertex::scattered(const std::string& state) { return sink_input(OpId::kScatter, state); }

Value Vertex::pushed(const std::string& port) { return sink_input(OpId::kPush, port); }

Value Vertex::operator()(const Parameter& p) { return builder_.parameter(p); }

Value Vertex::constant(double number) { return builder_.apply(OpId::kConstant, {}, attr::Constant{.number = number}); }

Model::Model(ModelOptions options) : options_(options), functions_(std::make_shared<std::vector<Function>>()) {}

namespace {

/// Returns the parameter of this name in `infos`, after adding it if new. @throws UserError if the declarations differ.
const ParameterInfo& declare(std::vector<ParameterInfo>& infos, ParameterInfo info) {
  user_check(!info.name.empty(), "[parameter] the name is empty; expected a name, to find it in checkpoints");
  std::int64_t size = 1;
  for (auto d : info.shape.dims) {
    user_check(d > 0, "[parameter] '{}' has shape {}; every dimension must be at least 1", info.name,
               to_string(info.shape));
    size *= d;
    user_check(size <= kMaxNumbers, "[parameter] '{}' of shape {} has more than {} numbers", info.name,
               to_string(info.shape), kMaxNumbers);
  }
  for (const ParameterInfo& known : infos) {
    if (known.name != info.name) continue;
    user_check(known.shape == info.shape && known.table == info.table,
               "[parameter] '{}' is declared as {} {} and as {} {}; use another name, or {}", info.name,
               known.table ? "table" : "parameter", to_string(known.shape), info.table ? "table" : "parameter",
               to_string(info.shape),
               known.table == info.table ? "the same shape to share it"
                                         : "a TiedEmbedding (cavs/layers.h) for a table that is also a weight");
    return known;
  }
  infos.push_back(std::move(info));
  return infos.back();
}

}  // namespace

Parameter Model::parameter(const std::string& name, Shape shape, Initializer init) {
  const ParameterInfo& info = declare(parameters_, {name, std::move(shape), false, init});
  return {info.name, info.shape};
}

Lookup Model::lookup(const std::string& name, Shape shape, Initializer init) {
  user_check(shape.dims.size() == 2, "[lookup] table '{}' has shape {}; expected [rows, d]", name, to_string(shape));
  const ParameterInfo& info = declare(parameters_, {name, std::move(shape), true, init});
  return {info.name, info.shape};
}

void Model::vertex_function(const std::string& type, const std::function<void(Vertex&)>& declare_function,
                            const FunctionOptions& options) {
  user_check(!type.empty(), "[vertex_function] the name of the vertex type is empty");
  for (const Function& f : *functions_)
    user_check(f.name != type, "[vertex_function] type '{}' already has a vertex function", type);
  std::vector<Function> all = *functions_;
  all.push_back({.name = type, .nodes = {}, .forward = 0, .over = options.over, .reverse = options.reverse});
  const std::size_t last = all.size() - 1;
  append_nodes(std::move(all), last, declare_function);
}

void Model::extend(const std::string& type, const std::function<void(Vertex&)>& declare_more) {
  const std::vector<std::string> known = types();
  const auto at = std::find(known.begin(), known.end(), type);
  user_check(at != known.end(), "[extend] type '{}' has no vertex function; {}", type, suggest(type, known));
  append_nodes(*functions_, static_cast<std::size_t>(at - known.begin()), declare_more);
}

/// Appends the nodes that `declare` makes to all[at], and makes `all` the model's functions unless anything is thrown.
void Model::append_nodes(std::vector<Function> all, std::size_t at, const std::function<void(Vertex&)>& declare) {
  const auto parameters = parameters_;
  FunctionBuilder& builder = *builders_.emplace_back(std::make_shared<FunctionBuilder>(all[at]));
  try {
    Vertex vertex(builder);
    declare(vertex);
    builder.close();
    all[at].forward = static_cast<std::int32_t>(all[at].nodes.size());
    check_edge_pulls(all[at]);
    check_parameters(all[at], parameters_);
    resolve_states(all, false);
    defined_operators(all);  // checks that names are unambiguous
  } catch (...) {
    builder.close();
    parameters_ = parameters;
    throw;
  }
  functions_ = std::make_shared<std::vector<Function>>(std::move(all));
}

void Model::connect(const FunctionPort& from, const FunctionPort& to, const RowMap& rows) {
  connections_.push_back({from, to, rows});
}

bool Model::is_network() const {
  return !connections_.empty() || std::any_of(functions_->begin(), functions_->end(),
                                              [](const Function& f) { return f.reverse || !f.over.empty(); });
}

std::vector<FunctionInfo> Model::function_infos() const {
  std::vector<FunctionInfo> infos;
  for (const Function& f : *functions_) {
    FunctionInfo& info = infos.emplace_back(FunctionInfo{.name = f.name, .over = types_over(f)});
    const auto add = [](std::vector<std::string>& names, const std::string& name) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const Node& node : f.nodes) {
      if (node.is(OpId::kPush)) add(info.pushes, node.attribute_name());
      if (node.is(OpId::kScatter)) add(info.states, node.attribute_name());
      info.has_dropout |= node.is(OpId::kDropoutMask);
    }
  }
  return infos;
}

std::vector<std::string> Model::types() const {
  std::vector<std::string> names;
  for (const Function& f : *functions_) names.push_back(f.name);
  return names;
}

std::shared_ptr<Parameters> Model::make_parameters() const {
  return std::make_shared<Parameters>(parameters_, options_.seed);
}

}  // namespace cavs::inline v0_1
