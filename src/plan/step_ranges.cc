#include "plan/step_ranges.h"

#include <algorithm>

namespace cavs::inline v0_1 {
namespace {

/// Returns the difference between an entry and its position if it is equal for all entries of the range, else kNoRun.
std::int32_t run_shift(const std::int32_t* list, RowRange rows) {
  const auto [begin, end] = rows;
  if (begin == end || list[begin] < 0) return kNoRun;
  const std::int32_t shift = list[begin] - begin;
  if (list[end - 1] != end - 1 + shift) return kNoRun;  // a quick test that most other lists fail
  std::int32_t differences = 0;
  for (std::int32_t r = begin; r < end; ++r) differences |= list[r] ^ (r + shift);
  return differences == 0 ? shift : kNoRun;
}

RowRange rows_of(const Plan& plan, const Plan::Type& type, DomainId domain, RowRange vertices) {
  if (domain == kParameterRows) return {0, 1};
  if (domain == kVertexRows) return vertices;
  const Slice before = domain == kEdgeRows ? type.segments : type.before[domain - kPartialRows];
  if (before.count == 0) return {0, 0};  // the type does not use edges
  const std::int32_t* const rows = plan.rows.data() + before.begin;
  return {rows[vertices.begin], rows[vertices.end]};
}

/// Returns the numbers of the index lists through which a stage of F or ∂F reads rows, if they have an entry per row.
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

StepRanges::StepRanges(const Program& program) : program_(program) {
  for (const TypeProgram& type : program.types) {
    auto& lists = lists_read_.emplace_back();
    for (std::size_t s = 0; s < lists.size(); ++s) lists[s] = lists_read(type, static_cast<Stage>(s));
  }
}

void StepRanges::write(const Plan& plan, std::int32_t type, Stage stage, RowRange vertices, std::int32_t* to) const {
  const Plan::Type& lists = plan.types[type];
  std::int32_t* out = to;
  for (DomainId d = 0; d < lists.domains(); ++d) {
    const RowRange rows = rows_of(plan, lists, d, vertices);
    *out++ = rows.begin;
    *out++ = rows.end;
  }
  std::fill_n(out, lists.indices.size(), kNoRun);
  for (const std::int32_t i : lists_read_[type][static_cast<int>(stage)]) {
    const DomainId domain = program_.types[type].indices[i].listed_by();
    out[i] = run_shift(plan.rows.data() + lists.indices[i].begin, {to[2 * domain], to[2 * domain + 1]});
  }
}

}  // namespace cavs::inline v0_1
