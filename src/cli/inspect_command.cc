#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>

#include "cavs/checkpoint.h"
#include "cavs/compile.h"
#include "cavs/inspect.h"
#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/input_files.h"
#include "cli/option_group.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/validators.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::cli {
namespace {

constexpr const char* kInspectFooter =
    "A value is printed as %N = operator(inputs), with its shape, its rows (one per vertex, per child, or per\n"
    "vertex with input), and its stage: eager (for all vertices before the tasks), task, or lazy (for all\n"
    "vertices after the tasks). 'again %N' computes a value of F a second time, because F does not store it.\n"
    "\n"
    "Examples:\n"
    "  $ cavs inspect tree-lstm --hidden 32\n"
    "  $ cavs inspect tree-lstm --dot | dot -Tsvg >tree-lstm.svg\n"
    "  $ cavs inspect listops.cavs --passes --instructions\n"
    "  $ cavs inspect tree-gru --inference --layout\n"
    "  $ cavs inspect tree-lstm-binary --hidden 512 --placement --target sm_90";

constexpr std::int32_t kHiddenStep = 16, kMostHidden = 16'384;

struct InspectArguments : Options {
  bool dot = false, passes = false, instructions = false, layout = false, inference = false, placement = false;
  std::string target = "cpu";
  int processors = 2;  // number of cores, for target "cpu"
};

bool is_of_zoo(const InspectArguments& arguments) {
  return std::ranges::find(all_models(), arguments.model, &ZooModel::name) != all_models().end();
}

Model zoo_model(const InspectArguments& arguments, int hidden) {
  return find_model(arguments.model)
      .make({.embedding = arguments.embedding,
             .hidden = hidden,
             .dropout = arguments.dropout,
             .seed = seed_of(arguments)});
}

CompileOptions compile_options(const InspectArguments& arguments) {
  return {.training = !arguments.inference, .disabled_passes = arguments.disabled};
}

inspect::PlacementOptions placement_options(const InspectArguments& arguments, Precision precision) {
  return {arguments.target, arguments.processors, precision};
}

/// True if the processors can keep all weights of tasks on chip. False also if the model rejects this hidden size.
bool has_room(const InspectArguments& arguments, int hidden, Precision precision) {
  try {
    return inspect::place(zoo_model(arguments, hidden), compile_options(arguments),
                          placement_options(arguments, precision))
        .fits;
  } catch (const UserError&) {
    return false;
  }
}

/// Returns the largest hidden size of a built-in model, a multiple of kHiddenStep, at which all weights are kept on
/// chip; 0 if there is none. The embedding size stays the same. Bisection finds it: larger states need more memory.
std::int32_t largest_hidden(const InspectArguments& arguments, Precision precision) {
  std::int32_t fitting = 0, too_large = kMostHidden / kHiddenStep + 1;  // hidden sizes, in units of kHiddenStep
  while (too_large - fitting > 1) {
    const std::int32_t middle = fitting + (too_large - fitting) / 2;
    (has_room(arguments, middle * kHiddenStep, precision) ? fitting : too_large) = middle;
  }
  return fitting * kHiddenStep;
}

std::string largest_text(const InspectArguments& arguments) {
  const auto largest = [&](Precision precision) {
    const std::int32_t hidden = largest_hidden(arguments, precision);
    return hidden == kMostHidden ? fmt::format("{} or more", hidden) : fmt::format("{}", hidden);
  };
  return fmt::format(
      "the largest --hidden at which all weights fit on chip, in multiples of {}: {} in fp32, {} in bf16\n",
      kHiddenStep, largest(Precision::kFp32), largest(Precision::kBf16));
}

struct Inspected {
  Model model;
  std::string not_finite = {};  // result of find_not_finite() for the checkpoint
};

Inspected find_or_load(const InspectArguments& arguments) {
  if (is_of_zoo(arguments)) return {zoo_model(arguments, arguments.hidden)};
  std::error_code ignored;
  user_check(std::filesystem::exists(arguments.model, ignored), "'{}' is neither a checkpoint nor a model; {}",
             arguments.model, suggest(arguments.model, names_of(all_models())));
  const Checkpoint checkpoint = read_checkpoint(arguments.model);
  return {Model::from_json(checkpoint.model), find_not_finite(checkpoint)};
}

std::string passes_text(const Program& program) {
  std::string text = "passes\n";
  for (const PassInfo& pass : compiler_passes())
    text += fmt::format("  {:<20}{}{}\n", pass.name, pass.doc, pass.optional ? " (--disable)" : "");
  text += "changes\n";
  for (const std::string& line : compiler_log(program)) text += fmt::format("  {}\n", line);
  return text;
}

void run(const InspectArguments& arguments) {
  const Inspected found = find_or_load(arguments);
  const Model& model = found.model;
  const std::string& not_finite = found.not_finite;
  if (!not_finite.empty())
    spdlog::warn("{}: {}; 'cavs eval', 'predict' and 'train --resume' refuse this checkpoint", arguments.model,
                 not_finite);
  const auto program = compile(model, compile_options(arguments));
  const auto placed = [&] {
    return inspect::place(model, compile_options(arguments), placement_options(arguments, Precision::kFp32));
  };
  if (arguments.json) {
    Json json{{"model", arguments.model}};
    json.update(Json::parse(inspect::to_json(*program)));
    if (!not_finite.empty()) json["not_finite"] = not_finite;
    if (arguments.layout) json["layout"] = Json::parse(inspect::layout(*program).json);
    if (arguments.placement) json["placement"] = Json::parse(placed().json);
    return print_json(json);
  }
  if (arguments.dot) return fmt::print("{}", inspect::to_dot(*program));
  std::string text = inspect::to_text(*program, model) + "\n";
  if (arguments.passes) text += passes_text(*program) + "\n";
  if (arguments.instructions) text += inspect::instructions_to_text(*program);
  if (arguments.layout) text += inspect::layout(*program).text;
  if (arguments.placement) {
    const inspect::Placement placement = placed();
    text += placement.text;
    text += arguments.target == inspect::placement_targets()[0]
                ? "no engine of the CPU places weights; --target sm_90 or sm_80 shows where a GPU kernel keeps them\n"
                : "the first kernel of a session keeps the weights in this way; if the compiler spills registers, the "
                  "next kernel keeps fewer\n";
    if (is_of_zoo(arguments) && placement.has_weights) text += largest_text(arguments);
  }
  if (text.ends_with("\n\n")) text.pop_back();
  fmt::print("{}", text);
}

}  // namespace

Action declare_inspect(CLI::App& app) {
  auto arguments = std::make_shared<InspectArguments>();
  add_config(app, *arguments);
  app.add_option("MODEL", arguments->model, "A model of 'cavs models', or a checkpoint")
      ->type_name("")
      ->required()
      ->check(file_name(names_of(all_models())));
  const OptionGroup output(app, "Output");
  CLI::Option* dot = output.add_flag("--dot", arguments->dot, "Print a graph for Graphviz");
  const auto also = [&](const char* name, bool& value, const char* doc) {
    return output.add_flag(name, value, doc)->excludes(dot);
  };
  also("--passes", arguments->passes, "Also print what each pass of the compiler changed");
  also("--instructions", arguments->instructions,
       "Also print the instructions that run: fused, in order, with storage");
  also("--layout", arguments->layout, "Also print the memory layout of the values of F, and which values are copied");
  CLI::Option* placement =
      also("--placement", arguments->placement,
           "Also print where persistent processors keep the weights of tasks, and which columns each processor owns");
  app.add_option("--target", arguments->target, "Hardware for --placement")
      ->check(one_of("target", inspect::placement_targets()))
      ->needs(placement)
      ->group("Output");
  app.add_option("--processors", arguments->processors, "Number of cores of --target cpu")
      ->check(integer(1, 1024))
      ->needs(placement)
      ->group("Output");
  output.add_flag("--inference", arguments->inference, "Compile for inference, without backward functions");
  add_json(app, *arguments, "Print the functions as one JSON object on one line");
  add_sizes(app, *arguments);
  add_passes(app, *arguments);
  app.footer(kInspectFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
