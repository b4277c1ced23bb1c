#include "backend/cuda/persistent/kernel_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "backend/cuda/persistent/device_text.h"
#include "backend/cuda/persistent/kernel_tables.h"
#include "backend/cuda/persistent/loop_source.h"
#include "backend/cuda/persistent/row_calls.h"
#include "support/check.h"
#include "support/split_range.h"

namespace cavs::cuda {
namespace {

class Source {
 public:
  Source(const Program& program, const WeightPlacement& placement, const KernelOptions& options)
      : program_(program), options_(options), tables_(kernel_tables(program, placement, options)) {}

  std::string write() {
    text_ = "// Made for one program and one placement of its weights.\n";
    text_ += kTextBeforeTables;
    write_constants();
    write_tables();
    text_ += kTextAfterTables;
    text_ += "namespace cavs::cuda {\n\n";
    write_loops();
    write_row_operations();
    text_ += "}  // namespace cavs::cuda\n\n";
    write_kernel();
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void write_constants() {
    line("namespace cavs::cuda {{");
    line("constexpr int kWarps = {}, kThreads = {}, kSumRowsOfBlock = {};", options_.warps, kernel_threads(options_),
         program_.target.sum_rows);
    line("constexpr bool kBf16 = {};", options_.precision == Precision::kBf16);
    line("constexpr bool kClocks = {};", options_.clocks);
    line("constexpr int kParameterCount = {};", tables_.parameters.size());
    line("constexpr int kMostOperands = {}, kBlockMemoryBytes = {};", tables_.most_operands,
         block_memory_bytes(program_, options_));
    line("constexpr int kSharedWords = {};  // of a lane", tables_.shared_words);
    line("constexpr bool kHasOperation[] = {{{}}};",
         fmt::join(std::vector<int>(tables_.operations.begin(), tables_.operations.end()), ", "));
  }

  /// A table has at least one row, as an array must.
  template <typename T, typename F>
  void write_table(std::string_view type, std::string_view name, const std::vector<T>& rows, F format) {
    line("CAVS_TABLE {} {}[] = {{", type, name);
    for (const T& row : rows) line("    {{{}}},", format(row));
    if (rows.empty()) line("    {{}},");
    line("}};");
  }

  void write_tables() {
    write_table("Parameter", "kParameters", tables_.parameters,
                [](const Parameter& p) { return fmt::format("{}, {}, {}, {}", p.offset, p.size, p.width, p.squares); });
    write_table("Gate", "kGates", tables_.gates, [](const Gate& g) {
      return fmt::format("{}, {}, {}, {}, {}, {}", g.weight, g.k_stride, g.column_stride, g.out, g.column, g.add);
    });
    write_table("Panel", "kPanels", tables_.panels, [](const Panel& p) {
      return fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", p.in, p.k, p.first, p.units, p.gate, p.gates, p.tile,
                         p.shared);
    });
    write_table("TilePlace", "kTiles", tables_.tiles,
                [](const TileShape& t) { return fmt::format("{}, {}, {}", t.panel, t.pieces, t.first); });
    std::vector<Range<std::int32_t>> units;
    for (const TileShape& tile : tables_.tiles) units.insert(units.end(), tile.units.begin(), tile.units.end());
    write_table("UnitRange", "kUnitsOfTiles", units,
                [](const auto& own) { return fmt::format("{}, {}", own.begin, own.end); });
    line("}}  // namespace cavs::cuda\n");
  }

  /// Of an element-wise loop: where weights take most registers, too few are left for where all inputs lie.
  std::size_t inputs_at_once() const {
    constexpr int kMany = 184, kFew = 4, kAll = 1 << 30;
    return tables_.registers > kMany ? kFew : kAll;
  }

  /// Element-wise loops. Those of the same text are one.
  void write_loops() {
    std::map<std::string, std::vector<std::int32_t>> loops;  // numbers, by text
    for (const TypeProgram& type : program_.types)
      each_code(type, [&](const cavs::Code& code, bool, Stage) {
        each_instruction(code, [&](const Instruction& i) {
          if (const auto* const loop = i.as<Elementwise>())
            loops[loop_source(i, *loop, inputs_at_once())].push_back(loop->loop);
        });
      });
    line("CAVS_DEVICE void run_loop(i32 number, i32 x, i32 r, i32 c) {{");
    line("  switch (number) {{");
    for (const auto& [text, numbers] : loops) {
      for (const std::int32_t number : numbers) line("    case {}:", number);
      text_ += "    {\n" + text + "      return;\n    }\n";
    }
    line("    default: return;\n  }}\n}}\n");
  }

  /// What works row by row or element by element. One loop over elements has all that is done with one, since the
  /// compilers' time goes with the length of what they inline.
  void write_row_operations() {
    line("CAVS_DEVICE void run_rows(const Entry& of_rows, const Work& work) {{");
    line("  const i32 operation = of_rows[kOperationWord];");
    line("  const Entry entry = of_rows;");
    line("  switch (operation) {{");
    write_row_calls(false, "");
    line("    default: break;\n  }}");
    line("  each_element(work, operand(entry[kOperandCountWord] - 1).width, [&](i32 r, i32 c) {{");
    line("    const i32 first = forget(0);");
    line("    const Entry entry = forget(of_rows);");
    line("    switch (operation) {{");
    line("    case {}:\n      return run_loop(entry[kNumberWord], first, r, c);", static_cast<int>(kLoop));
    write_row_calls(true, "first + ");
    line("    default: return;\n    }}\n  }});\n}}\n");
  }

  /// Calls of those operations that the program has.
  /// @param first  in the text, before the number of an operand
  void write_row_calls(bool of_elements, std::string_view first) {
    std::map<std::string_view, std::vector<Operation>> calls;
    for (int number = 0; number < kOperations; ++number) {
      const auto operation = static_cast<Operation>(number);
      if (tables_.operations[operation] == 0 || (operation < kCopy && operation != kSumSegments)) continue;
      const RowCall& row = row_call(operation);
      if (row.is_of_element() == of_elements) calls[row.call].push_back(operation);
    }
    for (const auto& [text, operations] : calls) {
      std::string call(text);
      const auto replace = [&](std::string_view name, std::string_view by) {
        for (std::size_t at = call.find(name); at != std::string::npos; at = call.find(name, at + by.size()))
          call.replace(at, name.size(), by);
      };
      for (int number = 0; number < 5; ++number)
        replace(fmt::format("x{}", number), fmt::format("operand({}{})", first, number));
      replace("number", "float_of(static_cast<unsigned>(entry.attribute(kNumberAttribute)))");
      replace("matrix_rows", "entry.attribute(kMatrixRows)");
      replace("labels", "entry.list(kLabels)");
      replace("window", "Window(entry)");
      for (const Operation operation : operations) line("    case {}:", static_cast<int>(operation));
      line("      return {};", call);
    }
  }

  void write_kernel() {
    line("CAVS_KERNEL({}) {}(cavs::cuda::KernelArguments a) {{", kernel_threads(options_), kKernelName);
    line("  using namespace cavs::cuda;");
    const bool is_bf16 = options_.precision == Precision::kBf16;
    for (std::size_t t = 0; t < tables_.tiles.size(); ++t) {
      const TileShape& tile = tables_.tiles[t];
      if (tile.is_shared()) continue;
      line("  {}<{}, {}, {}> tile{};", is_bf16 ? "MatrixTile" : "Tile", tile.pieces, tables_.panels[tile.panel].gates,
           tile.values, t);
      line("  tile{0}.read(a, kPanels[{1}], units_of({0}));", t, tile.panel);
    }
    if (tables_.shared_words > 0) {
      line("#pragma unroll 1\n  for (i32 tile = 0; tile < {}; ++tile)", tables_.tiles.size());
      line("    if (kTiles[tile].first >= 0) {}(tile, kPanels[kTiles[tile].panel]).read(a, units_of(tile));",
           shared_tile());
    }
    constexpr std::string_view kMarker = "// TILES\n";
    const std::size_t marker = kKernelText.find(kMarker);
    text_ += kKernelText.substr(0, marker);
    if (is_bf16)
      write_matrix_tiles();
    else
      write_tiles();
    text_ += kKernelText.substr(marker + kMarker.size());
  }

  std::string_view shared_tile() const {
    return options_.precision == Precision::kBf16 ? "SharedMatrixTile" : "SharedTile";
  }
  /// By any tile in shared memory; empty where there is none.
  std::string multiply_shared(std::string_view arguments) const {
    if (tables_.shared_words == 0) return "";
    return fmt::format("{}(tile, panel).multiply({}); ", shared_tile(), arguments);
  }

  /// What tiles of as many columns have to do of a panel is found once for them.
  void write_tiles() {
    std::map<std::int32_t, std::vector<std::size_t>> tiles;  // numbers, by columns of a warp
    for (std::size_t t = 0; t < tables_.tiles.size(); ++t)
      if (!tables_.tiles[t].is_shared()) tiles[tables_.tiles[t].pieces].push_back(t);
    line("switch (tile) {{");
    for (const auto& [columns, numbers] : tiles) {
      for (const std::size_t t : numbers) line("            case {}:", t);
      line("            {{");
      line("              const TileWork<{}> of_tile(work, panel, own);", columns);
      line("              switch (tile) {{");
      for (const std::size_t t : numbers) line("                case {0}: tile{0}.multiply(of_tile); break;", t);
      line("              }}\n              break;\n            }}");
    }
    line("            default: {}break;\n          }}", multiply_shared("work, own"));
  }

  /// The parts of sums are added in one place for all tiles.
  void write_matrix_tiles() {
    line("#pragma unroll 1");
    line("          for (i32 row = work.row_begin; row < work.row_end; row += kRowsTogether) {{");
    line("            const MatrixTileWork of_tile(a, work, panel, own, row);");
    line("#pragma unroll 1");
    line("            for (i32 m = 0; m < of_tile.matrices(); m += PartSums::kMatrices) {{");
    line("              switch (tile) {{");
    for (std::size_t t = 0; t < tables_.tiles.size(); ++t)
      if (!tables_.tiles[t].is_shared()) line("                case {0}: tile{0}.multiply(of_tile, m); break;", t);
    line("                default: {}break;\n              }}", multiply_shared("of_tile, m"));
    line("              sync();  // the parts are there");
    line("              of_tile.add_parts(row, m);");
    line("              sync();  // and have been added\n            }}\n          }}");
  }

  const Program& program_;
  const KernelOptions& options_;
  KernelTables tables_;
  std::string text_;
};

}  // namespace

std::string persistent_kernel_source(const Program& program, const WeightPlacement& placement,
                                     const KernelOptions& options) {
  return Source(program, placement, options).write();
}

}  // namespace cavs::cuda
