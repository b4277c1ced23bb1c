#include <algorithm>

#include "plan/plan.h"
#include "support/bytes.h"
#include "support/check.h"

namespace cavs {
/// One arena: states, their gradients, then every type's tensors; a tensor of one task has the rows of the largest.
void Planner::plan_memory() {
  const std::int64_t alignment = program_.target.alignment;
  std::int64_t used = 0;
  const auto take = [&](std::int64_t rows, std::int64_t width) {
    const std::int64_t offset = used;
    used += (rows * width + alignment - 1) / alignment * alignment;
    return offset;
  };
  plan_->states.clear(), plan_->state_rows.clear(), plan_->state_gradients.clear();
  for (std::size_t s = 0; s < program_.states.size(); ++s) {
    const auto [first, end] = scattered_by_[s];
    const std::int32_t begin = plan_->type_begin[first];
    const bool given = minibatch_->given_state(static_cast<std::int32_t>(s)) != nullptr;
    const std::int32_t rows = given ? 0 : plan_->type_begin[end] - begin;
    plan_->state_rows.push_back({begin, rows});
    plan_->states.push_back(take(rows, program_.states[s].width));
    const std::int64_t gradient_rows = program_.options.training ? plan_->sites[s].back() : 0;
    plan_->state_gradients.push_back(take(gradient_rows, program_.states[s].width));
  }
  for (std::size_t t = 0; t < program_.types.size(); ++t) {
    const TypeProgram& program = program_.types[t];
    Plan::Type& type = plan_->types[t];
    const std::size_t domains = kPartialRows + program.partial_domains.size();
    largest_.assign(domains, 0);
    for (const Step& step : plan_->steps)
      if (step.type == static_cast<std::int32_t>(t) && step.stage == Stage::kTask)
        for (std::size_t d = 0; d < domains; ++d)
          largest_[d] = std::max(largest_[d], at(step.ranges)[2 * d + 1] - at(step.ranges)[2 * d]);
    type.tensors.clear();
    for (const Tensor& tensor : program.tensors) {
      const DomainId d = tensor.domain;
      std::int64_t all = d == kParameterRows ? 1 : domain_row(static_cast<std::int32_t>(t), d, type.vertices);
      if (plan_->is_view(tensor)) all = 0;
      if (tensor.max_rows > 0) all = std::min<std::int64_t>(all, tensor.max_rows);
      if (tensor.tile >= 0) all = 0;
      type.tensors.push_back(take(tensor.spans_tasks ? all : std::min<std::int64_t>(all, largest_[d]), tensor.width));
    }
  }
  plan_->arena = used;
}

std::string describe_memory(const Program& program, const Plan& plan, std::int64_t tile_bytes) {
  struct Item {
    std::string name;
    std::int64_t floats;
  };
  std::vector<Item> items{{"tiles of all threads", tile_bytes / static_cast<std::int64_t>(sizeof(float))}};
  std::vector<std::pair<std::int64_t, std::string>> starts;
  for (std::size_t s = 0; s < program.states.size(); ++s) {
    starts.emplace_back(plan.states[s], fmt::format("state '{}'", program.states[s].name));
    starts.emplace_back(plan.state_gradients[s], fmt::format("gradient of state '{}'", program.states[s].name));
  }
  for (std::size_t t = 0; t < program.types.size(); ++t)
    for (std::size_t i = 0; i < program.types[t].tensors.size(); ++i)
      starts.emplace_back(plan.types[t].tensors[i], fmt::format("'{}' of '{}'", program.types[t].tensors[i].name,
                                                                program.types[t].function.name));
  std::stable_sort(starts.begin(), starts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < starts.size(); ++i)
    items.push_back({starts[i].second, (i + 1 < starts.size() ? starts[i + 1].first : plan.arena) - starts[i].first});
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.floats > b.floats; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(items.size(), 3); ++i)
    text += fmt::format("{}{} {}", i > 0 ? ", " : "", items[i].name,
                        format_bytes(items[i].floats * static_cast<std::int64_t>(sizeof(float))));
  return text;
}

}  // namespace cavs
