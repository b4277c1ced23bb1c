#include "backend/cuda/persistent/kernel_source.h"

#include <map>

#include "backend/cuda/entries/kernel_tables.h"
#include "backend/cuda/entries/program_text.h"

namespace cavs::cuda {
namespace {

class Source : TextWriter {
 public:
  Source(const Program& program, const WeightPlacement& placement, const KernelOptions& options)
      : program_(program), options_(options), tables_(kernel_tables(program, placement, options)) {}

  KernelSource write() {
    write_program();
    return {take(), program_files(program_, tables_, options_, false)};
  }

 private:
  /// Writes the class Program of device/kernel.cuh.
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

  /// Returns how many inputs an element-wise loop loads at once. If weights occupy many registers, few are free.
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

  /// Writes multiply(). In fp32, tiles with the same number of columns share one computation of their work.
  void write_multiply() {
    line("  CAVS_DEVICE void multiply({} i32 tile) const {{",
         is_bf16() ? "[[maybe_unused]] const MatrixTileWork& of, [[maybe_unused]] i32 matrix,"
                   : "[[maybe_unused]] const Work& work, [[maybe_unused]] const Panel& panel, "
                     "[[maybe_unused]] const UnitRange& own,");
    line("    switch (tile) {{");
    std::map<std::int32_t, std::vector<std::size_t>> tiles;  // numbers of the tiles, by columns per warp
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

  /// Writes the element-wise loops, once for each text, and other operations on elements.
  void write_elements() {
    line("  static CAVS_DEVICE void run_loop(i32 number, EntryOperands o, i32 r, i32 c) {{\n    switch (number) {{");
    for (const auto& [text, numbers] : loops_of(program_, inputs_at_once())) {
      for (const std::int32_t number : numbers) line("      case {}:", number);
      add("      {\n" + text + "        return;\n      }\n");
    }
    line("      default: return;\n    }}\n  }}");
    line("  static CAVS_DEVICE void run_element(const EntryOperands& o, i32 r, i32 c) {{\n    switch (o.operation) {{");
    line("      case {}: return run_loop(o.entry[kNumberWord], o, r, c);", static_cast<int>(kLoop));
    write_row_calls(true, "(o, r, c); return");
    line("      default: return;\n    }}\n  }}");
  }

  /// Writes calls of the operations that the program has. @param rest  text that follows the function's name in a case
  void write_row_calls(bool of_elements, std::string_view rest) {
    for (const auto& [function, operations] : row_calls_of(tables_, of_elements)) {
      for (const Operation operation : operations) line("      case {}:", static_cast<int>(operation));
      line("        {}{};", function, rest);
    }
  }

  bool is_bf16() const { return options_.precision == Precision::kBf16; }

  const Program& program_;
  const KernelOptions& options_;
  KernelTables tables_;
};

}  // namespace

KernelSource persistent_kernel_source(const Program& program, const WeightPlacement& placement,
                                      const KernelOptions& options) {
  return Source(program, placement, options).write();
}

}  // namespace cavs::cuda
