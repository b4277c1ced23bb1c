#include <algorithm>

#include "compile/lower.h"
#include "compile/passes.h"
#include "declare/builder.h"
#include "support/suggest.h"

namespace cavs {
namespace {

void check_disabled(const std::vector<std::string>& disabled) {
  const std::vector<std::string_view> known = optional_passes();
  for (const std::string& name : disabled)
    user_check(std::find(known.begin(), known.end(), name) != known.end(), "no pass '{}' can be switched off; {}", name,
               suggest(name, known));
}

std::vector<State> find_states(const std::vector<Function>& functions) {
  std::vector<State> states;
  for (const Function& f : functions)
    for (const Node& node : f.nodes)
      if (node.op->name == "scatter" &&
          std::none_of(states.begin(), states.end(), [&](const State& s) { return s.name == node.attributes.name; }))
        states.push_back({node.attributes.name, static_cast<std::int32_t>(node.shape.size())});
  return states;
}

Function run_passes(Function f, const CompileOptions& options, std::vector<std::string>& log) {
  const PassContext context{options.training, options.pull_gradients, options.push_gradients};
  for (const Pass& pass : pass_list()) {
    if (pass.optional && !is_on(options, pass.name)) {
      log.push_back(fmt::format("{}: {} is off", f.name, pass.name));
      continue;
    }
    const std::size_t before = f.nodes.size();
    f = pass.run(std::move(f), context);
    log.push_back(fmt::format("{}: {}: {} -> {} nodes", f.name, pass.name, before, f.nodes.size()));
  }
  return f;
}

}  // namespace

std::shared_ptr<const Program> compile(const Model& model, const CompileOptions& options) {
  user_check(!model.functions().empty(), "the model has no vertex function; declare one with vertex_function");
  check_disabled(options.disabled_passes);
  std::vector<Function> functions = model.functions();
  resolve_states(functions, true);
  auto program = std::make_shared<Program>();
  program->options = options;
  program->parameters = model.parameters();
  program->states = find_states(functions);
  program->sites.resize(program->states.size());
  const bool any_loss = std::any_of(functions.begin(), functions.end(), [](const Function& f) {
    return std::any_of(f.nodes.begin(), f.nodes.end(), [](const Node& node) { return node.op->name == "loss"; });
  });
  CompileOptions used = options;
  used.push_gradients = options.push_gradients || !any_loss;
  for (Function& f : functions) {
    TypeProgram type;
    type.function = run_passes(std::move(f), used, program->log);
    type.stages = find_stages(type.function);
    program->types.push_back(std::move(type));
  }
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(program->types.size()); ++t) lower(*program, t);
  return program;
}

}  // namespace cavs
