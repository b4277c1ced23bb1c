#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "declare/operator_json.h"
#include "ir/attribute_fields.h"
#include "ir/builder.h"
#include "support/check.h"
#include "support/json_check.h"

namespace cavs::inline v0_1 {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 2;  // written as 1 if the model has neither networks nor user-defined operators

Json to_json(const AttributeFields& a) {
  Json json = Json::object();
  if (!a.name.empty()) json["name"] = a.name;
  if (a.index != 0) json["index"] = a.index;
  if (a.count != 0) json["count"] = a.count;
  if (a.number != 0) json["number"] = a.number;
  if (!a.shape.dims.empty()) json["shape"] = a.shape.dims;
  return json;
}

std::int32_t int_from(const nlohmann::json& json, const char* key) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(json_integer(json, Limits::min(), Limits::max(), key));
}

std::vector<std::int32_t> int_list_from(const nlohmann::json& list, const char* key) {
  user_check(list.is_array(), "{} is {}; expected a list of numbers", key, list.dump(-1, ' ', true));
  std::vector<std::int32_t> result;
  for (const auto& item : list) result.push_back(int_from(item, key));
  return result;
}

/// Returns the integer under `key`, or (the next function) the list of integers; 0 or an empty list if there is no key.
std::int32_t int_at(const nlohmann::json& json, const char* key) {
  return json.contains(key) ? int_from(json.at(key), key) : 0;
}
std::vector<std::int32_t> int_list_at(const nlohmann::json& json, const char* key) {
  return json.contains(key) ? int_list_from(json.at(key), key) : std::vector<std::int32_t>();
}

AttributeFields fields_from(const nlohmann::json& json) {
  return {.name = json.value("name", std::string()),
          .index = int_at(json, "index"),
          .count = int_at(json, "count"),
          .number = json.value("number", 0.0),
          .shape = Shape(int_list_at(json, "shape"))};
}

constexpr const char* kInitializers[] = {"zeros", "constant", "uniform", "normal", "xavier_uniform", "xavier_normal"};

Json to_json(const ParameterInfo& info) {
  return {{"name", info.name},
          {"shape", info.shape.dims},
          {"table", info.table},
          {"init", kInitializers[static_cast<int>(info.init.kind)]},
          {"scale", info.init.scale}};
}

Initializer initializer_from(const nlohmann::json& json) {
  const auto name = json.at("init").get<std::string>();
  const auto* it = std::find(std::begin(kInitializers), std::end(kInitializers), name);
  user_check(it != std::end(kInitializers), "unknown initializer '{}'", name);
  return {static_cast<Initializer::Kind>(it - std::begin(kInitializers)), json.at("scale").get<float>()};
}

Json to_json(const Function& f) {
  Json nodes = Json::array();
  for (const Node& node : f.nodes) {
    Json json{{"op", node.op->name}};
    if (!node.in.empty()) json["in"] = node.in;
    if (Json attributes = to_json(fields_of(node.attributes)); !attributes.empty())
      json["attributes"] = std::move(attributes);
    if (!node.name.empty()) json["value"] = node.name;
    nodes.push_back(std::move(json));
  }
  Json json{{"type", f.name}, {"nodes", std::move(nodes)}};
  if (!f.over.empty()) json["over"] = f.over;
  if (f.reverse) json["reverse"] = true;
  return json;
}

constexpr const char* kRowMaps[] = {"same", "root", "start", "all", "given"};

Json to_json(const Connection& c) {
  Json json{{"from", {c.from.function, c.from.port}},
            {"to", {c.to.function, c.to.port}},
            {"rows", kRowMaps[static_cast<int>(c.rows.kind)]}};
  if (!c.rows.port.empty()) json["index"] = c.rows.port;
  return json;
}

Connection connection_from(const nlohmann::json& json) {
  const auto port = [&](const char* end) {
    return FunctionPort{json.at(end).at(0).get<std::string>(), json.at(end).at(1).get<std::string>()};
  };
  const auto rows = json.at("rows").get<std::string>();
  const auto* it = std::find(std::begin(kRowMaps), std::end(kRowMaps), rows);
  user_check(it != std::end(kRowMaps), "a connection has unknown rows '{}'", rows);
  const RowMap map{static_cast<RowMap::Kind>(it - std::begin(kRowMaps)), json.value("index", std::string())};
  user_check((map.kind == RowMap::Kind::kPort) == !map.port.empty(), "a connection of rows '{}' names {} index port",
             rows, map.port.empty() ? "no" : "an");
  return {port("from"), port("to"), map};
}

/// Repeats the checks that Vertex makes when a function is declared.
void check_attributes(const Function& f, const OpDef& op, const AttributeFields& a) {
  constexpr std::int32_t kMaxChildren = 1'000'000;
  constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 31;
  const bool source = op.id == OpId::kGather || op.id == OpId::kChildren || op.id == OpId::kPull ||
                      op.id == OpId::kPullIndex || op.id == OpId::kPullAll || op.id == OpId::kPullEdges ||
                      op.id == OpId::kPullEdgeIndex;
  const bool output = op.id == OpId::kScatter || op.id == OpId::kPush;
  user_check(!(source || output) || !a.name.empty(), "[{}] the name is empty, in vertex function '{}'", op.name,
             f.name);
  user_check(op.id != OpId::kGather || (a.index >= 0 && a.index < kMaxChildren),
             "[gather] child {} is out of range, in vertex function '{}'; expected 0 to {}", a.index, f.name,
             kMaxChildren - 1);
  if (op.id == OpId::kChildren) {
    user_check(a.index < 0 && -1 - a.index < kMaxChildren,
               "[children] index is {}, in vertex function '{}'; expected -1 (all slots) to {}", a.index, f.name,
               -kMaxChildren);
    check_first_edge(f, -1 - a.index);
  }
  user_check(op.id != OpId::kPullIndex || a.index == 0, "[pull_index] index is {}, in vertex function '{}'; expected 0",
             a.index, f.name);
  if (op.id == OpId::kPullEdges || op.id == OpId::kPullEdgeIndex) {
    user_check(a.index >= 0 && a.index < kMaxChildren,
               "[{}] first slot {} is out of range, in vertex function '{}'; expected 0 to {}", op.name, a.index,
               f.name, kMaxChildren - 1);
    check_first_edge(f, a.index);
  }
  std::int64_t size = 1;
  for (std::int32_t d : a.shape.dims) {
    user_check(d > 0 && size <= kMaxNumbers / d,
               "[{}] shape {} is out of range, in vertex function '{}'; expected positive sizes, and fewer than 2^31 "
               "numbers",
               op.name, to_string(a.shape), f.name);
    size *= d;
  }
  if (!output) return;
  for (const Node& node : f.nodes)
    user_check(node.op != &op || node.attribute_name() != a.name, "[{}] '{}' is set twice, in vertex function '{}'",
               op.name, a.name, f.name);
}

using Operators = std::vector<std::shared_ptr<const DefinedOperator>>;

const OpDef& op_named(const std::string& name, const Operators& defined) {
  const auto it = std::ranges::find(defined, name, [](const auto& op) -> const std::string& { return op->name; });
  return it == defined.end() ? find_op(name) : (*it)->op;
}

Operators operators_from(const nlohmann::json& json) {
  Operators operators;
  for (const auto& item : json) {
    operators.push_back(operator_from(item));
    for (std::size_t i = 0; i + 1 < operators.size(); ++i)
      user_check(operators[i]->name != operators.back()->name, "operator '{}' is defined twice", operators[i]->name);
  }
  return operators;
}

Function function_from(const nlohmann::json& json, const std::vector<ParameterInfo>& parameters,
                       const Operators& operators) {
  Function f{.name = json.at("type").get<std::string>(),
             .nodes = {},
             .forward = 0,
             .over = json.value("over", std::vector<std::string>()),
             .reverse = json.value("reverse", false)};
  user_check(!f.name.empty(), "the name of a vertex type is empty");
  for (const auto& item : json.at("nodes")) {
    const OpDef& op = op_named(item.at("op").get<std::string>(), operators);
    user_check(op.in_public || op.id == OpId::kDropoutMask, "operator '{}' is made by autodiff and cannot be declared",
               op.name);
    user_check(!op.expand, "operator '{}' is composed of other operators and cannot be a node of a function", op.name);
    const auto in = int_list_at(item, "in");
    for (ValueId input : in) {
      user_check(input >= 0 && input < static_cast<ValueId>(f.nodes.size()),
                 "node {} of '{}' reads value {}; expected an earlier value", f.nodes.size(), f.name, input);
      user_check(f.nodes[input].op->kind != OpKind::kSink, "node {} of '{}' reads {}, which has no value",
                 f.nodes.size(), f.name, describe(f, input));
    }
    AttributeFields fields = item.contains("attributes") ? fields_from(item.at("attributes")) : AttributeFields{};
    if (op.id == OpId::kGather || op.id == OpId::kChildren)  // the shape is inferred again from the scatters
    {
      fields.count = 0;
      fields.shape = {};
    }
    check_attributes(f, op, fields);
    append(f, op, in, attributes_from(op, fields));
    f.nodes.back().name = item.value("value", std::string());
  }
  f.forward = static_cast<std::int32_t>(f.nodes.size());
  check_edge_pulls(f);
  check_parameters(f, parameters);
  return f;
}

/// Returns the functions with the shapes of scalar states, which only a complete model determines. If the model is
/// incomplete, returns the functions unchanged.
std::vector<Function> with_all_states(std::vector<Function> functions) {
  std::vector<Function> complete = functions;
  try {
    resolve_states(complete, true);
  } catch (const UserError&) {
    return functions;
  }
  return complete;
}

}  // namespace

std::string Model::to_json() const {
  const auto operators = defined_operators(*functions_);
  const int version = is_network() || !operators.empty() ? kVersion : 1;
  Json json{{"format", "cavs-model"}, {"version", version}, {"seed", options_.seed}};
  json["parameters"] = Json::array();
  for (const ParameterInfo& info : parameters_) json["parameters"].push_back(cavs::to_json(info));
  for (const auto& op : operators) json["operators"].push_back(operator_to_json(*op));
  json["functions"] = Json::array();
  for (const Function& f : with_all_states(*functions_)) json["functions"].push_back(cavs::to_json(f));
  for (const Connection& c : connections_) json["connections"].push_back(cavs::to_json(c));
  return json.dump();
}

Model Model::from_json(const std::string& text) {
  try {
    constexpr int kMaxNesting = 16;
    const nlohmann::json json = parse_json(text, kMaxNesting, "model");
    user_check(json.is_object(), "the model is not a JSON object, but {}; save it again with to_json()",
               json.type_name());
    user_check(json.value("format", std::string()) == "cavs-model", "the document is not a cavs model");
    const int version = int_from(json.at("version"), "version");
    user_check(version >= 1 && version <= kVersion,
               "the model has version {}, but this program reads versions 1 to {}{}", version, kVersion,
               version > kVersion ? "; use a newer cavs" : "");
    user_check(json.at("seed").is_number_unsigned(), "the model's seed is {}; expected a whole number from 0",
               json.at("seed").dump(-1, ' ', true));
    Model model({.seed = json.at("seed").get<std::uint64_t>()});
    for (const auto& item : json.at("parameters")) {
      const auto name = item.at("name").get<std::string>();
      const Shape shape(int_list_from(item.at("shape"), "shape"));
      if (item.at("table").get<bool>())
        model.lookup(name, shape, initializer_from(item));
      else
        model.parameter(name, shape, initializer_from(item));
    }
    const Operators operators = operators_from(json.value("operators", nlohmann::json::array()));
    auto functions = std::make_shared<std::vector<Function>>();
    for (const auto& item : json.at("functions")) {
      functions->push_back(function_from(item, model.parameters_, operators));
      for (std::size_t i = 0; i + 1 < functions->size(); ++i)
        user_check((*functions)[i].name != functions->back().name, "type '{}' has two vertex functions",
                   functions->back().name);
    }
    resolve_states(*functions, true);
    model.functions_ = functions;
    for (const auto& item : json.value("connections", nlohmann::json::array()))
      model.connections_.push_back(connection_from(item));
    return model;
  } catch (const nlohmann::json::exception& e) {
    user_error("the model is not valid JSON of a cavs model: {}; save it again with to_json()", e.what());
  } catch (const std::out_of_range& e) {
    user_error("the model has an attribute that does not fit its operator: {}", e.what());
  }
}

}  // namespace cavs::inline v0_1
