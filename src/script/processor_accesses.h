#pragma once

#include <algorithm>
#include <vector>

#include "script/script.h"

namespace cavs::inline v0_1 {

/// The elements of operands that one processor reads and writes in an entry.
class ProcessorAccesses {
 public:
  ProcessorAccesses(const Plan& plan, const Script& script, const ScriptEntry& entry, std::int32_t processor)
      : plan_(plan), script_(script), entry_(entry), processor_(processor) {}

  /// Calls f(operand, row, column, end) for columns [column, end) of each row of each operand in the arena, and
  /// f(operand, 0, 0, 0) for each operand that is accessed as a whole. A member's reads precede its writes.
  template <typename F>
  void each(F f) const {
    for (const ScriptMember& member : part_of(script_.members, entry_.members)) {
      const std::vector<RowRange> rows = rows_of(member);
      for (const ScriptOperand& o : part_of(script_.operands, member.operands))
        if (o.all)
          f(o, 0, 0, 0);
        else if (o.buffer == Buffer::kArena)
          each_row(o, rows,
                   [&](std::int32_t row) { each_columns(o, [&](auto from, auto to) { f(o, row, from, to); }); });
    }
  }

 private:
  /// Returns the rows on which the processor runs a member.
  std::vector<RowRange> rows_of(const ScriptMember& member) const {
    std::vector<RowRange> rows;
    if (entry_.share != Share::kRows) rows.push_back(entry_.rows);
    if (entry_.share == Share::kRows)
      for (const Part& own : part_of(script_.parts, entry_.parts))
        if (own.processor == processor_) rows.push_back({own.begin, own.end});
    if (!member.by_edge) return rows;
    const Plan::Type& type = plan_.types[plan_.steps[entry_.step].type];
    const std::int32_t* const segments = plan_.rows.data() + type.segments.begin;
    for (RowRange& r : rows) r = {segments[r.begin], segments[r.end]};
    return rows;
  }

  /// Calls f(row) for each row of the operand that `rows` of the entry access.
  template <typename F>
  void each_row(const ScriptOperand& o, const std::vector<RowRange>& rows, F f) const {
    if (o.stride == 0) return f(0);  // all rows of the entry access row 0
    const std::int32_t* const all = plan_.rows.data();
    for (const auto& [begin, end] : rows) {
      const bool segments = o.segments >= 0;
      const std::int32_t first = segments ? all[o.segments + begin] : begin;
      const std::int32_t last = segments ? all[o.segments + end] : end;
      for (std::int32_t k = first; k < last; ++k)
        if (const std::int32_t row = o.list < 0 ? k : all[o.list + k]; row >= 0) f(row);
    }
  }

  /// Calls f(begin, end) for each range of the operand's columns that belongs to the processor.
  template <typename F>
  void each_columns(const ScriptOperand& o, F f) const {
    if (entry_.share != Share::kColumns || o.gate == 0) return f(0, o.width);
    for (const Part& own : part_of(script_.parts, entry_.parts)) {
      if (own.processor != processor_) continue;
      const std::int32_t begin = std::max((own.begin - o.first_unit) * script_.unit, 0);
      const std::int32_t end = std::min((own.end - o.first_unit) * script_.unit, o.gate);
      for (std::int32_t g = 0; g < o.width && begin < end; g += o.gate) f(g + begin, std::min(g + end, o.width));
    }
  }

  const Plan& plan_;
  const Script& script_;
  const ScriptEntry& entry_;
  std::int32_t processor_;
};

}  // namespace cavs::inline v0_1
