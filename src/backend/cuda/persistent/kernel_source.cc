#include "backend/cuda/persistent/kernel_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

  void write_loops() {
    std::vector<std::int32_t> loops;
    for (const TypeProgram& type : program_.types)
      each_code(type, [&](const cavs::Code& code, bool backward, Stage) {
        each_instruction(code, [&](const Instruction& i) {
          const auto* const loop = i.as<Elementwise>();
          if (loop == nullptr) return;
          line("// {} of '{}'.", backward ? "∂F" : "F", type.function.name);
          text_ += loop_source(i, *loop);
          loops.push_back(loop->loop);
        });
      });
    line("CAVS_DEVICE void run_loop(const KernelArguments& a, const Entry& entry, const Work& work) {{");
    line("  switch (entry[kNumberWord]) {{");
    for (const std::int32_t loop : loops) line("    case {}: return run_loop{}(a, entry, work);", loop, loop);
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
      line("  {}<{}, {}, {}> tile{};", options_.precision == Precision::kBf16 ? "MatrixTile" : "Tile", tile.slots,
           tables_.panels[panel].gates, tile.values, t);
      line("  const i32 begin{0} = kUnitsOfTile{0}[processor()].begin, end{0} = kUnitsOfTile{0}[processor()].end;", t);
      line("  tile{0}.read(a, kPanels[{1}], begin{0}, end{0});", t, panel);
    }
    constexpr std::string_view kMarker = "// TILES\n";
    const std::size_t tiles = kKernelText.find(kMarker);
    text_ += kKernelText.substr(0, tiles);
    for (std::size_t t = 0; t < tables_.tiles.size(); ++t) {
      for (const std::int32_t panel : tables_.tiles[t].panels) line("            case {}:", panel);
      line("              tile{0}.multiply(a, entry, work, panel, begin{0}, end{0});", t);
      line("              begin = larger(begin, end{});", t);
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
