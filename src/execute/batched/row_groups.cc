#include "execute/batched/row_groups.h"

#include <algorithm>
#include <limits>

#include "execute/batched/profile.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int64_t kWorthSharing = 2048;  // number of elements below which one worker computes all
constexpr std::int32_t kColumnGrain = 16;

/// Returns the number of units (slices of columns) of the product that leads a row group, or 0.
int units_of(const Instruction& i) {
  const auto* group = i.as<RowGroup>();
  return group == nullptr ? 0 : group->product_units;
}

/// Returns the number of rows per block of a group, which is also the largest number of edges unless one vertex has
/// more. The results of a block, 256 KiB for all members, fit a core's own cache; with fewer rows, calls cost more than
/// the cache saves. A product needs more rows, since its weights pass through the cache with every block.
std::int32_t rows_of_block(const Instruction& i) {
  if (units_of(i) > 0) return cpu::kRowBlock;
  constexpr std::int32_t kFloats = 65536, kFewest = 16, kMost = 1024, kMatrix = 16384;
  const std::int32_t width = std::max(i.widths[0] + i.widths[1], 1);
  if (width > kMatrix) return std::max(kFloats / width, 1);  // a row is enough work for a call
  return std::clamp(kFloats / width, kFewest, kMost) / 16 * 16;
}

/// Returns `rows`, rounded up so that every tensor of a tile begins on a cache line.
std::int32_t rows_of_tile(std::int32_t rows) { return (rows + 15) / 16 * 16; }

/// Returns the worker's share. A group that a product leads is shared like the product. Otherwise one worker gets all
/// if the work takes less time than a barrier. Else workers share rows if there are enough, else columns if these are
/// independent, else rows again, and some workers get none.
RowShare share_rows(const Worker& worker, const WorkPart& work, const Instruction& i, RowRange rows) {
  const RowShare all{{rows}}, none{{{rows.begin, rows.begin}}};
  if (const int units = units_of(i); units > 0) {
    const ProductShare share = share_of_product(rows, units, work);
    if (share.empty()) return none;
    return {share, {share.units.begin * cpu::kSlice, std::min(share.units.end * cpu::kSlice, i.free_columns)}};
  }
  if (work.parts == 1) return all;
  const bool with_edges = i.domain == kVertexRows && i.widths[1] > 0;
  const std::int64_t count = rows.end - rows.begin;
  const RowRange edges = with_edges ? worker.range(kEdgeRows) : i.domain == kEdgeRows ? rows : RowRange{0, 0};
  if (count * i.widths[0] + std::int64_t{edges.end - edges.begin} * i.widths[1] < kWorthSharing)
    return work.part == 0 ? all : none;
  if (i.free_columns > 0 && count < 4 * work.parts) {
    const RowRange columns = split_range(0, i.free_columns, work, kColumnGrain);
    return columns.begin == columns.end ? none : RowShare{{rows}, columns};
  }
  if (with_edges)
    return {{split_by_cost(rows.begin, rows.end, work.part, work.parts, worker.rows(worker.type().segments),
                           i.widths[0], i.widths[1])}};
  return {{split_range(rows.begin, rows.end, work)}};
}

}  // namespace

RowGroupRunner::RowGroupRunner(const Program& program, const RowRunner& rows) : rows_(rows) {
  for (std::size_t t = 0; t < program.types.size(); ++t)
    each_code(program.types[t], [&](const Code& code, bool, Stage) {
      for (const Instruction& i : code)
        if (const auto* group = i.as<RowGroup>())
          tile_uses_.push_back({static_cast<std::int32_t>(t), rows_of_block(i), group->tile_widths, i.domain});
    });
}

std::int64_t RowGroupRunner::tile_bytes(const Plan& plan, int workers) const {
  std::int64_t most = 0;
  for (const TileUse& use : tile_uses_) {
    const Plan::Type& type = plan.types[use.type];
    const std::int32_t of_vertex = use.domain == kVertexRows ? type.max_edges : 0;  // a vertex' edges are in one block
    const std::int64_t rows = rows_of_tile(std::min(use.rows, type.vertices)),
                       edges = rows_of_tile(std::max(std::min(use.rows, type.edges), of_vertex));
    most = std::max(most, rows * use.widths[0] + edges * use.widths[1]);
  }
  return most * static_cast<std::int64_t>(sizeof(float)) * workers;
}

void RowGroupRunner::run(Worker& worker, const WorkPart& work, const Instruction& i, RowRange all) const {
  const RowShare share = share_rows(worker, work, i, all);
  if (share.rows.begin == share.rows.end) return;
  if (const auto* group = i.as<RowGroup>())
    run_group(worker, i, *group, share);
  else
    rows_.run(worker, i, share);
}

/// Runs all members on one block of rows, then on the next block.
void RowGroupRunner::run_group(Worker& worker, const Instruction& i, const RowGroup& group,
                               const RowShare& share) const {
  RowRange rows = share.rows;
  const std::int32_t* const segments = worker.rows(worker.type().segments);
  const std::int32_t most = rows_of_block(i), tile_rows = rows_of_tile(std::min(most, rows.end - rows.begin));
  while (rows.begin < rows.end) {
    RowRange block{rows.begin, rows.begin + std::min(most, rows.end - rows.begin)}, edges = block;
    if (i.domain == kVertexRows && i.widths[1] + group.tile_widths[1] > 0) {
      const std::int32_t* const last =
          std::upper_bound(segments + block.begin + 2, segments + block.end + 1, segments[block.begin] + most) - 1;
      block.end = static_cast<std::int32_t>(last - segments);
      edges = {segments[block.begin], segments[block.end]};
    }
    run_block(worker, group, {{block, share.units}, share.columns}, edges, tile_rows);
    rows.begin = block.end;
  }
}

void RowGroupRunner::run_block(Worker& worker, const RowGroup& group, const RowShare& block, RowRange edges,
                               std::int32_t tile_rows) const {
  const std::int32_t edge_rows = rows_of_tile(edges.end - edges.begin);
  const std::size_t floats = static_cast<std::size_t>(tile_rows) * group.tile_widths[0];
  const std::size_t all = floats + static_cast<std::size_t>(edge_rows) * group.tile_widths[1];
  float* const memory = worker.tile_memory.floats(all);
#ifndef NDEBUG  // so that a value that is read before it is written is NaN
  std::fill_n(memory, all, std::numeric_limits<float>::quiet_NaN());
#endif
  worker.tiles = {StepView::Tile{memory, block.rows.begin, tile_rows},
                  StepView::Tile{memory + floats, edges.begin, edge_rows}};
  for (const Instruction& member : group.members) {
    RowShare own = block;
    if (member.domain == kEdgeRows) own.rows = edges;
    if (own.rows.begin == own.rows.end) continue;
    const Timer timed(worker, member);
    rows_.run(worker, member, own);
  }
}

}  // namespace cavs::inline v0_1
