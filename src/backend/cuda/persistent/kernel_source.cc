#include "backend/cuda/persistent/kernel_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "backend/cuda/persistent/device_text.h"
#include "backend/cuda/persistent/kernel_tables.h"
#include "backend/cuda/persistent/loop_source.h"
#include "backend/cuda/persistent/row_calls.h"
#include "support/check.h"

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
    write_row_operation();
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
    line("constexpr int kParameterCount = {};", tables_.parameters.size());
    line("constexpr bool kHasPulls = {};", !program_.float_ports.empty());
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
      return fmt::format("{}, {}, {}, {}, {}, {}", p.in, p.k, p.first, p.units, p.gate, p.gates);
    });
    for (std::size_t t = 0; t < tables_.tiles.size(); ++t)
      write_table("UnitRange", fmt::format("kUnitsOfTile{}", t), tables_.tiles[t].units,
                  [](const auto& own) { return fmt::format("{}, {}", own.begin, own.end); });
    line("}}  // namespace cavs::cuda\n");
  }

  /// Loops of the same text are one function.
  void write_loops() {
    std::map<std::string, std::vector<std::int32_t>> loops;  // numbers, by what follows the name
    for (const TypeProgram& type : program_.types)
      each_code(type, [&](const cavs::Code& code, bool, Stage) {
        each_instruction(code, [&](const Instruction& i) {
          if (const auto* const loop = i.as<Elementwise>()) loops[loop_source(i, *loop)].push_back(loop->loop);
        });
      });
    for (const auto& [text, numbers] : loops) line("CAVS_DEVICE void run_loop{}{}", numbers.front(), text);
    line("CAVS_DEVICE void run_loop(const KernelArguments& a, const Entry& entry, const Work& work) {{");
    line("  switch (entry[kNumberWord]) {{");
    for (const auto& [text, numbers] : loops) {
      for (const std::int32_t number : numbers) line("    case {}:", number);
      line("      return run_loop{}(a, entry, work);", numbers.front());
    }
    line("    default: return;\n  }}\n}}\n");
  }

  /// Those operations that the program has.
  void write_row_operation() {
    line("CAVS_DEVICE void run_rows(const KernelArguments& a, const Entry& entry, const Work& work) {{");
    line("  const auto x = [&](int number) {{ return operand(a, entry, number); }};");
    line("  switch (entry[kOperationWord]) {{");
    for (int number = 0; number < kOperations; ++number) {
      const auto operation = static_cast<Operation>(number);
      if (tables_.operations[operation] == 0 || (operation < kCopy && operation != kSumSegments)) continue;
      std::string call(row_call(operation).call);
      const auto replace = [&](std::string_view name, std::string_view by) {
        for (std::size_t at = call.find(name); at != std::string::npos; at = call.find(name, at + by.size()))
          call.replace(at, name.size(), by);
      };
      for (int operand = 0; operand < 5; ++operand) replace(fmt::format("x{}", operand), fmt::format("x({})", operand));
      replace("number", "float_of(static_cast<unsigned>(entry.attribute(kNumberAttribute)))");
      replace("matrix_rows", "entry.attribute(kMatrixRows)");
      replace("labels", "entry.list(kLabels)");
      replace("window", "Window(entry)");
      line("    case {}: return {};", number, call);
    }
    line("    default: return;\n  }}\n}}\n");
  }

  void write_kernel() {
    line("CAVS_KERNEL({}) {}(cavs::cuda::KernelArguments a) {{", kernel_threads(options_), kKernelName);
    line("  using namespace cavs::cuda;");
    for (std::size_t t = 0; t < tables_.tiles.size(); ++t) {
      const TileShape& tile = tables_.tiles[t];
      const std::int32_t panel = tile.panels.front();
      line("  {}<{}, {}, {}> tile{};", options_.precision == Precision::kBf16 ? "MatrixTile" : "Tile", tile.pieces,
           tables_.panels[panel].gates, tile.values, t);
      line("  tile{0}.read(a, kPanels[{1}], units_of(kUnitsOfTile{0}));", t, panel);
    }
    constexpr std::string_view kMarker = "// TILES\n";
    const std::size_t tiles = kKernelText.find(kMarker);
    text_ += kKernelText.substr(0, tiles);
    for (std::size_t t = 0; t < tables_.tiles.size(); ++t) {
      for (const std::int32_t panel : tables_.tiles[t].panels) line("            case {}:", panel);
      line("              tile{0}.multiply(a, entry, work, panel, units_of(kUnitsOfTile{0}));", t);
      line("              done = units_of(kUnitsOfTile{0}).end;", t);
      line("              break;");
    }
    text_ += kKernelText.substr(tiles + kMarker.size());
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
