// The part of ScriptWriter that decides how processors share the entries of steps.

#include "script/write_script.h"
#include "share/work_share.h"

namespace cavs::inline v0_1 {
namespace {

// Least rows per processor for which sharing by rows is better than by columns: kProductRows if the units do not divide
// evenly among processors, kManyRows if they do.
constexpr std::int32_t kProductRows = 16;
constexpr std::int32_t kManyRows = 64;

}  // namespace

void ScriptWriter::share(const Step& step, const Instruction& instruction, const Prepared& prepared,
                         ScriptEntry& entry) {
  switch (prepared.accesses.sharing) {
    case Sharing::kCollective:
      entry.share = Share::kCollective;
      return;
    case Sharing::kOutput:
      entry.share = prepared.accesses.adds_by_tasks ? Share::kCollective : Share::kOutput;
      return;
    case Sharing::kUnits:
      return share_product(prepared, entry);
    case Sharing::kOwner:
      entry.share = Share::kColumns;
      entry.parts = prepared.columns;
      return;
    case Sharing::kRows:
      return share_rows(step, instruction, prepared, entry);
  }
}

/// True if sharing by columns is better, because units divide evenly among processors, and rows are few. Then the
/// processor that computes a result often reads it next. With many rows, sharing by rows has the same advantage.
bool ScriptWriter::divides(const Prepared& prepared, RowRange rows) const {
  const std::int32_t processors = script_->processors;
  return prepared.accesses.units > 0 && prepared.accesses.units % processors == 0 &&
         rows.end - rows.begin < kManyRows * processors;
}

/// Shares a product by columns, which keeps each processor's part of the weight in its cache, or by rows if there are
/// many rows. Fewer rows are enough if columns do not divide evenly. On a GPU, where a unit is one column, the executor
/// cuts products outside of tasks into blocks of rows and columns, because parts by rows or columns would be narrow.
void ScriptWriter::share_product(const Prepared& prepared, ScriptEntry& entry) {
  if (placement_.target.unit_columns == 1 && plan_->steps[entry.step].stage != Stage::kTask) {
    entry.share = Share::kOutput;
    return;
  }
  const std::int32_t processors = script_->processors, rows = entry.rows.end - entry.rows.begin;
  if (divides(prepared, entry.rows) || rows < kProductRows * processors) {
    entry.share = Share::kColumns;
    entry.parts = prepared.columns;
    return;
  }
  cut_rows(entry, [&](std::int32_t p) { return split_range(entry.rows.begin, entry.rows.end, p, processors, 4); });
}

/// Shares an instruction that works row by row. In tasks, independent columns are shared, as the columns of products
/// are, so that a processor mostly reads what it has computed. Outside of tasks, one processor does small work, because
/// a wait costs more, and larger work is shared by columns or rows. If there are few rows, some processors have none.
void ScriptWriter::share_rows(const Step& step, const Instruction& instruction, const Prepared& prepared,
                              ScriptEntry& entry) {
  const std::int32_t processors = script_->processors;
  const std::int32_t begin = entry.rows.begin, end = entry.rows.end;
  const bool with_edges = instruction.domain == kVertexRows && instruction.widths[1] > 0;
  const RowRange edges = with_edges                        ? plan_->range(step, kEdgeRows)
                         : instruction.domain == kEdgeRows ? entry.rows
                                                           : RowRange{0, 0};
  const std::int64_t elements =
      std::int64_t{end - begin} * instruction.widths[0] + std::int64_t{edges.end - edges.begin} * instruction.widths[1];
  const bool by_columns = prepared.accesses.units > 0 && end - begin < 4 * processors;
  if (processors > 1 && step.stage == Stage::kTask && prepared.accesses.units >= processors) {
    entry.share = Share::kColumns;
    entry.parts = prepared.columns;
  } else if (elements < kWorthSharing || processors == 1) {
    entry.share = Share::kOne;
    entry.processor = step.type % processors;
  } else if (by_columns || divides(prepared, entry.rows)) {
    entry.share = Share::kColumns;
    entry.parts = prepared.columns;
  } else if (with_edges) {
    const std::int32_t* const segments = plan_->rows.data() + plan_->types[step.type].segments.begin;
    cut_rows(entry, [&](std::int32_t p) {
      return split_by_cost(begin, end, p, processors, segments, instruction.widths[0], instruction.widths[1]);
    });
  } else {
    cut_rows(entry, [&](std::int32_t p) { return split_range(begin, end, p, processors); });
  }
}

/// Shares an entry by rows. @param cut  cut(p) returns the rows of processor p
template <typename Cut>
void ScriptWriter::cut_rows(ScriptEntry& entry, Cut cut) {
  entry.share = Share::kRows;
  entry.parts.begin = static_cast<std::int32_t>(script_->parts.size());
  for (std::int32_t p = 0; p < script_->processors; ++p)
    if (const RowRange rows = cut(p); rows.begin < rows.end) script_->parts.push_back({p, rows.begin, rows.end});
  entry.parts.count = static_cast<std::int32_t>(script_->parts.size()) - entry.parts.begin;
}

}  // namespace cavs::inline v0_1
