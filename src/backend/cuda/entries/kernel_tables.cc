#include "backend/cuda/entries/kernel_tables.h"

#include <algorithm>
#include <limits>

#include "backend/cuda/entries/kernel_arguments.h"
#include "backend/cuda/entries/operand_numbers.h"
#include "backend/cuda/entries/row_calls.h"
#include "backend/cuda/entries/tile_shape.h"
#include "support/check.h"
#include "support/overloaded.h"

namespace cavs::cuda {
namespace {

std::int32_t divide_up(std::int32_t a, std::int32_t b) { return (a + b - 1) / b; }
std::int64_t round_up(std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; }

/// Returns the units of a weight, which are neighbours, that each processor keeps in `memory` and faster memories.
std::vector<Range<std::int32_t>> units_up_to(std::int32_t memory, const PlacedWeight& placed, std::int32_t processors) {
  std::vector<Range<std::int32_t>> units(static_cast<std::size_t>(processors), {0, 0});
  for (std::int32_t u = 0; u < placed.units(); ++u) {
    if (placed.memory[u] == PlacedWeight::kStreamed || placed.memory[u] > memory) continue;
    Range<std::int32_t>& own = units[placed.owner[u]];
    if (own.begin == own.end) own = {u, u};
    if (own.end == u) own.end = u + 1;
  }
  return units;
}

/// Returns the largest number of operands of an entry.
std::int32_t most_operands(const Program& program) {
  std::int32_t most = 1;
  for (const TypeProgram& type : program.types)
    each_code(type, [&](const cavs::Code& code, bool, Stage) {
      for (const Instruction& i : code) {
        std::int32_t all = 0;
        operand_numbers(type, i, all);
        most = std::max(most, all);
      }
    });
  return most;
}

class Builder {
 public:
  Builder(const Program& program, const WeightPlacement& placement, const KernelOptions& options)
      : program_(program), placement_(placement), options_(options) {}

  KernelTables build() {
    check();
    add_parameters();
    tables_.operations.assign(kOperations, 0);
    tables_.most_operands = most_operands(program_);
    for (const TypeProgram& type : program_.types) {
      auto& codes = tables_.codes.emplace_back();
      each_code(type, [&](const cavs::Code& code, bool backward, Stage stage) {
        for (const Instruction& i : code) {
          const Code found = code_of(type, i, stage);
          tables_.operations[found.operation] = 1;
          codes[backward][static_cast<std::size_t>(stage)].push_back(found);
        }
      });
    }
    return std::move(tables_);
  }

 private:
  void check() const {
    user_check(options_.warps >= 1 && options_.warps <= 32, "a kernel has {} warps per block; expected 1 to 32",
               options_.warps);
    user_check(placement_.target.unit_columns == 1,
               "kernels need weights that are placed column by column, found units of {} columns; use "
               "place_for_kernel()",
               placement_.target.unit_columns);
  }

  void add_parameters() {
    std::int64_t offset = 0, squares = 0;
    for (const ParameterInfo& info : program_.parameters) {
      const std::int64_t size = info.shape.size();
      user_check(size <= std::numeric_limits<std::int32_t>::max(),
                 "parameter '{}' has {} numbers, at most 2^31 - 1 are possible on a GPU; use device cpu", info.name,
                 size);
      tables_.parameters.push_back({offset, static_cast<std::int32_t>(size), info.table ? info.shape.dims[1] : 0,
                                    static_cast<std::int32_t>(squares), 0});
      offset += round_up(size, kParameterAlignment);
      squares += (size + kSquareBlock - 1) / kSquareBlock;
    }
    for (const Weight& weight : program_.weights)
      for (const std::int32_t p : weight.parameters) tables_.parameters[p].is_factor = 1;
  }

  Code code_of(const TypeProgram& type, const Instruction& i, Stage stage) {
    return std::visit(Overloaded{
                          [&](const Elementwise& loop) {
                            return Code{kLoop, loop.loop, 0};
                          },
                          [&](const Matmul&) { return add_product(type, i, stage); },
                          [&](const RowOp& row) {
                            const RowCall* const call = find_row_call(row.op->id);
                            if (call == nullptr) refuse(type, row.op->name);
                            return Code{call->operation};
                          },
                          [](const WeightGradient&) { return Code{kWeightGradient}; },
                          [](const SumRows&) { return Code{kSumRows}; },
                          [](const LookupGradient&) { return Code{kLookupGradient}; },
                          [](const GatherGradient&) { return Code{kSumSegments}; },
                          [](const SegmentSum&) { return Code{kSumSegments}; },
                          [](const LinearCrossEntropy&) { return Code{kLinearCrossEntropy}; },
                          [&](const RowGroup&) {
                            Code code{kGroup};
                            if (members_of(i).front().is<Matmul>()) code = add_product(type, i, stage);
                            code.operation = kGroup;
                            code.group = tables_.groups++;
                            return code;
                          },
                      },
                      i.kind);
  }

  [[noreturn]] static void refuse(const TypeProgram& type, std::string_view what) {
    user_error("engines of a GPU do not support {}, which vertex function '{}' needs; use device cpu", what,
               type.function.name);
  }

  /// Adds a panel for each input and width of gates. @param i  a product, or a group that begins with a product
  Code add_product(const TypeProgram& type, const Instruction& i, Stage stage) {
    Code code{kProduct, static_cast<std::int32_t>(tables_.panels.size()), 0};
    const Instruction& first_member = members_of(i).front();
    const Matmul& product = *first_member.as<Matmul>();
    std::int32_t all = 0;
    const OperandNumbers numbers = operand_numbers(type, i, all).front();
    const auto target_of = [&](std::int32_t out, std::int32_t column) {
      if (product.gate == 0) return 0;
      for (std::int32_t before = 0; before < out; ++before) column += first_member.out[before].width;
      return column / product.gate;
    };
    for (std::size_t f = 0; f < product.factors.size(); ++f) {
      const Factor& factor = product.factors[f];
      const Weight& weight = program_.weights[factor.weight];
      const std::size_t first = tables_.panels.size();
      std::int32_t unit = 0;
      for (std::size_t p = 0; p < factor.parameters.size(); ++p) {
        const Shape& shape = program_.parameters[factor.parameters[p]].shape;
        const std::int32_t rows = shape.dims[0], columns = shape.dims[1];
        const std::int32_t k = weight.transposed ? columns : rows, n = weight.transposed ? rows : columns;
        const std::int32_t gate = weight.gate > 0 ? weight.gate : n;
        if (weight.gate == 0 || p == 0)
          tables_.panels.push_back({numbers.in[f], k, unit, gate, number_of_gates(), 0, 0, -1, -1});
        if (weight.gate == 0) unit += n;
        Panel& panel = tables_.panels.back();
        CAVS_ASSERT(panel.k == k && n % gate == 0);
        for (std::int32_t column = 0; column < n; column += gate, ++panel.gates) {
          const std::int32_t target = target_of(factor.outs[p], column);
          if (target < kMostGates) panel.targets |= 1U << target;
          tables_.gates.push_back(
              {tables_.parameters[factor.parameters[p]].offset + std::int64_t{column} * (weight.transposed ? k : 1),
               weight.transposed ? 1 : n, weight.transposed ? k : 1, numbers.out[factor.outs[p]], column, factor.add[p],
               target, factor.parameters[p]});
        }
      }
      if (stage == Stage::kTask) add_tiles(factor.weight, first);
    }
    code.end = static_cast<std::int32_t>(tables_.panels.size());
    return code;
  }

  std::int32_t number_of_gates() const { return static_cast<std::int32_t>(tables_.gates.size()); }

  /// Adds tiles for the weight's panels, which begin with panel `first`. They have as many units as fit.
  void add_tiles(std::int32_t weight, std::size_t first) {
    const PlacedWeight* const placed = placement_.find(weight);
    if (placed == nullptr) return;
    for (const bool shared : {false, true}) {
      const std::vector<Range<std::int32_t>> kept = units_up_to(shared ? 1 : 0, *placed, placement_.target.processors);
      for (std::size_t p = first; p < tables_.panels.size(); ++p) {
        const auto number = static_cast<std::int32_t>(p), part = static_cast<std::int32_t>(p - first);
        const auto same = std::ranges::find_if(tables_.tiles, [&](const TileShape& tile) {
          return tile.weight == weight && tile.part == part && tile.is_shared() == shared;
        });
        if (same == tables_.tiles.end())
          add_tile({.weight = weight, .part = part, .panel = number, .first = shared ? tables_.shared_words : -1},
                   kept);
        else
          number_of_tile(tables_.panels[p], shared) = static_cast<std::int32_t>(same - tables_.tiles.begin());
      }
    }
  }
  static std::int32_t& number_of_tile(Panel& panel, bool shared) { return shared ? panel.shared : panel.tile; }

  void add_tile(TileShape tile, const std::vector<Range<std::int32_t>>& kept) {
    Panel& panel = tables_.panels[tile.panel];
    const bool shared = tile.is_shared();
    std::int32_t& used = shared ? tables_.shared_words : tables_.registers;
    const std::int32_t room = (shared ? options_.shared_words : options_.weight_registers) - used;
    std::int32_t most = 0;
    for (std::size_t processor = 0; processor < kept.size(); ++processor) {
      Range<std::int32_t> own = kept[processor];
      if (shared && panel.tile >= 0)  // no range if only another processor has units in registers
        own.begin = std::max(own.begin, tables_.tiles[panel.tile].units[processor].end);
      const std::int32_t begin = std::clamp(own.begin, panel.first, panel.first + panel.units);
      tile.units.push_back({begin, std::clamp(own.end, begin, panel.first + panel.units)});
      most = std::max(most, tile.units.back().end - begin);
    }
    const bool is_bf16 = options_.precision == Precision::kBf16;
    std::int32_t dealt_to = options_.warps;
    if (is_bf16) {
      tile.values = divide_up(panel.k, kDepthTogether * kParts);
      tile.piece_columns = kColumnsTogether;
      dealt_to = 1;
      tile.piece_words = 2 * tile.values * divide_up(kParts, options_.warps);
    } else {
      tile.values = divide_up(panel.k, 32);
      tile.piece_words = tile.values;
    }
    const std::int32_t wanted = divide_up(most * panel.gates, tile.piece_columns * dealt_to);
    tile.pieces = std::min(wanted, room / tile.piece_words);
    const std::int32_t units = tile.columns() * dealt_to / panel.gates;
    if (tile.pieces <= 0 || units == 0) return;
    used += tile.words();
    for (Range<std::int32_t>& own : tile.units) own.end = std::min(own.end, own.begin + units);
    number_of_tile(panel, shared) = static_cast<std::int32_t>(tables_.tiles.size());
    tables_.tiles.push_back(std::move(tile));
  }

  const Program& program_;
  const WeightPlacement& placement_;
  const KernelOptions& options_;
  KernelTables tables_;
};

}  // namespace

KernelTables kernel_tables(const Program& program, const WeightPlacement& placement, const KernelOptions& options) {
  return Builder(program, placement, options).build();
}

std::optional<KernelOptions> options_with_fewer_weights(const KernelTables& tables, KernelOptions options) {
  constexpr std::int32_t kFewer = 16;
  if (tables.registers == 0 && tables.shared_words == 0) return std::nullopt;
  if (tables.registers == 0) options.shared_words = 0;
  options.weight_registers = std::max(0, tables.registers - kFewer);
  return options;
}

std::vector<std::int64_t> parameter_offsets(const Program& program) {
  std::vector<std::int64_t> offsets{0};
  for (const ParameterInfo& info : program.parameters)
    offsets.push_back(offsets.back() + round_up(info.shape.size(), kParameterAlignment));
  return offsets;
}

std::int64_t block_memory_bytes(const Program& program, const KernelOptions& options, bool independent) {
  constexpr std::int64_t kOperand = 48, kProduct = 160,
                         kSums = std::int64_t{4} * kParts * kMatricesTogether * kRowsTogether * kColumnsTogether;
  // Two buffers. Each has 4 rows per warp and a tile's columns for each number of the depth, with padding.
  const std::int64_t numbers = std::int64_t{8} * kMostBlockDepth * (4 * options.warps + 4 + kBlockColumns + 4);
  const std::int64_t columns = std::int64_t{4} * kernel_threads(options) * (kRowsAtOnce + 1);
  std::int64_t most = columns;
  if (!independent) most = std::max({columns, numbers, options.precision == Precision::kBf16 ? kSums : 0});
  return most_operands(program) * kOperand + kProduct + most;
}

int most_shared_words(const Program& program, const KernelOptions& options, std::int64_t bytes) {
  const std::int64_t left = bytes - block_memory_bytes(program, options, false);
  return static_cast<int>(std::max<std::int64_t>(left, 0) / (std::int64_t{4} * kernel_threads(options)));
}

std::int64_t square_blocks(const Program& program) {
  std::int64_t blocks = 0;
  for (const ParameterInfo& info : program.parameters) blocks += (info.shape.size() + kSquareBlock - 1) / kSquareBlock;
  return blocks;
}

Target batched_target() {
  Target target = kernel_target();
  target.grouping = RowGrouping::kColumns;
  target.most_gates = kMostGates;
  return target;
}

Target kernel_target() {
  return {.slice_columns = 1,
          .sum_rows = 256,
          .tile_sums = 4,
          .alignment = 32,
          .fuses_loops = true,
          .grouping = RowGrouping::kNone};
}

}  // namespace cavs::cuda
