#include "cavs/checkpoint.h"

#include <algorithm>
#include <cmath>

#include "support/check.h"
#include "tensor/check_parameters.h"
#include "train/checkpoint_fit.h"
#include "train/checkpoint_json.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kMaxListed = 20;  // problems in a message

Checkpoint::Tensor copy(const ParameterInfo& info, std::span<const float> values) {
  return {info.name, info.shape, {values.begin(), values.end()}};
}

void sort_by_name(std::vector<Checkpoint::Tensor>& tensors) {
  std::ranges::sort(tensors, {}, &Checkpoint::Tensor::name);
}

std::vector<Checkpoint::Tensor> copies(const Parameters& parameters) {
  std::vector<Checkpoint::Tensor> tensors;
  for (int p = 0; p < parameters.size(); ++p) tensors.push_back(copy(parameters.info(p), parameters.values(p)));
  sort_by_name(tensors);
  return tensors;
}

using Matches = std::vector<const Checkpoint::Tensor*>;

/// Returns [parameters]: the tensor of each parameter; null if it is missing or does not fit. Every tensor that is
/// missing, wrong or superfluous adds a line to `problems`; `what` is the kind of the tensors in these lines.
Matches match(const std::vector<Checkpoint::Tensor>& tensors, const std::vector<ParameterInfo>& parameters,
              const std::string& what, std::vector<std::string>& problems) {
  std::map<std::string_view, const Checkpoint::Tensor*> left;
  for (const auto& tensor : tensors)
    if (!left.emplace(tensor.name, &tensor).second)
      problems.push_back(fmt::format("duplicate {} '{}'", what, tensor.name));
  Matches found(parameters.size());
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const ParameterInfo& info = parameters[p];
    const auto entry = left.find(info.name);
    if (entry == left.end()) {
      problems.push_back(fmt::format("{} '{}' {} is missing", what, info.name, to_string(info.shape)));
      continue;
    }
    const Checkpoint::Tensor& tensor = *entry->second;
    if (tensor.shape != info.shape)
      problems.push_back(
          fmt::format("{} '{}' is {}; expected {}", what, info.name, to_string(tensor.shape), to_string(info.shape)));
    else if (std::ssize(tensor.values) != info.shape.size())
      problems.push_back(fmt::format("{} '{}' {} has {} numbers; expected {}", what, info.name, to_string(info.shape),
                                     tensor.values.size(), info.shape.size()));
    else
      found[p] = &tensor;
    left.erase(entry);
  }
  for (const auto& [name, tensor] : left)
    problems.push_back(fmt::format("{} '{}' {} is unknown", what, name, to_string(tensor->shape)));
  return found;
}

/// Adds a line to `problems` for each option that differs.
void add_option_differences(const OptimizerOptions& found, const OptimizerOptions& expected,
                            std::vector<std::string>& problems) {
  const nlohmann::json options = options_to_json(found).flatten(), others = options_to_json(expected).flatten();
  nlohmann::json all = others;
  all.update(options);
  for (const auto& [path, unused] : all.items()) {
    std::string name = path.substr(1);
    std::ranges::replace(name, '/', ' ');
    const nlohmann::json value = options.value(path, nlohmann::json()), other = others.value(path, nlohmann::json());
    if (value != other)
      problems.push_back(fmt::format("its optimiser's {} is {}; expected {}", name, value.dump(), other.dump()));
  }
}

std::vector<Matches> match_slots(const Checkpoint& checkpoint, const Parameters& parameters, const Optimizer& optimizer,
                                 std::vector<std::string>& problems) {
  std::vector<Matches> matches;
  if (!checkpoint.optimizer) {
    problems.push_back("it holds no optimiser state; it was saved for prediction only");
    return matches;
  }
  const auto& state = *checkpoint.optimizer;
  add_option_differences(state.options, optimizer.options(), problems);
  if (state.slots.size() > static_cast<std::size_t>(optimizer.slots()))
    problems.push_back(
        fmt::format("it holds {} slots of optimiser state; expected {}", state.slots.size(), optimizer.slots()));
  static const std::vector<Checkpoint::Tensor> kNone;
  for (int slot = 0; slot < optimizer.slots(); ++slot) {
    const auto found = state.slots.find(std::string(optimizer.slot_name(slot)));
    matches.push_back(match(found == state.slots.end() ? kNone : found->second, *parameters.list(),
                            fmt::format("optimiser state {} of", optimizer.slot_name(slot)), problems));
  }
  return matches;
}

void check_problems(const std::vector<std::string>& problems) {
  if (problems.empty()) return;
  std::string list;
  for (std::size_t i = 0; i < std::min(problems.size(), kMaxListed); ++i) list += "\n  " + problems[i];
  if (problems.size() > kMaxListed) list += fmt::format("\n  and {} more", problems.size() - kMaxListed);
  user_error("the checkpoint does not fit this model:{}", list);
}

std::string not_finite(const std::vector<Checkpoint::Tensor>& tensors, const std::string& what) {
  for (const auto& tensor : tensors) {
    const auto bad = std::ranges::find_if(tensor.values, [](float value) { return !std::isfinite(value); });
    if (bad != tensor.values.end())
      return fmt::format("{} '{}' {} is {} at number {}", what, tensor.name, to_string(tensor.shape), *bad,
                         bad - tensor.values.begin());
  }
  return "";
}

}  // namespace

std::string find_not_finite(const Checkpoint& checkpoint) {
  std::string found = not_finite(checkpoint.parameters, "parameter");
  if (found.empty() && checkpoint.averages) found = not_finite(checkpoint.averages->values, "average of");
  if (!checkpoint.optimizer) return found;
  for (const auto& [slot, tensors] : checkpoint.optimizer->slots)
    if (found.empty()) found = not_finite(tensors, fmt::format("optimiser state {} of", slot));
  return found;
}

namespace {

void check_finite(const Checkpoint& checkpoint) {
  const std::string wrong = find_not_finite(checkpoint);
  user_check(wrong.empty(),
             "the checkpoint has values that are not finite: {}; training diverged, or another program wrote the file; "
             "use an earlier checkpoint, or train again with a lower learning rate or clipped gradients",
             wrong);
}

}  // namespace

void check_fit(const Checkpoint& checkpoint, const std::vector<ParameterInfo>& parameters) {
  std::vector<std::string> problems;
  match(checkpoint.parameters, parameters, "parameter", problems);
  check_problems(problems);
}

void restore_averages(const Checkpoint& checkpoint, Parameters& parameters) {
  if (!checkpoint.averages) return restore(checkpoint, parameters, nullptr);
  std::vector<std::string> problems;
  const Matches values = match(checkpoint.averages->values, *parameters.list(), "average of", problems);
  check_problems(problems);
  check_finite(checkpoint);
  for (int p = 0; p < parameters.size(); ++p) {
    std::ranges::copy(values[p]->values, parameters.values(p).begin());
    parameters.touch(p);
  }
}

void capture(const Parameters& parameters, const Optimizer* optimizer, Checkpoint& checkpoint) {
  if (optimizer != nullptr)
    check_parameters(optimizer->parameters(), parameters.list(), "the optimiser and the parameters to be saved");
  checkpoint.parameters = copies(parameters);
  checkpoint.averages.reset();
  checkpoint.optimizer.reset();
  if (optimizer == nullptr) return;
  checkpoint.optimizer =
      Checkpoint::OptimizerState{optimizer->options(), optimizer->steps(), optimizer->rate_factor(), {}};
  for (int slot = 0; slot < optimizer->slots(); ++slot) {
    auto& tensors = checkpoint.optimizer->slots[std::string(optimizer->slot_name(slot))];
    for (int p = 0; p < parameters.size(); ++p) tensors.push_back(copy(parameters.info(p), optimizer->slot(slot, p)));
    sort_by_name(tensors);
  }
}

void restore(const Checkpoint& checkpoint, Parameters& parameters, Optimizer* optimizer) {
  if (optimizer != nullptr)
    check_parameters(optimizer->parameters(), parameters.list(), "the optimiser and the parameters to be restored");
  std::vector<std::string> problems;
  const Matches values = match(checkpoint.parameters, *parameters.list(), "parameter", problems);
  std::vector<Matches> slots;
  if (optimizer != nullptr) slots = match_slots(checkpoint, parameters, *optimizer, problems);
  check_problems(problems);
  check_finite(checkpoint);
  for (int p = 0; p < parameters.size(); ++p) {
    std::ranges::copy(values[p]->values, parameters.values(p).begin());
    for (std::size_t slot = 0; slot < slots.size(); ++slot)
      std::ranges::copy(slots[slot][p]->values, optimizer->slot(static_cast<int>(slot), p).begin());
    parameters.touch(p);
  }
  if (optimizer == nullptr) return;
  optimizer->set_steps(checkpoint.optimizer->steps);
  optimizer->set_rate_factor(checkpoint.optimizer->rate_factor);
}

}  // namespace cavs::inline v0_1
