#include "script/resource_table.h"

#include <algorithm>

namespace cavs::inline v0_1 {
namespace {

constexpr std::int32_t kResourcesOfParameter = 3;  // gradient, squares, values

}  // namespace

ResourceTable::ResourceTable(const Program& program, std::int32_t processors)
    : program_(program), processors_(processors) {
  for (const TypeProgram& type : program_.types) {
    first_tensor_.push_back(resources_);
    resources_ += static_cast<std::int32_t>(type.tensors.size());
  }
  for (const auto& sites : program_.sites) {
    first_site_.push_back(resources_);
    resources_ += static_cast<std::int32_t>(sites.size());
  }
  first_site_.push_back(resources_);
  resources_ += static_cast<std::int32_t>(program_.states.size());
  first_of_parameters_ = resources_;
  resources_ += kResourcesOfParameter * static_cast<std::int32_t>(program_.parameters.size()) + 1;  // + 1 is the loss
}

std::int32_t ResourceTable::of(Buffer buffer, std::int32_t parameter) const {
  if (buffer == Buffer::kLoss) return resources_ - 1;
  const std::int32_t which = buffer == Buffer::kGradient ? 0 : buffer == Buffer::kSquares ? 1 : 2;
  return first_of_parameters_ + kResourcesOfParameter * parameter + which;
}

std::int32_t ResourceTable::owner(const Ownership& ownership) {
  const auto it = std::ranges::find(owners_, ownership);
  const auto number = processors_ + static_cast<std::int32_t>(it - owners_.begin());
  if (it == owners_.end()) owners_.push_back(ownership);
  return number;
}

std::vector<ResourceAccess> ResourceTable::of(std::int32_t type, Stage stage, std::span<const MemberAccesses> members,
                                              std::int32_t columns) {
  std::vector<ResourceAccess> resource_accesses;
  for (const MemberAccesses& member : members)
    for (const Access& access : member.accesses) {
      ResourceAccess use = access_of(type, stage, access);
      if (use.begin == use.end && use.gathers < 0) continue;
      const Operand& last = member.accesses.back().operand;
      if (member.accesses.back().writes && last.kind == StorageKind::kTensor)
        use.skipped_for = program_.types[type].tensors[last.id].gathers;
      if (access.gate > 0)
        use.owner_of_columns = owner({columns, access.gate, access.first_unit, access.operand.column % access.gate});
      if (std::ranges::find(resource_accesses, use) == resource_accesses.end()) resource_accesses.push_back(use);
    }
  return resource_accesses;
}

void ResourceTable::merge(std::span<std::vector<ResourceAccess>* const> lists) const {
  // Gradients of states are accessed as ranges, and the update also accesses parameters' data, so neither is merged.
  const auto can_merge = [this](const ResourceAccess& use) {
    const bool is_state = use.begin >= first_site_.back() && use.begin < first_of_parameters_;
    return use.gathers < 0 && (use.begin < first_site_.front() || is_state);
  };
  // [resources] accesses to the resource: index in `lists`, and the access without the resource's number.
  std::vector<std::vector<std::pair<std::size_t, ResourceAccess>>> of_resource(static_cast<std::size_t>(resources_));
  for (std::size_t list = 0; list < lists.size(); ++list)
    for (const ResourceAccess& use : *lists[list]) {
      if (!can_merge(use)) continue;
      ResourceAccess& kind = of_resource[use.begin].emplace_back(list, use).second;
      kind.begin = kind.end = 0;
    }
  std::vector<char> has_another(of_resource.size());
  for (std::size_t r = 0; r < of_resource.size(); ++r)
    for (std::size_t first = 0; first < r && has_another[r] == 0; ++first)
      has_another[r] = has_another[first] == 0 && of_resource[first] == of_resource[r];
  for (std::vector<ResourceAccess>* list : lists)
    std::erase_if(*list, [&](const ResourceAccess& use) { return can_merge(use) && has_another[use.begin] != 0; });
}

void ResourceTable::access_sites(std::int32_t state, ResourceAccess& use) const {
  use.begin = first_site_[state];
  use.end = first_site_[state + 1];
  use.of_states = true;
}

ResourceAccess ResourceTable::access_of(std::int32_t type, Stage stage, const Access& access) const {
  ResourceAccess use{.writes = access.writes};
  const Operand& o = access.operand;
  switch (o.kind) {
    case StorageKind::kTensor: {
      const Tensor& tensor = program_.types[type].tensors[o.id];
      use.gathers = tensor.gathers;
      use.own_rows = stage == Stage::kTask && tensor.spans_tasks && o.index < 0;
      if (tensor.tile < 0) {
        use.begin = first_tensor_[type] + o.id;
        use.end = use.begin + 1;
      }
      break;
    }
    case StorageKind::kState:
      use.begin = first_site_.back() + o.id;
      use.end = use.begin + 1;
      use.of_states = true;
      break;
    case StorageKind::kStateGradient:
      access_sites(o.id, use);
      if (o.site >= 0) {
        use.begin += o.site;
        use.end = use.begin + 1;
      }
      break;
    case StorageKind::kParameterGradient:
      use.begin = of(Buffer::kGradient, o.id);
      use.end = use.begin + 1;
      break;
    default:  // the update alone accesses the other storages
      break;
  }
  return use;
}

std::vector<Hazards::Use> ResourceTable::uses(const std::vector<ResourceAccess>& resource_accesses,
                                              const std::vector<char>& one_parent) const {
  const auto is_view = [&one_parent](std::int32_t state) { return state >= 0 && one_parent[state] != 0; };
  std::vector<Hazards::Use> uses;
  for (const ResourceAccess& use : resource_accesses) {
    if (is_view(use.skipped_for)) continue;
    ResourceAccess t = use;
    if (is_view(t.gathers)) {
      access_sites(t.gathers, t);
      t.own_rows = false;
    }
    for (std::int32_t r = t.begin; r < t.end; ++r)
      uses.push_back({r, t.writes, t.own_rows, t.of_states, t.owner_of_columns});
  }
  return uses;
}

}  // namespace cavs::inline v0_1
