#include "backend/cuda/batched/kernel_source.h"

#include <algorithm>

#include "backend/cuda/batched/group_text.h"
#include "backend/cuda/entries/operand_numbers.h"
#include "backend/cuda/entries/program_text.h"
#include "backend/cuda/entries/row_calls.h"
#include "ir/op.h"

namespace cavs::cuda {
namespace {

/// Writes the source; see device/kernels.cuh.
class BatchedSource : TextWriter {
 public:
  BatchedSource(const Program& program, const KernelTables& tables, const KernelOptions& options)
      : program_(program), tables_(tables), options_(options) {}

  BatchedKernels write() {
    kernels_.of_operation.fill(BatchedKernels::kNoKernels);
    line("#include \"backend/cuda/batched/device/kernels.cuh\"\n");
    write_shared();
    write_operations();
    write_rows(false);
    write_rows(true);
    write_loops();
    write_groups();
    kernels_.source = {take(), program_files(program_, tables_, options_, true)};
    return std::move(kernels_);
  }

 private:
  bool has(Operation operation) const { return tables_.operations[operation] != 0; }

  /// Writes a kernel. @param runs  the function that the kernel calls. @return number of the kernel
  int write_kernel(const std::string& name, const std::string& runs, int shared_words = 0) {
    line("CAVS_KERNEL({}) cavs_{}(cavs::cuda::Launch launch) {{ cavs::cuda::{}(launch); }}", kernel_threads(options_),
         name, runs);
    kernels_.kernels.push_back({.name = "cavs_" + name, .shared_bytes = 4 * shared_words});
    return static_cast<int>(kernels_.kernels.size()) - 1;
  }

  /// Writes one kernel per size of tiles. A size for which a block lacks memory has the kernel of the next smaller one.
  /// @param runs  its {} is replaced by the size   @param last  the largest size
  KernelsBySize write_tiles(const std::string& name, const std::string& runs, int gates, bool left_along,
                            bool right_along, TileSize last = kLargeTile) {
    constexpr std::string_view kNames[] = {"small", "medium", "large"};
    const bool halves = options_.precision == Precision::kBf16;
    const std::int64_t most_words =
        (options_.most_shared_bytes - block_memory_bytes(program_, options_, true)) / std::int64_t{4};
    KernelsBySize kernels{};
    for (int size = 0; size < kTileSizes; ++size) {
      const int words = tile_words(size, halves, gates, left_along, right_along);
      if (size > 0 && (size > last || words > most_words)) {
        kernels[size] = kernels[size - 1];
        continue;
      }
      kernels[size] =
          write_kernel(fmt::format("{}_{}", name, kNames[size]), fmt::format(fmt::runtime(runs), size), words);
      BatchedKernels::Kernel& kernel = kernels_.kernels.back();
      kernel.tile_rows = tile_rows(size, halves);
      kernel.tile_columns = gates * tile_units(size, gates);
    }
    return kernels;
  }

  void write_shared() {
    constexpr std::string_view kNames[] = {"begin_stretch",     "run_clear_gradients", "run_sums",
                                           "run_update",        "run_add_gradients",   "run_move_averages",
                                           "run_round_weights", "run_best_words",      "run_keep_states",
                                           "run_copy_rows",     "run_entropies"};
    static_assert(std::size(kNames) == kSharedKernels);
    for (int k = 0; k < kSharedKernels; ++k) {
      const bool is_used = k < kRoundWeights        ? true
                           : k == kRoundWeights     ? options_.precision == Precision::kBf16
                           : k <= kKeepStates       ? !program_.options.training
                           : k == kCopyRowsOfCaller ? options_.callers
                                                    : has(kLinearCrossEntropy);
      if (!is_used) {
        kernels_.kernels.emplace_back();
        continue;
      }
      const std::string_view name = kNames[k];
      write_kernel(std::string(name.starts_with("run_") ? name.substr(4) : name), std::string(name));
    }
  }

  void write_operations() {
    if (has(kProduct)) {
      kernels_.of_operation[kProduct] = write_tiles("product", "run_product<{}, false>", 1, true, false);
      kernels_.transposed_product = write_tiles("transposed_product", "run_product<{}, true>", 1, true, true);
    }
    if (has(kWeightGradient))
      kernels_.of_operation[kWeightGradient] =
          write_tiles("weight_gradient", "run_weight_gradient<{}>", 1, false, false);
    if (has(kLinearCrossEntropy)) {
      kernels_.logits = write_tiles("logits", "run_logits<{}>", 1, true, false);
      kernels_.dx = write_tiles("dx", "run_dx<{}>", 1, true, true);
      kernels_.dw = write_tiles("dw", "run_dw<{}>", 1, false, false);
    }
    constexpr std::pair<Operation, std::string_view> kOf[] = {{kSumRows, "sum_rows"},
                                                              {kLookupGradient, "lookup_gradient"}};
    for (const auto& [operation, name] : kOf)
      if (has(operation))
        kernels_.of_operation[operation].fill(write_kernel(std::string(name), "run_" + std::string(name)));
  }

  /// Writes the kernels of operators that work row by row, or by element. Operators with one function share it.
  void write_rows(bool of_elements) {
    for (const auto& [function, operations] : row_calls_of(tables_, of_elements)) {
      const std::string name(find_op(row_call(operations.front()).op).name);
      const int kernel =
          write_functor(name, of_elements, fmt::format("{}(o{});", function, of_elements ? ", r, c" : ""));
      for (const Operation operation : operations) kernels_.of_operation[operation].fill(kernel);
    }
  }

  int write_functor(const std::string& name, bool of_elements, const std::string& text) {
    line(
        "namespace cavs::cuda {{\nstruct Of_{} {{\n  static CAVS_DEVICE void run(EntryOperands o{}) {{\n{}  "
        "}}\n}};\n}}",
        name, of_elements ? ", i32 r, i32 c" : "", text);
    return write_kernel(name,
                        fmt::format("{}<cavs::cuda::Of_{}>", of_elements ? "run_elements_of" : "run_rows_of", name));
  }

  void write_loops() {
    constexpr std::size_t kAll = 1 << 30;
    for (const auto& [text, numbers] : loops_of(program_, kAll)) {
      const int kernel = write_functor(fmt::format("loop_{}", numbers.front()), true, text);
      for (const std::int32_t number : numbers) {
        kernels_.of_loop.resize(std::max(kernels_.of_loop.size(), static_cast<std::size_t>(number) + 1));
        kernels_.of_loop[number] = kernel;
      }
    }
  }

  /// Writes the kernels of groups. Groups with the same text have one kernel.
  void write_groups() {
    std::map<std::string, KernelsBySize> known;
    kernels_.of_group.resize(static_cast<std::size_t>(tables_.groups));
    for (std::size_t t = 0; t < program_.types.size(); ++t)
      each_code(program_.types[t], [&](const cavs::Code& code, bool backward, Stage stage) {
        for (std::size_t i = 0; i < code.size(); ++i) {
          if (!code[i].is<RowGroup>()) continue;
          const std::int32_t number =
              tables_.at(static_cast<std::int32_t>(t), backward, stage, static_cast<std::int32_t>(i)).group;
          const std::string text = group_text(program_.types[t], code[i]);
          const auto [at, is_new] = known.emplace(text, BatchedKernels::kNoKernels);
          if (is_new) at->second = write_group(number, code[i], text);
          kernels_.of_group[number] = at->second;
        }
      });
  }

  KernelsBySize write_group(std::int32_t number, const Instruction& group, const std::string& text) {
    const std::string name = fmt::format("group_{}", number);
    line("namespace cavs::cuda {{\nstruct Of_{} {{\n{}}};\n}}", name, text);
    const Instruction& first = members_of(group).front();
    if (const auto* const product = first.as<Matmul>()) {
      std::int32_t gates = 0;
      for (const cavs::Operand& out : first.out) gates += out.width / product->gate;
      return write_tiles(name, "run_group<cavs::cuda::Of_" + name + ", {}>", gates, true, product->transposed,
                         kMediumTile);
    }
    KernelsBySize kernels{};
    kernels.fill(write_kernel(name, "run_columns<cavs::cuda::Of_" + name + ">"));
    return kernels;
  }

  const Program& program_;
  const KernelTables& tables_;
  const KernelOptions& options_;
  BatchedKernels kernels_;
};

}  // namespace

BatchedKernels batched_kernels(const Program& program, const KernelTables& tables, const KernelOptions& options) {
  return BatchedSource(program, tables, options).write();
}

}  // namespace cavs::cuda
