#include "declare/operator_json.h"

#include <algorithm>

#include "support/check.h"
#include "support/json_check.h"

namespace cavs::inline v0_1 {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const ScalarProgram& program) {
  Json json = Json::array();
  std::vector<std::size_t> holds(program.registers);  // [registers]: number of the instruction that wrote it last
  for (const ScalarInstruction& i : program.code) {
    Json item{kScalarOpNames[static_cast<std::size_t>(i.op)]};
    if (i.op == ScalarOp::kInput) item.push_back(i.a);
    if (i.op == ScalarOp::kConstant) item.push_back(i.value);
    if (operands(i.op) > 0) item.push_back(holds[i.a]);
    if (operands(i.op) > 1) item.push_back(holds[i.b]);
    holds[i.dst] = json.size();
    json.push_back(std::move(item));
  }
  return json;
}

Scalar instruction_from(const nlohmann::json& item, std::span<const Scalar> inputs, std::span<const Scalar> results,
                        ScalarBuilder& builder) {
  const auto name = item.at(0).get<std::string>();
  const auto* it = std::ranges::find(kScalarOpNames, name);
  user_check(it != kScalarOpNames.end(), "unknown scalar operation '{}'", name);
  const auto op = static_cast<ScalarOp>(it - kScalarOpNames.begin());
  if (op == ScalarOp::kConstant) return builder.constant(item.at(1).get<double>());
  const auto read = [&](std::size_t k, std::span<const Scalar> values) {
    return values[json_integer(item.at(k), 0, std::ssize(values) - 1, fmt::format("what '{}' reads", name))];
  };
  if (op == ScalarOp::kInput) return read(1, inputs);
  return builder.emit(op, read(1, results), operands(op) > 1 ? read(2, results) : Scalar());
}

ScalarProgram program_from(const nlohmann::json& json, int inputs) {
  ScalarBuilder builder;
  std::vector<Scalar> x, results;
  for (int i = 0; i < inputs; ++i) x.push_back(builder.input());
  for (const auto& item : json) results.push_back(instruction_from(item, x, results, builder));
  user_check(!results.empty(), "an expression has no instructions");
  return builder.finish({&results.back(), 1});
}

}  // namespace

Json operator_to_json(const DefinedOperator& op) {
  Json json{{"name", op.name}, {"doc", op.doc}, {"inputs", op.inputs()}, {"expression", to_json(op.expression)}};
  json["gradients"] = Json::array();
  for (const DefinedOperator::Gradient& gradient : op.gradients) json["gradients"].push_back(to_json(gradient.program));
  return json;
}

std::shared_ptr<const DefinedOperator> operator_from(const nlohmann::json& json) {
  const auto name = json.at("name").get<std::string>();
  const auto inputs = static_cast<int>(json_integer(json.at("inputs"), 1, kMaxOperatorInputs, "inputs"));
  user_check(std::cmp_equal(json.at("gradients").size(), inputs),
             "operator '{}' has {} inputs and {} gradients; expected one for each", name, inputs,
             json.at("gradients").size());
  std::vector<ScalarProgram> gradients;
  for (const auto& gradient : json.at("gradients")) gradients.push_back(program_from(gradient, inputs + 2));
  return define_operator(name, json.value("doc", std::string()), program_from(json.at("expression"), inputs),
                         std::move(gradients));
}

}  // namespace cavs::inline v0_1
