#include "plan/step_ranges.h"

#include <algorithm>

namespace cavs {
namespace {

/// What is added to a row number of a range to get what is listed for it, where that is the same for all.
std::int32_t run_shift(const std::int32_t* list, RowRange rows) {
  const auto [begin, end] = rows;
  if (begin == end || list[begin] < 0) return kNoRun;
  const std::int32_t shift = list[begin] - begin;
  if (list[end - 1] != end - 1 + shift) return kNoRun;  // most that are none end here, without a loop
  std::int32_t differences = 0;
  for (std::int32_t r = begin; r < end; ++r) differences |= list[r] ^ (r + shift);
  return differences == 0 ? shift : kNoRun;
}

/// The lists that a stage of F and ∂F reads rows through, where each has one entry a row of its domain.
std::vector<std::int32_t> lists_read(const TypeProgram& type, Stage stage) {
  std::vector<char> reads(type.indices.size());
  for (const bool backward : {false, true})
    each_instruction(type.at(backward, stage), [&](const Instruction& i) {
      for (const Operand& o : i.in)
        if (o.index >= 0) reads[o.index] = 1;
    });
  std::vector<std::int32_t> lists;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const DomainId d = type.indices[i].listed_by();
    const bool distinct = d >= kPartialRows && type.partial_domains[d - kPartialRows].kind == DomainKind::kDistinct;
    if (reads[i] != 0 && !distinct) lists.push_back(static_cast<std::int32_t>(i));
  }
  return lists;
}

}  // namespace

StepRanges::StepRanges(const Program& program, const Ports& ports) : ports_(ports) {
  for (const TypeProgram& type : program.types) {
    auto& lists = lists_read_.emplace_back();
    for (std::size_t s = 0; s < lists.size(); ++s) lists[s] = lists_read(type, static_cast<Stage>(s));
  }
}

RowRange StepRanges::rows_of(const PlanDraft& draft, std::int32_t type, DomainId domain, RowRange vertices) const {
  if (domain == kParameterRows) return {0, 1};
  if (domain == kVertexRows) return vertices;
  const Slice before = domain == kEdgeRows ? draft.plan.types[type].segments : ports_.of_domain(type, domain).before;
  if (before.count == 0) return {0, 0};  // edges that the type does not use
  const std::int32_t* rows = draft.plan.rows.data() + before.begin;
  return {rows[vertices.begin], rows[vertices.end]};
}

void StepRanges::set(PlanDraft& draft, Step& step, RowRange vertices) const {
  const Plan::Type& type = draft.plan.types[step.type];
  step.ranges = draft.new_slice(2 * type.domains() + static_cast<std::int64_t>(type.indices.size()));
  std::int32_t* out = draft.at(step.ranges);
  for (DomainId d = 0; d < type.domains(); ++d) {
    const RowRange rows = rows_of(draft, step.type, d, vertices);
    *out++ = rows.begin, *out++ = rows.end;
  }
  std::fill_n(out, type.indices.size(), kNoRun);
  for (const std::int32_t i : lists_read_[step.type][static_cast<int>(step.stage)]) {
    const DomainId domain = draft.program.types[step.type].indices[i].listed_by();
    out[i] = run_shift(draft.at(type.indices[i]), draft.plan.range(step, domain));
  }
}

}  // namespace cavs
