#include "backend/cuda/persistent/kernel_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <utility>

#include "backend/cuda/persistent/kernel_tables.h"
#include "backend/cuda/persistent/row_calls.h"
#include "support/check.h"
#include "support/split_range.h"

namespace cavs::cuda {
namespace {

/// What an instruction computes, by ScalarOp: {0} and {1} are the registers that it reads, {2} the number of an input,
/// {3} the bits of a constant.
constexpr std::string_view kExpressions[] = {"in{2}",
                                             "float_of(0x{3:08X}U)",
                                             "{0} + {1}",
                                             "{0} - {1}",
                                             "{0} * {1}",
                                             "{0} / {1}",
                                             "math::max({0}, {1})",
                                             "math::min({0}, {1})",
                                             "{0} > {1} ? 1.0F : 0.0F",
                                             "{0} == {1} ? 1.0F : 0.0F",
                                             "{0} != 0.0F ? {1} : 0.0F",
                                             "-{0}",
                                             "math::exp({0})",
                                             "math::log({0})",
                                             "square_root({0})",
                                             "math::abs({0})",
                                             "math::tanh({0})",
                                             "math::sigmoid({0})",
                                             "math::erf({0})",
                                             "math::round({0})"};
static_assert(std::size(kExpressions) == kScalarOpNames.size());

/// Statements that run an element-wise instruction for element (r, c), made from its scalar program. `o` is what
/// device/row_operations.cuh calls Operands. Equal loops of different instructions have the same text.
/// @param inputs_at_once  that are read before the next ones
std::string loop_source(const Instruction& instruction, const Elementwise& loop, std::size_t inputs_at_once) {
  const std::size_t inputs = instruction.in.size();
  std::string text;
  for (std::size_t k = 0; k < inputs; ++k) {
    text +=
        fmt::format("      const float in{} = o.x({}).at(r, {});\n", k, k, instruction.in[k].width == 1 ? "0" : "c");
    if ((k + 1) % inputs_at_once == 0 && k + 1 < inputs)
      text += fmt::format("      o.wait_for(bits_of(in{} + 0.0F));\n", k);
  }
  std::vector<std::string> registers(static_cast<std::size_t>(loop.program.registers));
  for (std::size_t n = 0; n < loop.program.code.size(); ++n) {
    const ScalarInstruction& i = loop.program.code[n];
    const int reads = operands(i.op);
    const std::string computed =
        fmt::format(fmt::runtime(kExpressions[static_cast<std::size_t>(i.op)]), reads > 0 ? registers[i.a] : "",
                    reads > 1 ? registers[i.b] : "", i.a, std::bit_cast<std::uint32_t>(i.value));
    registers[i.dst] = fmt::format("v{}", n);
    text += fmt::format("      const float v{} = {};\n", n, computed);
  }
  for (std::size_t k = 0; k < instruction.out.size(); ++k)
    text += fmt::format("      o.x({}).put(r, c, {});\n", inputs + k, registers[loop.program.outputs[k]]);
  return text;
}

class Source {
 public:
  Source(const Program& program, const WeightPlacement& placement, const KernelOptions& options)
      : program_(program), options_(options), tables_(kernel_tables(program, placement, options)) {}

  KernelSource write() {
    KernelSource source{"", device_files()};
    write_tables();
    const auto tables =
        std::ranges::find(source.files, "backend/cuda/persistent/device/program.cuh", &SourceFile::name);
    CAVS_ASSERT(tables != source.files.end());
    tables->text = std::exchange(text_, {});
    write_program();
    source.text = std::move(text_);
    return source;
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void write_constants() {
    line("constexpr int kWarps = {}, kThreads = {}, kSumRowsOfBlock = {};", options_.warps, kernel_threads(options_),
         program_.target.sum_rows);
    line("constexpr bool kBf16 = {};", is_bf16());
    line("constexpr bool kClocks = {};", options_.clocks);
    line("constexpr int kParameterCount = {};", tables_.parameters.size());
    line("constexpr int kMostOperands = {}, kBlockMemoryBytes = {};", tables_.most_operands,
         block_memory_bytes(program_, options_));
    line("constexpr int kSharedWords = {};  // of a lane", tables_.shared_words);
    line("constexpr bool kHasOperation[kOperations] = {{{}}};",
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
    line("#pragma once\n#include \"backend/cuda/device/cuda_layer.cuh\"");
    line("#include \"backend/cuda/device/operation.h\"\n#include \"backend/cuda/persistent/tables.h\"");
    line("namespace cavs::cuda {{");
    write_constants();
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
    line("}}  // namespace cavs::cuda");
  }

  /// See device/kernel.cuh.
  void write_program() {
    line("#include \"backend/cuda/persistent/device/kernel.cuh\"\n\nnamespace cavs::cuda {{\n");
    line("struct Program {{");
    write_registers();
    write_multiply();
    write_rows();
    write_elements();
    line("}};\n\n}}  // namespace cavs::cuda\n");
    line("CAVS_KERNEL({}) {}(cavs::cuda::KernelArguments a) {{ cavs::cuda::run_kernel<cavs::cuda::Program>(a); }}",
         kernel_threads(options_), kKernelName);
  }

  /// Of an element-wise loop: where weights take most registers, too few are left for where all inputs lie.
  std::size_t inputs_at_once() const {
    constexpr int kMany = 184, kFew = 4, kAll = 1 << 30;
    return tables_.registers > kMany ? kFew : kAll;
  }

  template <typename F>
  void each_register_tile(F f) const {
    for (std::size_t t = 0; t < tables_.tiles.size(); ++t)
      if (!tables_.tiles[t].is_shared()) f(t, tables_.tiles[t]);
  }

  void write_registers() {
    each_register_tile([&](std::size_t t, const TileShape& tile) {
      line("  {}<{}, {}, {}> tile{};", is_bf16() ? "MatrixTile" : "Tile", tile.pieces, tables_.panels[tile.panel].gates,
           tile.values, t);
    });
    line("  CAVS_DEVICE void read([[maybe_unused]] const KernelArguments& a) {{");
    each_register_tile([&](std::size_t t, const TileShape& tile) {
      line("    tile{0}.read(a, kPanels[{1}], units_of({0}));", t, tile.panel);
    });
    line("  }}");
  }

  /// In fp32, what tiles of as many columns have to do of a panel is found once for them.
  void write_multiply() {
    line("  CAVS_DEVICE void multiply({} i32 tile) const {{",
         is_bf16() ? "[[maybe_unused]] const MatrixTileWork& of, [[maybe_unused]] i32 matrix,"
                   : "[[maybe_unused]] const Work& work, [[maybe_unused]] const Panel& panel, "
                     "[[maybe_unused]] const UnitRange& own,");
    line("    switch (tile) {{");
    std::map<std::int32_t, std::vector<std::size_t>> tiles;  // numbers, by columns of a warp
    each_register_tile([&](std::size_t t, const TileShape& tile) {
      if (is_bf16())
        line("      case {0}: return tile{0}.multiply(of, matrix);", t);
      else
        tiles[tile.pieces].push_back(t);
    });
    for (const auto& [columns, numbers] : tiles) {
      for (const std::size_t t : numbers) line("      case {}:", t);
      line("      {{\n        const TileWork<{}> of(work, panel, own);\n        switch (tile) {{", columns);
      for (const std::size_t t : numbers) line("          case {0}: tile{0}.multiply(of); break;", t);
      line("        }}\n        return;\n      }}");
    }
    line("      default:");
    if (tables_.shared_words > 0)
      line("        {};", is_bf16() ? "SharedMatrixTile(tile, of.panel).multiply(of, matrix)"
                                    : "SharedTile(tile, panel).multiply(work, own)");
    line("        return;\n    }}\n  }}");
  }

  void write_rows() {
    line("  static CAVS_DEVICE bool run_rows(const EntryOperands& o) {{\n    switch (o.operation) {{");
    write_row_calls(false, "(o); return true");
    line("      default: return false;\n    }}\n  }}");
  }

  /// Element-wise loops, of which those of the same text are one, and what else makes an element.
  void write_elements() {
    std::map<std::string, std::vector<std::int32_t>> loops;  // numbers, by text
    for (const TypeProgram& type : program_.types)
      each_code(type, [&](const cavs::Code& code, bool, Stage) {
        each_instruction(code, [&](const Instruction& i) {
          if (const auto* const loop = i.as<Elementwise>())
            loops[loop_source(i, *loop, inputs_at_once())].push_back(loop->loop);
        });
      });
    line("  static CAVS_DEVICE void run_loop(i32 number, EntryOperands o, i32 r, i32 c) {{\n    switch (number) {{");
    for (const auto& [text, numbers] : loops) {
      for (const std::int32_t number : numbers) line("      case {}:", number);
      text_ += "      {\n" + text + "        return;\n      }\n";
    }
    line("      default: return;\n    }}\n  }}");
    line("  static CAVS_DEVICE void run_element(const EntryOperands& o, i32 r, i32 c) {{\n    switch (o.operation) {{");
    line("      case {}: return run_loop(o.entry[kNumberWord], o, r, c);", static_cast<int>(kLoop));
    write_row_calls(true, "(o, r, c); return");
    line("      default: return;\n    }}\n  }}");
  }

  /// Calls of those operations that the program has. @param rest  of the case, after the function
  void write_row_calls(bool of_elements, std::string_view rest) {
    std::map<std::string_view, std::vector<Operation>> calls;
    for (int number = 0; number < kOperations; ++number) {
      const auto operation = static_cast<Operation>(number);
      if (tables_.operations[operation] == 0 || (operation < kCopy && operation != kSumSegments)) continue;
      const RowCall& row = row_call(operation);
      if (row.is_of_element() == of_elements) calls[row.function].push_back(operation);
    }
    for (const auto& [function, operations] : calls) {
      for (const Operation operation : operations) line("      case {}:", static_cast<int>(operation));
      line("        {}{};", function, rest);
    }
  }

  bool is_bf16() const { return options_.precision == Precision::kBf16; }

  const Program& program_;
  const KernelOptions& options_;
  KernelTables tables_;
  std::string text_;
};

}  // namespace

KernelSource persistent_kernel_source(const Program& program, const WeightPlacement& placement,
                                      const KernelOptions& options) {
  return Source(program, placement, options).write();
}

}  // namespace cavs::cuda
