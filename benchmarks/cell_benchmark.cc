// Forward pass over inner vertices of a binary Tree-LSTM: compares the engine with code that an expert would write by
// hand for this cell and complete trees. Leaves only copy a state and are not counted.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <vector>

#include "backend/cpu/jit/generated_loop.h"
#include "cavs/data.h"
#include "cavs/session.h"
#include "execute/team.h"

namespace cavs {
namespace {

constexpr int kTrees = 64, kLeaves = 256, kInner = kTrees * (kLeaves - 1);

void report(benchmark::State& state, int hidden) {
  const auto vertices = static_cast<double>(kInner);
  const auto rate = benchmark::Counter::kIsIterationInvariantRate;
  state.counters["GFLOP/s"] = benchmark::Counter(16e-9 * vertices * hidden * hidden, rate);
  state.counters["vertices/s"] = benchmark::Counter(vertices, rate);
}

Model cell(int h, int words) {
  Model m({.seed = 1});
  auto E = m.lookup("E", {words, h});
  auto Ul = m.parameter("Ul", {h, 3 * h}), Ur = m.parameter("Ur", {h, 3 * h}), b = m.parameter("b", {3 * h});
  auto Fl = m.parameter("Fl", {h, h}), Fr = m.parameter("Fr", {h, h}), bl = m.parameter("bl", {h}),
       br = m.parameter("br", {h});
  m.vertex_function("leaf", [&](Vertex& v) {
    const Value x = E(v.pull_index("word"));
    v.scatter("c", x * 1.0 + 0.0);
    v.scatter("h", tanh(x));
  });
  m.vertex_function("inner", [&](Vertex& v) {
    auto l = v.gather(0, "h"), r = v.gather(1, "h");
    auto [i, o, u] = split<3>(l * Ul + r * Ur + b);
    auto c = sigmoid(i) * tanh(u) + sigmoid(l * Fl + bl) * v.gather(0, "c") + sigmoid(r * Fr + br) * v.gather(1, "c");
    v.scatter("c", c);
    v.scatter("h", sigmoid(o) * tanh(c));
  });
  return m;
}

void engine(benchmark::State& state) {
  const auto hidden = static_cast<int>(state.range(0)), threads = static_cast<int>(state.range(1));
  const Dataset data = load_data(fmt::format("binary-trees:leaves={},samples={}", kLeaves, kTrees), {});
  const Model model = cell(hidden, data.rows("word"));
  const auto program = compile(model, {.training = false, .loss = false, .pushes = std::vector<std::string>()});
  const auto bound = bind_graphs(program, data.train);
  Session session(program, model.make_parameters(), {.threads = threads});
  std::vector<std::int32_t> samples(kTrees);
  for (int s = 0; s < kTrees; ++s) samples[s] = s;
  for (auto _ : state) session.forward(*bound, samples);
  report(state, hidden);
}

/// The element-wise loop after the products: inputs are i, o, u, fl, fr with their biases, and c of both children.
ScalarProgram point_wise() {
  using Op = ScalarOp;
  ScalarProgram p{.inputs = 12, .registers = 12, .code = {}, .outputs = {5, 6}};
  for (std::int16_t i = 0; i < 12; ++i) p.code.push_back({Op::kInput, i, i});
  const auto emit = [&](Op op, std::int16_t to, std::int16_t a, std::int16_t b = 0) {
    p.code.push_back({op, to, a, b});
  };
  for (std::int16_t gate = 0; gate < 5; ++gate) emit(Op::kAdd, gate, gate, static_cast<std::int16_t>(gate + 5));
  for (std::int16_t gate : {0, 1, 3, 4}) emit(Op::kSigmoid, gate, gate);
  emit(Op::kTanh, 2, 2);
  emit(Op::kMul, 5, 0, 2);
  emit(Op::kMul, 3, 3, 10);
  emit(Op::kAdd, 5, 5, 3);
  emit(Op::kMul, 4, 4, 11);
  emit(Op::kAdd, 5, 5, 4);
  emit(Op::kTanh, 6, 5);
  emit(Op::kMul, 6, 1, 6);
  return p;
}

class ByHand {
 public:
  ByHand(int h, int threads)
      : h_(h), team_(threads), left_(h, {3 * h, h}, h), right_(h, {3 * h, h}, h), workers_(threads) {
    const std::vector<float> weights(static_cast<std::size_t>(3) * h * h, 0.01F);
    for (cpu::PackedWeight* w : {&left_, &right_})
      for (int part : {0, 1}) w->pack(part, weights.data(), false, 0, h);
    biases_.assign(static_cast<std::size_t>(5) * h, 0.1F);
    const auto rows = static_cast<std::size_t>(kTrees) * (2 * kLeaves - 1);
    c_.assign(rows * h, 0.1F);
    h_rows_.assign(rows * h, 0.1F);
    for (auto& worker : workers_) worker.gates.resize(static_cast<std::size_t>(5) * h * cpu::kRowBlock);
    for (std::int32_t child = 0; child < kTrees * (2 * kLeaves - 2); child += 2) {
      l_.push_back(child);
      r_.push_back(child + 1);
    }
    const std::vector<bool> broadcast(12, false);
    loop_ = cpu::generate_loop(cpu::isa(), point_wise(), broadcast, "cell");
  }

  bool has_loop() const { return loop_ != nullptr; }

  void run() {
    const auto work = [&](int worker) {
      std::int32_t begin = 0;
      for (int width = kTrees * kLeaves / 2; width >= kTrees; width /= 2) {
        if (begin > 0) team_.barrier(worker);
        const auto [first, last] = split_range(begin, begin + width, worker, team_.size(), 8);
        for (std::int32_t r = first; r < last; r += cpu::kRowBlock)
          block(workers_[static_cast<std::size_t>(worker)], r, std::min(r + cpu::kRowBlock, last));
        begin += width;
      }
    };
    team_.run(std::ref(work));
  }

 private:
  struct Worker {
    std::vector<float> gates;
    cpu::Scratch scratch;
  };

  /// Computes inner vertices [begin, end): products into the worker's gates, then the loop. Their rows follow the
  /// leaves.
  void block(Worker& worker, std::int32_t begin, std::int32_t end) {
    const std::int64_t wide = 5 * h_, first = std::int64_t{kTrees} * kLeaves + begin;
    float* const gates = worker.gates.data();
    const int count = end - begin;
    const cpu::ProductOut from_left[] = {{{gates, wide, 3 * h_}}, {{gates + 3 * h_, wide, h_}}};
    const cpu::ProductOut from_right[] = {{{gates, wide, 3 * h_}, true}, {{gates + 4 * h_, wide, h_}}};
    const ConstRows l{h_rows_.data(), h_, l_.data() + begin, h_}, r{h_rows_.data(), h_, r_.data() + begin, h_};
    cpu::matmul(l, 0, count, left_, from_left, 0, left_.units(), worker.scratch);
    cpu::matmul(r, 0, count, right_, from_right, 0, right_.units(), worker.scratch);
    std::array<ConstRows, 12> in;
    for (int gate = 0; gate < 5; ++gate) {
      in[static_cast<std::size_t>(gate)] = {gates + gate * h_, wide, nullptr, h_};
      in[static_cast<std::size_t>(gate + 5)] = {biases_.data() + gate * h_, 0, nullptr, h_};
    }
    in[10] = {c_.data(), h_, l_.data() + begin, h_};
    in[11] = {c_.data(), h_, r_.data() + begin, h_};
    const Rows out[] = {{c_.data() + first * h_, h_, h_}, {h_rows_.data() + first * h_, h_, h_}};
    loop_->run(in, out, 0, count, worker.scratch);
  }

  int h_;
  Team team_;
  cpu::PackedWeight left_, right_;
  std::vector<Worker> workers_;
  std::vector<float> biases_, c_, h_rows_;
  std::vector<std::int32_t> l_, r_;
  std::unique_ptr<cpu::GeneratedLoop> loop_;
};

void by_hand(benchmark::State& state) {
  ByHand cell(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  if (!cell.has_loop()) return state.SkipWithError("the code generator does not support this processor");
  for (auto _ : state) cell.run();
  report(state, static_cast<int>(state.range(0)));
}

BENCHMARK(engine)
    ->Name("cell/engine")
    ->ArgNames({"h", "threads"})
    ->ArgsProduct({{64, 256, 512}, {1, 2}})
    ->UseRealTime();
BENCHMARK(by_hand)
    ->Name("cell/by_hand")
    ->ArgNames({"h", "threads"})
    ->ArgsProduct({{64, 256, 512}, {1, 2}})
    ->UseRealTime();

}  // namespace
}  // namespace cavs
