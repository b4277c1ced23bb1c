#include "evaluated_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"

namespace cavs::python {

PyBatch::PyBatch(std::shared_ptr<const GraphSet> of, std::vector<std::int32_t> chosen)
    : graphs(std::move(of)), samples(std::move(chosen)) {
  user_check(!samples.empty(), "a batch has no samples; expected at least one");
  const auto begin = graphs->vertex_begin();
  for (const std::int32_t s : samples) {
    user_check(0 <= s && s < graphs->size(), "sample {} is not in the graphs; expected 0 to {}", s, graphs->size() - 1);
    vertices += begin[s + 1] - begin[s];
  }
}

namespace {

std::size_t width_of(const Program& program, const std::string& port) {
  for (const FunctionPorts& function : function_ports(program))
    for (const FunctionPorts::Port& push : function.pushes)
      if (push.name == port) return static_cast<std::size_t>(push.width);
  CAVS_ASSERT(false);
  return 0;
}

/// Returns the float ports of vertices that the program pulls.
std::vector<EvaluatorPort> inputs_of(const Program& program) {
  std::vector<EvaluatorPort> inputs;
  for (const FunctionPorts& function : function_ports(program))
    for (const FunctionPorts::Port& pull : function.pulls)
      if (std::ranges::find(inputs, pull.name, &EvaluatorPort::name) == inputs.end())
        inputs.push_back({pull.name, static_cast<std::size_t>(pull.width)});
  return inputs;
}

}  // namespace

EvaluatedModel::EvaluatedModel(const Model& model, std::vector<std::string> outputs)
    : made_(with_outputs(model, std::move(outputs))) {
  const Program& inference = *program({});
  for (std::size_t i = 0; i < made_.outputs.size(); ++i)
    outputs_.push_back({made_.outputs[i], width_of(inference, made_.pushes[i])});
  inputs_ = inputs_of(inference);
  has_dropout_ = std::ranges::any_of(made_.model.function_infos(), &FunctionInfo::has_dropout);
}

EvaluatedModel::Variant& EvaluatedModel::variant(Mode mode) {
  Variant& made = variants_[mode];
  if (made.program == nullptr)
    made.program = compile(made_.model, {.training = mode.gradients,
                                         .dropout = mode.dropout,
                                         .pull_gradients = mode.input_gradients,
                                         .push_gradients = mode.gradients,
                                         .loss = false,
                                         .pushes = made_.pushes});
  return made;
}

std::shared_ptr<const NetworkGraphs> EvaluatedModel::network(const std::shared_ptr<const GraphSet>& graphs) {
  if (!made_.model.is_network() || graphs->schema().connected) return nullptr;
  if (const auto it = networks_.find(graphs.get()); it != networks_.end() && !it->second.of.expired())
    return it->second.network;
  std::erase_if(networks_, [](const auto& entry) { return entry.second.of.expired(); });
  return (networks_[graphs.get()] = {graphs, std::make_shared<NetworkGraphs>(made_.model, *graphs)}).network;
}

std::shared_ptr<const BoundGraphs> EvaluatedModel::bound(Mode mode, const std::shared_ptr<const GraphSet>& graphs,
                                                         const NetworkGraphs* network, std::vector<std::string> given) {
  Variant& variant = this->variant(mode);
  const std::pair key(graphs.get(), given);
  if (const auto it = variant.bound.find(key); it != variant.bound.end() && !it->second.of.expired())
    return it->second.bound;
  std::erase_if(variant.bound, [](const auto& entry) { return entry.second.of.expired(); });
  // This pointer does not own the graphs, or the cache would keep all graphs forever. Callers keep them alive.
  const GraphSet* evaluated = network == nullptr ? graphs.get() : &network->evaluated();
  const std::shared_ptr<const GraphSet> borrowed(std::shared_ptr<void>(), evaluated);
  return (variant.bound[key] = {graphs, bind_graphs(variant.program, borrowed, std::move(given))}).bound;
}

}  // namespace cavs::python
