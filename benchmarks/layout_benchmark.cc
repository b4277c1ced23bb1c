// ED-Batch's Tables 2 and 5: memory kernels and kB for the seven cells at batch 8 and size 64, and the time to compute
// the layout. declared: products batched, variables in the order of declaration. paper_accounts/: with the layout; a
// value that several nodes read is copied for each, as the paper counts. merged/: such a value is read in place.

#include <benchmark/benchmark.h>

#include "helpers/paper_cells.h"

namespace {

constexpr int kSize = 64;
constexpr std::int64_t kRows = 8;

void lay_out(benchmark::State& state) {
  const cavs::PaperCell cell = cavs::paper_cells(kSize)[state.range(0)];
  const cavs::LayoutOptions options{.share = state.range(1) != 0, .rows = kRows};
  cavs::MemoryLayout layout;
  for (auto _ : state) layout = cell.layout(options);
  state.SetLabel(cell.name);
  const auto kilobytes = [](const cavs::CopyCost& cost) { return static_cast<double>(cost.bytes(kRows)) / 1024; };
  state.counters["declared_kernels"] = static_cast<double>(layout.declared.kernels);
  state.counters["declared_kB"] = kilobytes(layout.declared);
  state.counters["kernels"] = static_cast<double>(layout.copies.kernels);
  state.counters["kB"] = kilobytes(layout.copies);
  state.counters["operators"] = static_cast<double>(layout.batches.size());
  state.counters["paper_kernels"] = static_cast<double>(cell.kernels);
  state.counters["paper_kB"] = cell.kilobytes;
  state.counters["paper_ms"] = cell.compile_ms;
}

BENCHMARK(lay_out)
    ->ArgNames({"cell", "merged"})
    ->ArgsProduct({{0, 1, 2, 3, 4, 5, 6}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
