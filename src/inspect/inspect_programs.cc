#include <fmt/format.h>

#include <algorithm>

#include "backend/cpu/isa.h"
#include "backend/cuda/persistent/kernel_source.h"
#include "backend/cuda/persistent/kernel_target.h"
#include "cavs/inspect.h"
#include "compile/program.h"
#include "inspect/function_drawing.h"
#include "inspect/print_function.h"
#include "inspect/print_layout.h"
#include "inspect/print_operator.h"
#include "inspect/print_program.h"
#include "inspect/program_json.h"
#include "ir/builder.h"
#include "ir/op.h"
#include "placement/placement_text.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1::inspect {
namespace {

const Function& function_of(const std::vector<Function>& functions, std::size_t number) {
  user_check(number < functions.size(), "no vertex function {}; there are {}, numbered from 0", number,
             functions.size());
  return functions[number];
}

const TypeProgram& type_of(const Program& program, std::size_t number) {
  user_check(number < program.types.size(), "no vertex function {}; there are {}, numbered from 0", number,
             program.types.size());
  return program.types[number];
}

/// Returns the properties of the target GPU, or nullptr if the target is a CPU.
const cuda::DeviceProperties* gpu_of(const PlacementOptions& options) {
  const auto gpus = cuda::known_gpus();
  const auto gpu = std::ranges::find(gpus, options.target, &cuda::DeviceProperties::architecture);
  if (gpu != gpus.end()) return &*gpu;
  const std::vector<std::string> known = placement_targets();
  user_check(options.target == known[0], "unknown target '{}'; {}", options.target,
             suggest(options.target, std::vector<std::string_view>(known.begin(), known.end())));
  return nullptr;
}

/// Returns the placement of weights. On a GPU, this is the placement of the first kernel that a session would make.
WeightPlacement placement_of(const Program& program, const PlacementOptions& options,
                             const cuda::DeviceProperties* gpu) {
  if (gpu == nullptr)
    return place_weights(program, cpu_target(options.processors, cpu::second_cache_bytes()),
                         options.precision == Precision::kBf16 ? 2 : 4);
  return cuda::place_for_kernel(program, gpu->architecture(), gpu->processors,
                                cuda::widest_options(program, *gpu, options.precision));
}

}  // namespace

std::vector<OperatorInfo> operators() {
  std::vector<OperatorInfo> all;
  for (const OpDef* op : all_ops())
    if (op->in_public)
      all.push_back({.name = std::string(op->name),
                     .inputs = {op->params.begin(), op->params.end()},
                     .variadic = op->variadic,
                     .doc = std::string(op->doc),
                     .has_value = op->kind != OpKind::kSource && op->kind != OpKind::kSink,
                     .attributes = op->attributes});
  return all;
}

std::string to_text(const Value& value) {
  const Node& node = builder_of("inspect", value).function().nodes[value.id()];
  return fmt::format("%{} = {}{}{}, {}", value.id(), expression(node), node.shape_known ? " " : "",
                     node.shape_known ? to_string(node.shape) : "", to_string(node.domain));
}

std::string to_text(const Model& model) {
  std::string text = operators_to_text(model.functions());
  for (const Function& f : model.functions()) text += cavs::to_text(f, {});
  return text;
}

std::string to_svg(const Model& model, std::size_t function) {
  return cavs::to_svg(function_of(model.functions(), function), {});
}

std::vector<std::string> functions(const Program& program) {
  std::vector<std::string> names;
  for (const TypeProgram& type : program.types) names.push_back(type.function.name);
  return names;
}

std::string to_text(const Program& program, const Model& model) {
  std::string text = operators_to_text(model.functions());
  for (std::size_t f = 0; f < program.types.size(); ++f) {
    if (f > 0) text += '\n';
    text += to_text(program, f);
  }
  return text;
}

std::string to_text(const Program& program, std::size_t function) {
  const TypeProgram& type = type_of(program, function);
  return cavs::to_text(type.function, type.stages);
}

std::string to_json(const Program& program) {
  OrderedJson json{{"passes", program.log}, {"functions", OrderedJson::array()}};
  for (const TypeProgram& type : program.types) json["functions"].push_back(cavs::to_json(type));
  return json.dump();
}

std::string to_dot(const Program& program) {
  std::string text = dot_begin();
  for (const TypeProgram& type : program.types) text += cavs::to_dot(type.function, type.stages);
  return text + dot_end();
}

std::string to_dot(const Program& program, std::size_t function) {
  const TypeProgram& type = type_of(program, function);
  return dot_begin() + cavs::to_dot(type.function, type.stages) + dot_end();
}

std::string to_svg(const Program& program, std::size_t function, bool gradient) {
  const TypeProgram& type = type_of(program, function);
  return cavs::to_svg(type.function, type.stages, gradient);
}

std::string instructions_to_text(const Program& program) {
  std::string text;
  for (std::size_t f = 0; f < program.types.size(); ++f)
    text += cavs::instructions_to_text(program, static_cast<std::int32_t>(f)) + "\n";
  return text;
}

Layout layout(const Program& program) {
  const MemoryLayout found = find_layout(program);
  return {cavs::to_text(found, program), cavs::to_json(found, program).dump()};
}

std::vector<std::string> placement_targets() {
  std::vector<std::string> names{"cpu"};
  for (const cuda::DeviceProperties& gpu : cuda::known_gpus()) names.push_back(gpu.architecture());
  return names;
}

Placement place(const Model& model, const CompileOptions& compiled, const PlacementOptions& options) {
  user_check(options.processors >= 1, "weights cannot be placed on {} processors; expected at least 1",
             options.processors);
  const cuda::DeviceProperties* const gpu = gpu_of(options);
  const auto program = compile(model, compiled, gpu == nullptr ? Target{} : cuda::kernel_target());
  const WeightPlacement placed = placement_of(*program, options, gpu);
  return {.text = cavs::to_text(placed, *program),
          .json = cavs::to_json(placed, *program).dump(),
          .has_weights = !placed.weights.empty(),
          .fits = cavs::fits(placed)};
}

}  // namespace cavs::inline v0_1::inspect
