#include "script/hazards.h"

#include <algorithm>
#include <utility>

namespace cavs::inline v0_1 {

void Hazards::begin(std::int32_t resources, std::int32_t processors) {
  resources_.resize(static_cast<std::size_t>(resources));
  for (const std::int32_t r : touched_) {
    resources_[r].reads.clear();
    resources_[r].writes.clear();
  }
  touched_.clear();
  need_.assign(static_cast<std::size_t>(processors), -1);
  known_.assign(static_cast<std::size_t>(processors), -1);
  section_ = 0;
  processors_ = processors;
  needs_one_ = false;
}

void Hazards::add(const ScriptEntry& entry, std::int32_t number, bool side_by_side, std::span<const Use> uses,
                  std::vector<Wait>& waits) {
  processor_ = entry.share == Share::kOne ? entry.processor : -1;
  by_columns_ = entry.share == Share::kColumns;
  side_by_side_ = side_by_side;
  step_ = entry.step;
  need_all_ = -1;
  if (std::exchange(needs_one_, false)) std::ranges::fill(need_, -1);
  for (const Use& use : uses) {
    const Resource& resource = resources_[use.resource];
    need(resource.writes, use);
    if (use.writes) need(resource.reads, use);
  }
  if (need_.size() > 1) append_waits(waits);
  for (const Use& use : uses) {
    Resource& resource = resources_[use.resource];
    if (resource.reads.empty() && resource.writes.empty()) touched_.push_back(use.resource);
    mark(use.writes ? resource.writes : resource.reads, use, number);
  }
}

std::int32_t Hazards::owner_of(const Use& use) const {
  if (processor_ >= 0) return processor_;
  return by_columns_ ? use.owner : kUnknown;
}

void Hazards::need(const std::vector<Mark>& marks, const Use& use) {
  const std::int32_t owner = owner_of(use), rows = rows_of(use);
  for (const Mark& m : marks) {
    if (m.owner == owner && owner != kUnknown) continue;
    if (m.own_rows_of >= 0 && rows >= 0 && m.own_rows_of != rows) continue;
    if (m.owner == kUnknown || m.owner >= processors_) {
      need_all_ = std::max(need_all_, m.entry);
    } else {
      const bool is_earlier = side_by_side_ && use.of_states && m.entry >= section_;
      need_[m.owner] = std::max(need_[m.owner], is_earlier ? m.earlier : m.entry);
      needs_one_ = true;
    }
  }
}

/// Records an access. Accesses to a task's own rows and accesses to any rows have separate marks. One mark for the last
/// task is enough, because waiting for that task implies waiting for the tasks before it.
void Hazards::mark(std::vector<Mark>& marks, const Use& use, std::int32_t entry) const {
  const std::int32_t owner = owner_of(use), rows = rows_of(use);
  for (Mark& m : marks) {
    if (m.owner != owner || (m.own_rows_of < 0) != (rows < 0)) continue;
    m = {owner, rows, entry, m.entry < section_ ? m.entry : m.earlier};
    return;
  }
  marks.push_back({owner, rows, entry, -1});
}

void Hazards::append_waits(std::vector<Wait>& waits) {
  const bool together = processor_ < 0;
  const std::int32_t known = together ? *std::ranges::min_element(known_) : known_[processor_];
  if (need_all_ > known) {
    waits.push_back({Wait::kAll, need_all_});
    for (std::int32_t p = 0; p < processors_; ++p)
      if (together || p == processor_) known_[p] = std::max(known_[p], need_all_);
  }
  for (std::int32_t p = 0; needs_one_ && p < processors_; ++p)
    if (p != processor_ && need_[p] > std::max(known, need_all_)) waits.push_back({p, need_[p]});
}

}  // namespace cavs::inline v0_1
