#include "evaluator_outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "support/check.h"
#include "support/suggest.h"

namespace cavs::python {
namespace {

/// A name that a vertex function pushes or scatters.
struct Giver {
  const FunctionInfo* function;
  std::string name;
  bool pushed;  // false if it is only scattered (a state)

  std::string full_name() const { return function->name + "." + name; }
};
using Givers = std::vector<Giver>;

/// Returns all pushes, then all states. A name that one function both pushes and scatters appears once.
Givers givers_of(const std::vector<FunctionInfo>& functions) {
  Givers all;
  for (const FunctionInfo& f : functions)
    for (const std::string& push : f.pushes) all.push_back({&f, push, true});
  for (const FunctionInfo& f : functions)
    for (const std::string& state : f.states)
      if (std::ranges::find(f.pushes, state) == f.pushes.end()) all.push_back({&f, state, false});
  return all;
}

Givers named(const Givers& all, const std::string& name) {
  Givers found;
  for (const Giver& g : all)
    if (g.full_name() == name) return {g};
  std::ranges::copy_if(all, std::back_inserter(found), [&](const Giver& g) { return g.name == name; });
  return found;
}

bool run_over_one_vertex(const FunctionInfo& f, const FunctionInfo& g) {
  return std::ranges::any_of(f.over, [&](const std::string& type) { return std::ranges::count(g.over, type) > 0; });
}

bool is_ambiguous(const Givers& found) {
  for (auto f = found.begin(); f != found.end(); ++f)
    if (std::any_of(f + 1, found.end(), [&](const Giver& g) { return run_over_one_vertex(*f->function, *g.function); }))
      return true;
  return false;
}

/// Returns the names of pushes that no connection reads.
std::vector<std::string> all_outputs(const Model& model, const Givers& all) {
  std::vector<std::string> outputs;
  for (const Giver& g : all) {
    const auto reads = [&](const Connection& c) { return c.from == FunctionPort{g.function->name, g.name}; };
    if (!g.pushed || std::ranges::any_of(model.connections(), reads)) continue;
    const std::string name = is_ambiguous(named(all, g.name)) ? g.full_name() : g.name;
    if (std::ranges::count(outputs, name) == 0) outputs.push_back(name);
  }
  return outputs;
}

/// Returns the names that are valid outputs, for messages.
std::vector<std::string> known_names(const Givers& all) {
  std::vector<std::string> known;
  for (const Giver& g : all) {
    const std::string name = is_ambiguous(named(all, g.name)) ? g.full_name() : g.name;
    if (std::ranges::count(known, name) == 0) known.push_back(name);
  }
  return known;
}

void check(const std::vector<std::string>& outputs, const Givers& all) {
  const std::vector<std::string> known = known_names(all);
  user_check(!outputs.empty(), "the model pushes nothing; name states as outputs: {}", fmt::join(known, ", "));
  for (const std::string& name : outputs) {
    const Givers found = named(all, name);
    user_check(!found.empty(), "unknown output '{}': no vertex function pushes or scatters it; {}", name,
               suggest(name, known));
    user_check(std::ranges::count(outputs, name) == 1, "duplicate output '{}'", name);
    std::vector<std::string> names;
    for (const Giver& g : found) names.push_back(g.full_name());
    user_check(!is_ambiguous(found),
               "output '{}' belongs to several vertex functions over the same vertices; choose one of: {}", name,
               fmt::join(names, ", "));
  }
}

}  // namespace

ModelWithOutputs with_outputs(const Model& model, std::vector<std::string> outputs) {
  const std::vector<FunctionInfo> functions = model.function_infos();
  const Givers all = givers_of(functions);
  if (outputs.empty()) outputs = all_outputs(model, all);
  check(outputs, all);
  ModelWithOutputs made{model, outputs, {}};
  for (const std::string& name : outputs) {
    const Givers found = named(all, name);
    // A push port is renamed if a connection reads it, if other functions push to it too, or if other functions scatter
    // the name.
    const auto pushes = std::ranges::count_if(found, &Giver::pushed);
    const bool renamed = model.is_network() || (pushes > 0 && pushes < std::ssize(found));
    const std::string port = renamed ? "output " + name : name;
    if (renamed || pushes == 0)
      for (const Giver& g : found)
        made.model.extend(g.function->name,
                          [&](Vertex& v) { v.push(port, g.pushed ? v.pushed(g.name) : v.scattered(g.name)); });
    made.pushes.push_back(port);
  }
  return made;
}

}  // namespace cavs::python
