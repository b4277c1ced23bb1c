#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cavs/evaluator.h"
#include "cavs/inspect.h"
#include "cavs/models.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/validators.h"

namespace cavs::cli {
namespace {

/// Returns an operator's signature for people: "matmul(x, w)".
std::string signature(const inspect::OperatorInfo& op) {
  return fmt::format("{}({}{})", op.name, fmt::join(op.inputs, ", "), op.variadic ? ", ..." : "");
}

Json to_json(const inspect::OperatorInfo& op) {
  return {{"name", op.name}, {"inputs", op.inputs}, {"variadic", op.variadic}, {"doc", op.doc}};
}

struct OpsArguments {
  std::string name;
  bool json = false;
};

void list_ops(const OpsArguments& arguments) {
  std::vector<inspect::OperatorInfo> ops = inspect::operators();
  if (!arguments.name.empty())
    std::erase_if(ops, [&](const inspect::OperatorInfo& op) { return op.name != arguments.name; });
  if (arguments.json) {
    Json list = Json::array();
    for (const inspect::OperatorInfo& op : ops) list.push_back(to_json(op));
    return print_json(arguments.name.empty() ? Json{{"operators", list}} : list.front());
  }
  for (const inspect::OperatorInfo& op : ops) fmt::print("{:<40}  {}\n", signature(op), op.doc);
}

void list_models(bool json) {
  Json list = Json::array();
  for (const ZooModel& model : all_models()) {
    const std::string_view graphs = model.make({}).is_network() ? "network" : model.graph_builder;
    if (!json)
      fmt::print("{:<20}  {}; data: {}{}{}\n", model.name, model.doc, model.data,
                 graphs.empty() ? "" : "; graphs: ", graphs);
    const char* metric = metric_info(model.metric).name;
    list.push_back(
        {{"name", model.name}, {"doc", model.doc}, {"data", model.data}, {"metric", metric}, {"graphs", graphs}});
  }
  if (json) print_json({{"models", list}});
}

}  // namespace

Action declare_ops(CLI::App& app) {
  auto arguments = std::make_shared<OpsArguments>();
  std::vector<std::string> names;
  for (const inspect::OperatorInfo& op : inspect::operators()) names.push_back(op.name);
  app.add_option("NAME", arguments->name, "Print only this operator")->type_name("")->check(one_of("operator", names));
  app.add_flag("--json", arguments->json, "Print the result as one JSON object on one line");
  app.footer("Examples:\n  $ cavs ops\n  $ cavs ops softmax");
  return [arguments] { list_ops(*arguments); };
}

Action declare_models(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "Print the result as one JSON object on one line");
  app.footer("Examples:\n  $ cavs models\n  $ cavs models --json");
  return [json] { list_models(*json); };
}

}  // namespace cavs::cli
