#include <algorithm>
#include <limits>
#include <tuple>

#include "execute/batched/work_share.h"
#include "execute/batched/worker.h"
#include "support/check.h"
#include "support/overloaded.h"

namespace cavs {
namespace {

constexpr std::int64_t kWorthSharing = 2048;  // elements; less is one worker's work
constexpr std::int32_t kColumnGrain = 16;

/// Of the product that leads a row group; else 0.
int units_of(const Instruction& i) {
  const auto* group = i.as<RowGroup>();
  return group == nullptr ? 0 : group->product_units;
}

/// Rows that a group works on at a time, and edges unless one vertex has more: what its members write for them,
/// 256 KiB, fits a core's own cache; below a few rows the calls cost more than the cache saves. A product wants more,
/// as its weights pass through the cache with every block.
std::int32_t rows_of_block(const Instruction& i) {
  if (units_of(i) > 0) return cpu::kRowBlock;
  constexpr std::int32_t kFloats = 65536, kFewest = 16, kMost = 1024, kMatrix = 16384;
  const std::int32_t width = std::max(i.widths[0] + i.widths[1], 1);
  if (width > kMatrix) return std::max(kFloats / width, 1);  // a row is work enough for a call
  return std::clamp(kFloats / width, kFewest, kMost) / 16 * 16;
}

/// Of a tile for so many: tensors in it begin on cache lines.
std::int32_t rows_of_tile(std::int32_t rows) { return (rows + 15) / 16 * 16; }

}  // namespace

/// Shares what works row by row: as the product that leads it; nothing is worth less than a barrier; rows where there
/// are enough of them; columns where they are independent; else rows again, and some workers have none.
void Executor::run_rows(Worker& worker, const Instruction& i, RowRange rows) {
  const bool with_edges = i.domain == kVertexRows && i.widths[1] > 0;
  worker.columns = {0, 0};
  if (const int units = units_of(i); units > 0) {
    const ProductShare share = share_of_product(rows.begin, rows.end, units, worker.number, worker.workers);
    if (share.empty()) return;
    rows = {share.row_begin, share.row_end};
    worker.units = {share.unit_begin, share.unit_end};
    worker.columns = {share.unit_begin * cpu::kSlice, std::min(share.unit_end * cpu::kSlice, i.free_columns)};
  } else if (worker.workers > 1) {
    const std::int64_t count = rows.end - rows.begin;
    const RowRange edges = with_edges ? worker.range(kEdgeRows) : i.domain == kEdgeRows ? rows : RowRange{0, 0};
    const bool small = count * i.widths[0] + std::int64_t{edges.end - edges.begin} * i.widths[1] < kWorthSharing;
    if (small && worker.number != 0) return;
    if (!small && i.free_columns > 0 && count < 4 * worker.workers) {
      const auto [left, right] = split_range(0, i.free_columns, worker.number, worker.workers, kColumnGrain);
      if (left == right) return;
      worker.columns = {left, right};
    } else if (!small && with_edges) {
      rows = split_by_cost(rows.begin, rows.end, worker.number, worker.workers, worker.rows(worker.type().segments),
                           i.widths[0], i.widths[1]);
    } else if (!small) {
      rows = split_range(rows.begin, rows.end, worker.number, worker.workers);
    }
  }
  if (const auto* group = i.as<RowGroup>())
    run_row_group(worker, i, *group, rows);
  else if (rows.begin < rows.end)
    run_member(worker, i, rows);
}

void Executor::find_tile_uses() {
  for (std::size_t t = 0; t < program_->types.size(); ++t)
    each_code(program_->types[t], [&](const Code& code, bool, Stage) {
      for (const Instruction& i : code)
        if (const auto* group = i.as<RowGroup>())
          tile_uses_.push_back({static_cast<std::int32_t>(t), rows_of_block(i), group->tile_widths, i.domain});
    });
}

std::int64_t Executor::tile_bytes(const Plan& plan) const {
  std::int64_t most = 0;
  for (const TileUse& use : tile_uses_) {
    const Plan::Type& type = plan.types[use.type];
    const std::int32_t of_vertex = use.domain == kVertexRows ? type.max_edges : 0;  // whose edges are in one block
    const std::int64_t rows = rows_of_tile(std::min(use.rows, type.vertices)),
                       edges = rows_of_tile(std::max(std::min(use.rows, type.edges), of_vertex));
    most = std::max(most, rows * use.widths[0] + edges * use.widths[1]);
  }
  return most * static_cast<std::int64_t>(sizeof(float) * workers_.size());
}

/// All members on one block of rows, then on the next: what they leave each other in the tile stays in the cache.
void Executor::run_row_group(Worker& worker, const Instruction& i, const RowGroup& group, RowRange rows) {
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
    const std::int32_t edge_rows = rows_of_tile(edges.end - edges.begin);
    const std::size_t floats = static_cast<std::size_t>(tile_rows) * group.tile_widths[0];
    const std::size_t all = floats + static_cast<std::size_t>(edge_rows) * group.tile_widths[1];
    float* const memory = worker.tile_memory.floats(all);
#ifndef NDEBUG  // what is read before it is written shows as not a number
    std::fill_n(memory, all, std::numeric_limits<float>::quiet_NaN());
#endif
    worker.tiles = {Worker::Tile{memory, block.begin, tile_rows},
                    Worker::Tile{memory + floats, edges.begin, edge_rows}};
    for (const Instruction& member : group.members) {
      const RowRange own = member.domain == kEdgeRows ? edges : block;
      const Timer timed = timer(worker, member);
      if (own.begin < own.end) run_member(worker, member, own);
    }
    rows.begin = block.end;
  }
}

void Executor::run_member(Worker& worker, const Instruction& i, RowRange rows) {
  std::visit(Overloaded{
                 [&](const Elementwise& loop) { run_elementwise(worker, i, loop, rows); },
                 [&](const Matmul& product) { run_product(worker, i, product, rows); },
                 [&](const RowOp& row) { run_row(worker, i, row, rows); },
                 [&](const GatherGradient& gather) { run_gather_gradient(worker, i, gather, rows); },
                 [&](const SegmentSum&) { run_segment_sum(worker, i, rows); },
                 [](const auto&) { CAVS_ASSERT(false); },
             },
             i.kind);
}

}  // namespace cavs
