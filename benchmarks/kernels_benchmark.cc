// Speed of the CPU kernels and of the team's barrier. docs/measurements/kernels.md has the results and the command.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "backend/cpu/kernels.h"
#include "execute/team.h"
#include "support/large_pages.h"
#include "support/philox.h"
#include "support/split_range.h"

namespace cavs::cpu {
namespace {

std::vector<float> random_floats(std::int64_t count) {
  Random random(1, RandomPurpose::kGenerator);
  std::vector<float> v(static_cast<std::size_t>(count));
  for (float& x : v) x = 2 * random.uniform() - 1;
  return v;
}

void report_flops(benchmark::State& state, double flops_per_iteration) {
  state.counters["GFLOP/s"] =
      benchmark::Counter(flops_per_iteration * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

bool lacks(Precision precision) { return precision == Precision::kBf16 && bf16_instruction_set().empty(); }

/// Memory in large pages, as for a session's weights and tensors.
AlignedFloats large(std::int64_t count) { return aligned_floats(std::max<std::size_t>(count, kLargePage)); }
AlignedFloats random_large(std::int64_t count) {
  AlignedFloats floats = large(count);
  const std::vector<float> random = random_floats(count);
  std::copy(random.begin(), random.end(), floats.get());
  return floats;
}

/// Measures share(worker, scratch), called by all workers of a team, which together do `flops` operations. Each
/// measurement repeats the call, so that starting and stopping the team does not count.
template <typename F>
void run_shared(benchmark::State& state, int workers, Precision precision, double flops, F share) {
  Team team(workers);
  std::vector<Scratch> scratch(static_cast<std::size_t>(workers));
  const int times = 1 + static_cast<int>(2e8 / flops);
  const auto work = [&](int worker) {
    const TileScope tiles(precision);
    for (int i = 0; i < times; ++i) share(worker, scratch[static_cast<std::size_t>(worker)]);
  };
  for (auto _ : state) team.run(std::ref(work));
  report_flops(state, flops * times);
}

void BM_Peak(benchmark::State& state, Precision precision) {
  if (lacks(precision)) return state.SkipWithError("this processor has no instructions for bf16");
  const auto workers = static_cast<int>(state.range(0));
  constexpr int kSteps = 1000;
  double flops = 0;
  {
    const TileScope tiles(precision);
    flops = multiply_adds(kSteps, precision) * workers;
  }
  run_shared(state, workers, precision, flops, [&](int, Scratch&) { multiply_adds(kSteps, precision); });
}
BENCHMARK_CAPTURE(BM_Peak, fp32, Precision::kFp32)->Name("peak")->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(BM_Peak, bf16, Precision::kBf16)
    ->Name("peak_bf16")
    ->ArgName("workers")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime();

/// A product whose operands all fit in the L1 cache.
void BM_ProductInL1(benchmark::State& state) {
  constexpr int kK = 64, kRows = 48;
  const auto x = random_floats(kRows * kK), w = random_floats(kK * 64);
  std::vector<float> y(kRows * 64);
  PackedWeight packed(kK, 64);
  packed.pack(0, w.data(), false, 0, kK);
  Scratch scratch;
  for (auto _ : state) {
    matmul({x.data(), kK, nullptr, kK}, 0, kRows, packed, {y.data(), 64, 64}, 0, packed.units(), scratch);
    benchmark::DoNotOptimize(y.data());
  }
  report_flops(state, 2.0 * kRows * kK * 64);
}
BENCHMARK(BM_ProductInL1)->Name("product/in_L1");

void BM_Matmul(benchmark::State& state, Precision precision) {
  if (lacks(precision)) return state.SkipWithError("this processor has no instructions for bf16");
  const auto k = static_cast<int>(state.range(0)), n = static_cast<int>(state.range(1));
  const auto rows = static_cast<std::int32_t>(state.range(2)), workers = static_cast<std::int32_t>(state.range(3));
  const auto x = random_large(std::int64_t{rows} * k), y = large(std::int64_t{rows} * n);
  const auto w = random_floats(std::int64_t{k} * n);
  PackedWeight packed = PackedWeight::without_memory(k, {n}, 0, precision);
  const auto memory = large(packed.size());
  packed.lie_at(memory.get());
  packed.pack(0, w.data(), false, 0, k);
  run_shared(state, workers, precision, 2.0 * rows * k * n, [&](int worker, Scratch& scratch) {
    const auto [begin, end] = split_range(0, packed.units(), worker, workers);
    matmul({x.get(), k, nullptr, k}, 0, rows, packed, {y.get(), n, n}, begin, end, scratch);
  });
}
BENCHMARK_CAPTURE(BM_Matmul, fp32, Precision::kFp32)
    ->Name("matmul")
    ->ArgNames({"k", "n", "rows", "workers"})
    ->ArgsProduct({{64}, {256}, {1, 4, 8, 16, 64, 256}, {1, 2}})
    ->ArgsProduct({{256}, {1024}, {1, 4, 8, 16, 64, 256}, {1, 2}})
    ->ArgsProduct({{512}, {2048}, {1, 4, 8, 16, 64, 256}, {1, 2}})
    ->ArgsProduct({{1024}, {256}, {1, 4, 8, 16, 64, 256}, {1, 2}})
    ->ArgsProduct({{2048}, {512}, {1, 4, 8, 16, 64, 256}, {1, 2}})
    ->Args({256, 5, 64, 1})
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Matmul, bf16, Precision::kBf16)
    ->Name("matmul_bf16")
    ->ArgNames({"k", "n", "rows", "workers"})
    ->ArgsProduct({{64}, {256}, {1, 4, 8, 16, 64, 256}, {1, 2}})
    ->ArgsProduct({{256}, {1024}, {1, 4, 8, 16, 64, 256}, {1, 2}})
    ->ArgsProduct({{512}, {2048}, {1, 4, 8, 16, 64, 256}, {1, 2}})
    ->ArgsProduct({{1024}, {256}, {1, 4, 8, 16, 64, 256}, {1, 2}})
    ->ArgsProduct({{2048}, {512}, {1, 4, 8, 16, 64, 256}, {1, 2}})
    ->UseRealTime();

void BM_Pack(benchmark::State& state, Precision precision) {
  if (lacks(precision)) return state.SkipWithError("this processor has no instructions for bf16");
  const auto k = static_cast<int>(state.range(0)), n = static_cast<int>(state.range(1));
  const auto w = random_floats(std::int64_t{k} * n);
  PackedWeight packed(k, n, precision);
  for (auto _ : state) packed.pack(0, w.data(), state.range(2) != 0, 0, state.range(2) != 0 ? n : k);
  state.counters["ns/element"] =
      benchmark::Counter(1e-9 * k * n, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(BM_Pack, fp32, Precision::kFp32)
    ->Name("pack")
    ->ArgNames({"k", "n", "transposed"})
    ->ArgsProduct({{256}, {1024}, {0, 1}});
BENCHMARK_CAPTURE(BM_Pack, bf16, Precision::kBf16)
    ->Name("pack_bf16")
    ->ArgNames({"k", "n", "transposed"})
    ->ArgsProduct({{256}, {1024}, {0, 1}});

void BM_WeightGradient(benchmark::State& state, Precision precision) {
  if (lacks(precision)) return state.SkipWithError("this processor has no instructions for bf16");
  const auto k = static_cast<int>(state.range(0)), n = static_cast<int>(state.range(1));
  const auto rows = static_cast<std::int32_t>(state.range(2)), workers = static_cast<std::int32_t>(state.range(3));
  const auto x = random_large(std::int64_t{rows} * k), dy = random_large(std::int64_t{rows} * n);
  const auto dw = large(std::int64_t{k} * n);
  run_shared(state, workers, precision, 2.0 * rows * k * n, [&](int worker, Scratch& scratch) {
    matmul_tn({x.get(), k, nullptr, k}, {dy.get(), n, nullptr, n}, rows, dw.get(), false, worker, workers, scratch,
              precision);
  });
}
BENCHMARK_CAPTURE(BM_WeightGradient, fp32, Precision::kFp32)
    ->Name("matmul_tn")
    ->ArgNames({"k", "n", "rows", "workers"})
    ->Args({64, 64, 30, 1})
    ->Args({64, 192, 2000, 1})
    ->Args({256, 256, 2000, 1})
    ->Args({512, 1024, 20000, 1})
    ->Args({1024, 1024, 2000, 1})
    ->Args({512, 5, 2000, 1})
    ->ArgsProduct({{64}, {256}, {256, 2000, 20000}, {1, 2}})
    ->ArgsProduct({{256}, {1024}, {256, 2000, 20000}, {1, 2}})
    ->ArgsProduct({{512}, {2048}, {256, 2000, 4000}, {1, 2}})
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_WeightGradient, bf16, Precision::kBf16)
    ->Name("matmul_tn_bf16")
    ->ArgNames({"k", "n", "rows", "workers"})
    ->ArgsProduct({{64}, {256}, {256, 2000, 20000}, {1, 2}})
    ->ArgsProduct({{256}, {1024}, {256, 2000, 20000}, {1, 2}})
    ->ArgsProduct({{512}, {2048}, {256, 2000, 4000}, {1, 2}})
    ->UseRealTime();

/// c = sigmoid(i) tanh(u) + sigmoid(f) c0, h = sigmoid(o) tanh(c), with the four gates in one row, as after a product.
ScalarProgram lstm_cell() {
  using Op = ScalarOp;
  return {5,
          5,
          {{Op::kInput, 0, 0},
           {Op::kInput, 1, 1},
           {Op::kInput, 2, 2},
           {Op::kInput, 3, 3},
           {Op::kInput, 4, 4},
           {Op::kSigmoid, 0, 0},
           {Op::kSigmoid, 1, 1},
           {Op::kSigmoid, 2, 2},
           {Op::kTanh, 3, 3},
           {Op::kMul, 0, 0, 3},
           {Op::kMul, 1, 1, 4},
           {Op::kAdd, 0, 0, 1},
           {Op::kTanh, 1, 0},
           {Op::kMul, 1, 1, 2}},
          {0, 1}};
}

void BM_LstmCell(benchmark::State& state) {
  const auto width = static_cast<std::int32_t>(state.range(0)), rows = static_cast<std::int32_t>(state.range(1));
  const ScalarProgram program = lstm_cell();
  const auto gates = random_floats(std::int64_t{4} * rows * width), c = random_floats(std::int64_t{rows} * width);
  std::vector<float> y(2 * c.size());
  std::vector<ConstRows> in;
  for (int i = 0; i < 4; ++i) in.push_back({gates.data() + i * width, 4 * width, nullptr, width});
  in.push_back({c.data(), width, nullptr, width});
  const Rows out[] = {{y.data(), width, width}, {y.data() + c.size(), width, width}};
  Scratch scratch;
  for (auto _ : state) {
    elementwise(program, in, out, 0, rows, scratch);
    benchmark::DoNotOptimize(y.data());
  }
  state.counters["ns/element"] = benchmark::Counter(
      1e-9 * rows * width, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_LstmCell)
    ->Name("lstm_cell")
    ->ArgNames({"width", "rows"})
    ->Args({64, 1})
    ->Args({64, 64})
    ->Args({256, 1})
    ->Args({256, 64})
    ->Args({300, 64})
    ->Args({512, 64});

void BM_Function(benchmark::State& state) {
  constexpr std::int32_t kWidth = 4096;
  const auto op = static_cast<ScalarOp>(state.range(0));
  const auto rows = static_cast<std::int32_t>(state.range(1));
  const ScalarProgram program{1, 1, {{ScalarOp::kInput, 0, 0}, {op, 0, 0}}, {0}};
  const auto x = random_floats(std::int64_t{rows} * kWidth);
  std::vector<float> y(x.size());
  const ConstRows in[] = {{x.data(), kWidth, nullptr, kWidth}};
  const Rows out[] = {{y.data(), kWidth, kWidth}};
  Scratch scratch;
  for (auto _ : state) elementwise(program, in, out, 0, rows, scratch);
  state.counters["ns/element"] = benchmark::Counter(
      1e-9 * rows * kWidth, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_Function)->Name("copy")->ArgsProduct({{static_cast<int>(ScalarOp::kInput)}, {1, 16, 256, 1024, 4096}});
BENCHMARK(BM_Function)->Name("add")->Args({static_cast<int>(ScalarOp::kAdd), 1});
BENCHMARK(BM_Function)->Name("divide")->Args({static_cast<int>(ScalarOp::kDiv), 1});
BENCHMARK(BM_Function)->Name("sqrt")->Args({static_cast<int>(ScalarOp::kSqrt), 1});
BENCHMARK(BM_Function)->Name("exp")->Args({static_cast<int>(ScalarOp::kExp), 1});
BENCHMARK(BM_Function)->Name("sigmoid")->Args({static_cast<int>(ScalarOp::kSigmoid), 1});
BENCHMARK(BM_Function)->Name("tanh")->Args({static_cast<int>(ScalarOp::kTanh), 1});
BENCHMARK(BM_Function)->Name("log")->Args({static_cast<int>(ScalarOp::kLog), 1});
BENCHMARK(BM_Function)->Name("erf")->Args({static_cast<int>(ScalarOp::kErf), 1});

void BM_RowKernel(benchmark::State& state, const char* name) {
  const auto width = static_cast<std::int32_t>(state.range(0));
  const auto x = random_floats(64 * width);
  std::vector<float> y(x.size());
  RowArgs args;
  args.in[0] = {x.data(), width, nullptr, width};
  args.out = {y.data(), width, width};
  const RowKernel kernel = find_row_kernel(name);
  Scratch scratch;
  for (auto _ : state) kernel(args, 0, 64, scratch);
  state.counters["ns/element"] =
      benchmark::Counter(64e-9 * width, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(BM_RowKernel, softmax, "softmax")->Arg(5)->Arg(300);
BENCHMARK_CAPTURE(BM_RowKernel, layer_norm, "layer_norm")->Arg(300);

/// Products of two square matrices for each of eight rows. The right matrix is packed for each product.
void BM_BatchProduct(benchmark::State& state, const char* name) {
  constexpr std::int32_t kRows = 8;
  const auto h = static_cast<std::int32_t>(state.range(0));
  const auto x = random_floats(std::int64_t{kRows} * h * h), y = random_floats(std::int64_t{kRows} * h * h);
  std::vector<float> out(x.size());
  RowArgs args;
  args.in[0] = {x.data(), h * h, nullptr, h * h};
  args.in[1] = {y.data(), h * h, nullptr, h * h};
  args.out = {out.data(), h * h, h * h};
  args.matrix_rows = h;
  const RowKernel kernel = find_row_kernel(name);
  Scratch scratch;
  for (auto _ : state) kernel(args, 0, kRows, scratch);
  report_flops(state, 2.0 * kRows * h * h * h);
}
BENCHMARK_CAPTURE(BM_BatchProduct, batch_matmul, "batch_matmul")->Arg(64)->Arg(128)->Arg(256)->Arg(512);
BENCHMARK_CAPTURE(BM_BatchProduct, batch_matmul_left, "batch_matmul_left")->Arg(64)->Arg(256);
BENCHMARK_CAPTURE(BM_BatchProduct, batch_matmul_right, "batch_matmul_right")->Arg(64)->Arg(256);

void BM_Barrier(benchmark::State& state) {
  constexpr int kBarriers = 1000;
  Team team(static_cast<int>(state.range(0)));
  for (auto _ : state)
    team.run([&](int worker) {
      for (int i = 0; i < kBarriers; ++i) team.barrier(worker);
    });
  state.counters["ns/barrier"] =
      benchmark::Counter(kBarriers * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_Barrier)->Name("team/barrier")->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime();

void BM_Run(benchmark::State& state) {
  Team team(static_cast<int>(state.range(0)));
  for (auto _ : state) team.run([](int) {});
}
BENCHMARK(BM_Run)->Name("team/run")->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace cavs::cpu
