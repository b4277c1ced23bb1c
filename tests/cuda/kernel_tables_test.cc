// The kernel's tables assign the units of each weight to processors and memories.

#include "backend/cuda/entries/kernel_tables.h"

#include <gtest/gtest.h>

#include "backend/cuda/persistent/kernel_target.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda {
namespace {

struct Deal {
  int hidden, processors, registers, shared_words;
};
void PrintTo(const Deal& deal, std::ostream* out) {
  *out << deal.hidden << ", " << deal.processors << " processors, " << deal.registers << " registers, "
       << deal.shared_words << " words";
}

/// Units of the panel within [begin, end).
Range<std::int32_t> in_panel(const Panel& panel, std::int32_t begin, std::int32_t end) {
  begin = std::clamp(begin, panel.first, panel.first + panel.units);
  return {begin, std::clamp(end, begin, panel.first + panel.units)};
}

/// The adjacent units of a weight that a processor owns.
Range<std::int32_t> owned_units(const PlacedWeight& placed, std::int32_t processor) {
  const auto [first, last] = std::equal_range(placed.owner.begin(), placed.owner.end(), processor);
  return {static_cast<std::int32_t>(first - placed.owner.begin()),
          static_cast<std::int32_t>(last - placed.owner.begin())};
}

/// Visits a panel like the kernel: units in registers, then in shared memory, then the processor's others.
void expect_each_unit_once(const KernelTables& tables, const Panel& panel, const PlacedWeight& placed,
                           std::int32_t processor) {
  const Range<std::int32_t> all = owned_units(placed, processor), own = in_panel(panel, all.begin, all.end);
  std::int32_t done = own.begin;
  const auto multiply = [&](Range<std::int32_t> units) {
    if (units.begin == units.end) return;
    EXPECT_EQ(units.begin, done) << "processor " << processor << " has units " << own.begin << " to " << own.end;
    done = units.end;
  };
  std::int32_t end = 0;
  for (const std::int32_t tile : {panel.tile, panel.shared}) {
    if (tile < 0) continue;
    const Range<std::int32_t> units = tables.tiles[tile].units[processor];
    multiply(units);
    end = units.end;
  }
  multiply(in_panel(panel, std::max(end, own.begin), own.end));
  EXPECT_EQ(done, own.end) << "processor " << processor;
}

class TablesOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, TablesOfModel, testing::ValuesIn(model_names()), zoo_test_name);

TEST_P(TablesOfModel, CoverEachUnitOnceByItsOwner) {
  int shared_tiles = 0;
  for (const Deal& deal : {Deal{20, 1, 7, 11}, Deal{20, 3, 17, 21}, Deal{48, 6, 42, 60}, Deal{48, 7, 0, 400},
                           Deal{100, 6, 42, 400}, Deal{300, 132, 208, 207}, Deal{600, 132, 208, 143}})
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      const auto program = compile(small_model(GetParam(), 0, deal.hidden), {}, kernel_target());
      const KernelOptions options{.warps = deal.processors < 100 ? 2 : 8,
                                  .weight_registers = deal.registers,
                                  .shared_words = deal.shared_words,
                                  .precision = precision};
      const WeightPlacement placement = place_weights(
          *program, gpu_target("a GPU", deal.processors, options.warps, deal.registers, deal.shared_words),
          precision == Precision::kBf16 ? 2 : 4);
      const KernelTables tables = kernel_tables(*program, placement, options);
      EXPECT_LE(tables.registers, deal.registers);
      EXPECT_LE(tables.shared_words, deal.shared_words);
      for (const TileShape& tile : tables.tiles) {
        shared_tiles += tile.is_shared() ? 1 : 0;
        SCOPED_TRACE(testing::Message() << testing::PrintToString(deal) << ", weight " << tile.weight << ", panel "
                                        << tile.panel);
        for (std::int32_t processor = 0; processor < deal.processors; ++processor)
          expect_each_unit_once(tables, tables.panels[tile.panel], *placement.find(tile.weight), processor);
      }
    }
  EXPECT_GT(shared_tiles, 0);
}

/// The sizes in docs/measurements/cuda.md.
TEST(Tables, AnH100KeepsABinaryTreeLstmOf768) {
  const DeviceProperties& h100 = known_gpus().back();
  const auto kept = [&](std::int32_t hidden, Precision precision) {
    const auto program = compile(small_model("tree-lstm-binary", 0, hidden), {}, kernel_target());
    const WeightPlacement placement =
        place_for_kernel(*program, h100.architecture(), h100.processors, widest_options(*program, h100, precision));
    const bool in_registers = std::ranges::all_of(placement.weights, [](const PlacedWeight& placed) {
      return std::ranges::count(placed.memory, 0) == placed.units();
    });
    return in_registers ? 2 : fits(placement) ? 1 : 0;
  };
  EXPECT_EQ(kept(512, Precision::kFp32), 2);
  EXPECT_EQ(kept(768, Precision::kFp32), 1) << "some weights are in shared memory";
  EXPECT_EQ(kept(1024, Precision::kFp32), 0);
  EXPECT_EQ(kept(704, Precision::kBf16), 2);
  EXPECT_EQ(kept(1024, Precision::kBf16), 1);
}

}  // namespace
}  // namespace cavs::cuda
