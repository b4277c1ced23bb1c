#include "backend/cuda/entries/program_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "backend/cuda/entries/loop_text.h"
#include "backend/cuda/entries/row_calls.h"
#include "support/check.h"
#include "support/split_range.h"

namespace cavs::cuda {
namespace {

std::string loop_source(const Instruction& instruction, const Elementwise& loop, std::size_t inputs_at_once) {
  const std::size_t inputs = instruction.in.size();
  std::string text;
  std::vector<std::string> in, out;
  for (std::size_t k = 0; k < inputs; ++k) {
    in.push_back(fmt::format("in{}", k));
    text += fmt::format("      [[maybe_unused]] const float in{} = o.x({}).at(r, {});\n", k, k,
                        instruction.in[k].width == 1 ? "0" : "c");
    if ((k + 1) % inputs_at_once == 0 && k + 1 < inputs)
      text += fmt::format("      o.wait_for(bits_of(in{} + 0.0F));\n", k);
  }
  text += scalar_text(loop.program, "", in, out);
  for (std::size_t k = 0; k < instruction.out.size(); ++k)
    text += fmt::format("      o.x({}).put(r, c, {});\n", inputs + k, out[k]);
  return text;
}

/// Writes the text that replaces device/program.cuh in a kernel.
class ProgramText : TextWriter {
 public:
  ProgramText(const Program& program, const KernelTables& tables, const KernelOptions& options, bool independent)
      : program_(program), tables_(tables), options_(options), independent_(independent) {}

  std::string write() {
    write_tables();
    return take();
  }

 private:
  void write_constants() {
    line("constexpr int kWarps = {}, kThreads = {}, kSumRowsOfBlock = {};", options_.warps, kernel_threads(options_),
         program_.target.sum_rows);
    line("constexpr bool kBf16 = {}, kTf32 = {};", options_.precision == Precision::kBf16,
         options_.precision == Precision::kTf32);
    line("constexpr bool kIndependent = {};", independent_);
    line("constexpr bool kClocks = {};", options_.clocks);
    line("constexpr bool kCallers = {};", options_.callers);
    line("constexpr int kParameterCount = {};", tables_.parameters.size());
    line("constexpr int kMostOperands = {}, kBlockMemoryBytes = {};", tables_.most_operands,
         block_memory_bytes(program_, options_, independent_));
    line("constexpr int kSharedWords = {};  // per lane", tables_.shared_words);
    line("constexpr bool kHasOperation[kOperations] = {{{}}};",
         fmt::join(std::vector<int>(tables_.operations.begin(), tables_.operations.end()), ", "));
  }

  /// Writes a table. It has at least one row, since C++ has no arrays of size 0.
  template <typename T, typename F>
  void write_table(std::string_view type, std::string_view name, const std::vector<T>& rows, F format) {
    line("CAVS_TABLE {} {}[] = {{", type, name);
    for (const T& row : rows) line("    {{{}}},", format(row));
    if (rows.empty()) line("    {{}},");
    line("}};");
  }

  void write_tables() {
    line("#pragma once\n#include \"backend/cuda/device/cuda_layer.cuh\"");
    line("#include \"backend/cuda/device/operation.h\"\n#include \"backend/cuda/entries/tables.h\"");
    line("namespace cavs::cuda {{");
    write_constants();
    write_table("Parameter", "kParameters", tables_.parameters, [](const Parameter& p) {
      return fmt::format("{}, {}, {}, {}, {}", p.offset, p.size, p.width, p.squares, p.is_factor);
    });
    write_table("Gate", "kGates", tables_.gates, [](const Gate& g) {
      return fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", g.weight, g.k_stride, g.column_stride, g.out, g.column,
                         g.add, g.target, g.parameter);
    });
    write_table("Panel", "kPanels", tables_.panels, [](const Panel& p) {
      return fmt::format("{}, {}, {}, {}, {}, {}, {}U, {}, {}", p.in, p.k, p.first, p.units, p.gate, p.gates, p.targets,
                         p.tile, p.shared);
    });
    write_table("TilePlace", "kTiles", tables_.tiles,
                [](const TileShape& t) { return fmt::format("{}, {}, {}", t.panel, t.pieces, t.first); });
    std::vector<Range<std::int32_t>> units;
    for (const TileShape& tile : tables_.tiles) units.insert(units.end(), tile.units.begin(), tile.units.end());
    write_table("UnitRange", "kUnitsOfTiles", units,
                [](const auto& own) { return fmt::format("{}, {}", own.begin, own.end); });
    line("}}  // namespace cavs::cuda");
  }

  const Program& program_;
  const KernelTables& tables_;
  const KernelOptions& options_;
  const bool independent_;
};

}  // namespace

std::vector<SourceFile> program_files(const Program& program, const KernelTables& tables, const KernelOptions& options,
                                      bool independent) {
  std::vector<SourceFile> files = device_files();
  const auto of_program = std::ranges::find(files, "backend/cuda/entries/device/program.cuh", &SourceFile::name);
  CAVS_ASSERT(of_program != files.end());
  of_program->text = ProgramText(program, tables, options, independent).write();
  return files;
}

std::map<std::string, std::vector<std::int32_t>> loops_of(const Program& program, std::size_t inputs_at_once) {
  std::map<std::string, std::vector<std::int32_t>> loops;
  for (const TypeProgram& type : program.types)
    each_code(type, [&](const cavs::Code& code, bool, Stage) {
      for (const Instruction& i : code)
        if (const auto* const loop = i.as<Elementwise>())
          loops[loop_source(i, *loop, inputs_at_once)].push_back(loop->loop);
    });
  return loops;
}

std::map<std::string_view, std::vector<Operation>> row_calls_of(const KernelTables& tables, bool of_elements) {
  std::map<std::string_view, std::vector<Operation>> calls;
  for (int number = 0; number < kOperations; ++number) {
    const auto operation = static_cast<Operation>(number);
    if (tables.operations[operation] == 0 || (operation < kCopy && operation != kSumSegments)) continue;
    const RowCall& row = row_call(operation);
    if (row.is_of_element() == of_elements) calls[row.function].push_back(operation);
  }
  return calls;
}

}  // namespace cavs::cuda
