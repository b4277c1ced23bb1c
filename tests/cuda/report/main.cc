// Prints tables of docs/measurements/cuda.md that need no GPU. Commands:
//
//   cuda_report times [HIDDEN] [bf16]   processor time in seconds to make every model's kernel, and to find the kernel
//                                in the cache
//   cuda_report instructions     machine code per row of vertices, and cost of a level of vertices, compared with VPPS

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <numeric>

#include "backend/cuda/entries/kernel_tables.h"
#include "backend/cuda/kernel_cache.h"
#include "backend/cuda/persistent/kernel_target.h"
#include "cavs/data.h"
#include "cuda/fibers/small_gpu.h"
#include "cuda/ptx/resources.h"
#include "cuda/ptx/sass.h"
#include "cuda/report/counted_launch.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda {
namespace {

Model sized(const std::string& name, std::int32_t hidden) {
  return find_model(name).make({.vocabulary = 1000, .embedding = hidden, .hidden = hidden, .classes = 5, .seed = 3});
}

double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int print_times(std::int32_t hidden, Precision precision) {
  std::string folder = (std::filesystem::temp_directory_path() / "cavs-report-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  fmt::print("| model | text, KiB | text, ms | NVRTC, s | from the cache, ms |\n| --- | --- | --- | --- | --- |\n");
  double most = 0;
  for (const std::string& name : model_names()) {
    const Model model = sized(name, hidden);
    const auto program = compile(model, {}, kernel_target());
    KernelOptions options;
    options.precision = precision;
    const WeightPlacement placement = place_for_kernel(*program, "sm_90", 132, options);
    const double start = processor_time();
    const KernelSource source = persistent_kernel_source(*program, placement, options);
    const double made = processor_time();
    const std::vector<std::string> nvrtc{std::begin(kNvrtcOptions), std::end(kNvrtcOptions)};
    KernelCompiler(KernelCache(folder)).compile(source, 90, nvrtc);
    const double compiled = processor_time();
    KernelCompiler second{KernelCache(folder)};
    second.compile(source, 90, nvrtc);
    const double found = processor_time();
    if (second.compiled() != 0) throw std::runtime_error(name + " was compiled twice");
    fmt::print("| `{}` | {} | {:.1f} | {:.2f} | {:.1f} |\n", name, source.all().size() >> 10, 1e3 * (made - start),
               compiled - made, 1e3 * (found - compiled));
    most = std::max(most, compiled - start);
  }
  std::filesystem::remove_all(folder);
  fmt::print("\nThe longest: {:.2f} s.\n", most);
  return 0;
}

/// Instructions per row and lane, in the loop over the rows of a tile.
void print_tiles(const std::string& name, std::int32_t hidden) {
  const auto program = compile(sized(name, hidden), {}, kernel_target());
  const ptx::Resources r = ptx::lean_resources_of(sized(name, hidden), "sm_90");
  const WeightPlacement placement = place_for_kernel(*program, "sm_90", 132, r.options);
  std::vector<SassCounts> loops = innermost_loops(disassemble(r.cubin));
  for (const TileShape& tile : kernel_tables(*program, placement, r.options).tiles) {
    if (tile.is_shared()) continue;
    const auto loop = std::ranges::find(loops, tile.words(), &SassCounts::multiply_adds);
    if (loop == loops.end()) {
      fmt::print("| `{}` | {} | {} x {} | no loop of as many multiply-adds |\n", name, hidden, tile.columns(),
                 tile.values);
      continue;
    }
    fmt::print("| `{}` | {} | {}{} x {} | {} | {} | {} | {} | {} | {} | {} |\n", name, hidden,
               program->weights[tile.weight].transposed ? "∂F: " : "F: ", tile.columns(), tile.values,
               loop->multiply_adds, loop->shuffles, 5 * tile.columns(), loop->loads, loop->stores, loop->all,
               loop->all * r.options.warps / 4);
    loops.erase(loop);
  }
}

GraphSet chains(int samples, int length) {
  return load_data(fmt::format("markov:train={},test=1,steps={},vocabulary=50", samples, length)).train;
}

/// The cost of one more level and its ∂F, as the difference between chains of two lengths.
void print_level(const std::string& name) {
  constexpr int kShort = 4, kLong = 8, kBlocks = 3;
  const Model model = find_model(name).make({.vocabulary = 50, .embedding = 12, .hidden = 20, .classes = 50});
  const PersistentStep step(model, few_processors(kBlocks), PersistentStep::kSmallBlocks);
  const CountedLaunch few = count_launch(step, chains(2, kShort)), many = count_launch(step, chains(2, kLong));
  const auto of_level = [&](std::int64_t a, std::int64_t b) { return static_cast<double>(b - a) / (kLong - kShort); };
  fmt::print("| `{}` | {:g} | {:g} | {:g} |\n", name, of_level(few.entries, many.entries),
             of_level(few.waiting, many.waiting), of_level(few.barriers, many.barriers) / kBlocks);
}

int print_instructions() {
  if (!missing_nvdisasm().empty()) throw std::runtime_error(missing_nvdisasm());
  fmt::print(
      "| model | h | columns per warp x numbers per lane | multiply-adds | shuffles | VPPS' shuffles | loads | stores "
      "| "
      "all | clocks to issue |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const auto& [name, hidden] : {std::pair{"tree-lstm", 256},
                                     {"tree-lstm", 512},
                                     {"tree-lstm-binary", 256},
                                     {"tree-lstm-binary", 512},
                                     {"var-lstm", 256},
                                     {"var-lstm", 512},
                                     {"var-lstm", 768}})
    print_tiles(name, hidden);
  fmt::print("\n| model | entries of the script | of which wait | barriers of a block |\n| --- | --- | --- | --- |\n");
  for (const char* name : {"var-lstm", "gru"}) print_level(name);
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments.front();
  const bool in_bf16 = arguments.size() > 2 && arguments[2] == "bf16";
  if (command == "times" && (arguments.size() <= 2 || in_bf16))
    return print_times(arguments.size() > 1 ? std::stoi(arguments[1]) : 256,
                       in_bf16 ? Precision::kBf16 : Precision::kFp32);
  if (command == "instructions") return print_instructions();
  std::cerr << "cuda_report times [HIDDEN] [bf16] | instructions\n";
  return 2;
}

}  // namespace
}  // namespace cavs::cuda

int main(int count, char** arguments) {
  try {
    return cavs::cuda::run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
