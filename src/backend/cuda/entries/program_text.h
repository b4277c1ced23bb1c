#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/cuda/device_files.h"
#include "backend/cuda/entries/kernel_tables.h"

namespace cavs::cuda {

/// Writes CUDA C++ line by line.
class TextWriter {
 public:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void add(std::string_view text) { text_ += text; }
  std::string take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

/// Returns all device files, with a program's constants and tables in place of entries/device/program.cuh.
/// @param independent  true if each launch runs one entry, whose work its blocks divide without synchronising
std::vector<SourceFile> program_files(const Program& program, const KernelTables& tables, const KernelOptions& options,
                                      bool independent);

/// Returns the different texts of a program's element-wise loops, with the numbers of the loops that have each text. A
/// text is statements that run an instruction for element (r, c). `o` is the `Operands` of device/row_operations.cuh.
/// @param inputs_at_once  number of inputs that are read together
std::map<std::string, std::vector<std::int32_t>> loops_of(const Program& program, std::size_t inputs_at_once);

/// Returns the functions for operations on rows or elements that a program has, with the operations of each function.
std::map<std::string_view, std::vector<Operation>> row_calls_of(const KernelTables& tables, bool of_elements);

}  // namespace cavs::cuda
