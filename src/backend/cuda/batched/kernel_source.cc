#include "backend/cuda/batched/kernel_source.h"

#include <algorithm>

#include "backend/cuda/entries/program_text.h"
#include "backend/cuda/entries/row_calls.h"
#include "ir/op.h"

namespace cavs::cuda {
namespace {

/// See device/kernels.cuh.
class BatchedSource : TextWriter {
 public:
  BatchedSource(const Program& program, const KernelTables& tables, const KernelOptions& options)
      : program_(program), tables_(tables), options_(options) {}

  BatchedKernels write() {
    kernels_.of_operation.fill(BatchedKernels::kNone);
    line("#include \"backend/cuda/batched/device/kernels.cuh\"\n");
    write_shared();
    write_operations();
    write_rows(false);
    write_rows(true);
    write_loops();
    kernels_.source = {take(), program_files(program_, tables_, options_, true)};
    return std::move(kernels_);
  }

 private:
  bool has(Operation operation) const { return tables_.operations[operation] != 0; }

  /// @param runs  the function that it calls. @return its number
  int write_kernel(const std::string& name, const std::string& runs) {
    line("CAVS_KERNEL({}) cavs_{}(cavs::cuda::Launch launch) {{ cavs::cuda::{}(launch); }}", kernel_threads(options_),
         name, runs);
    kernels_.names.push_back("cavs_" + name);
    return static_cast<int>(kernels_.names.size()) - 1;
  }

  void write_shared() {
    constexpr std::string_view kNames[] = {"begin_stretch",  "run_clear_gradients", "run_sums",
                                           "run_update",     "run_add_gradients",   "run_move_averages",
                                           "run_best_words", "run_keep_states",     "run_logits",
                                           "run_entropies",  "run_logit_gradients"};
    static_assert(std::size(kNames) == kSharedKernels);
    for (int k = 0; k < kSharedKernels; ++k) {
      const bool is_used = k < kBestWords     ? true
                           : k <= kKeepStates ? !program_.options.training
                                              : has(kLinearCrossEntropy);
      if (!is_used) {
        kernels_.names.emplace_back();
        continue;
      }
      const std::string_view name = kNames[k];
      write_kernel(std::string(name.starts_with("run_") ? name.substr(4) : name), std::string(name));
    }
  }

  void write_operations() {
    constexpr std::pair<Operation, std::string_view> kOf[] = {{kProduct, "product"},
                                                              {kWeightGradient, "weight_gradient"},
                                                              {kSumRows, "sum_rows"},
                                                              {kLookupGradient, "lookup_gradient"}};
    for (const auto& [operation, name] : kOf)
      if (has(operation))
        kernels_.of_operation[operation] = write_kernel(std::string(name), "run_" + std::string(name));
  }

  /// Of operators that work row by row, or by element. What several have the same function for is one kernel.
  void write_rows(bool of_elements) {
    for (const auto& [function, operations] : row_calls_of(tables_, of_elements)) {
      const std::string name(find_op(row_call(operations.front()).op).name);
      const int kernel =
          write_functor(name, of_elements, fmt::format("{}(o{});", function, of_elements ? ", r, c" : ""));
      for (const Operation operation : operations) kernels_.of_operation[operation] = kernel;
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
