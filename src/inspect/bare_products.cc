#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "backend/cpu/kernels.h"
#include "cavs/inspect.h"
#include "execute/session_access.h"
#include "share/work_share.h"
#include "support/check.h"

namespace cavs::inline v0_1::inspect {
namespace {

cpu::Precision precision_of(const Session& session) {
  return session.precision() == Precision::kBf16 ? cpu::Precision::kBf16 : cpu::Precision::kFp32;
}

cpu::AlignedFloats operand(std::size_t size) {
  cpu::AlignedFloats buffer = cpu::aligned_floats(size);
  std::fill_n(buffer.get(), size, 0.5F);
  return buffer;
}

/// Returns the processor time of the calling thread.
double milliseconds() {
  timespec time{};
  CAVS_ASSERT(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

}  // namespace

struct BareProducts::Impl {
  Impl(Session& s, std::span<const std::vector<Product>> minibatches)
      : session(s), precision(precision_of(s)), scratch(s.threads()), gflops(s.threads()) {
    std::size_t most_left = 0, most_right = 0, most_results = 0;
    for (const std::vector<Product>& products : minibatches) {
      std::array<std::vector<Product>, kKinds>& own = by_kind.emplace_back();
      for (const Product& p : products) {
        const bool gradient = p.kind == Product::Kind::kWeightGradient;
        const auto rows = static_cast<std::size_t>(p.rows);
        const auto k = static_cast<std::size_t>(p.k), n = static_cast<std::size_t>(p.n);
        most_left = std::max(most_left, rows * k);
        most_right = std::max(most_right, gradient ? rows * n : 0);
        most_results = std::max(most_results, (gradient ? k : rows) * n);
        if (!gradient) add_weight(p);
        own[static_cast<std::size_t>(p.kind)].push_back(p);
      }
    }
    left = operand(most_left);
    right = operand(most_right);
    for (int w = 0; w < session.threads(); ++w) results.push_back(operand(most_results));
  }

  using Key = std::pair<Product::Kind, std::int32_t>;

  void add_weight(const Product& p) {
    auto& weight = weights[Key{p.kind, p.parameter}];
    if (weight) return;
    weight = std::make_unique<cpu::PackedWeight>(p.k, p.n, precision);
    const std::vector<float> values(static_cast<std::size_t>(p.k) * static_cast<std::size_t>(p.n), 0.5F);
    weight->pack(0, values.data(), false, 0, p.k);
  }

  void share(const Product& p, int worker, int workers) {
    cpu::Scratch& own = scratch[static_cast<std::size_t>(worker)];
    float* const result = results[static_cast<std::size_t>(worker)].get();
    const ConstRows x{left.get(), p.k, nullptr, p.k};
    if (p.kind == Product::Kind::kWeightGradient)
      return cpu::matmul_tn(x, {right.get(), p.n, nullptr, p.n}, p.rows, result, false, worker, workers, own,
                            precision);
    const cpu::PackedWeight& weight = *weights.at(Key{p.kind, p.parameter});
    const ProductShare part = share_of_product({0, p.rows}, weight.units(), {worker, worker, workers});
    if (part.empty()) return;
    cpu::matmul(x, part.rows.begin, part.rows.end, weight, {result, p.n, p.n}, part.units.begin, part.units.end, own);
  }

  Session& session;
  cpu::Precision precision;
  static constexpr std::size_t kKinds = 3;
  std::vector<std::array<std::vector<Product>, kKinds>> by_kind = {};  // [minibatches][kinds] products
  std::map<Key, std::unique_ptr<cpu::PackedWeight>> weights = {};
  cpu::AlignedFloats left = {}, right = {};
  std::vector<cpu::AlignedFloats> results = {};
  std::vector<cpu::Scratch> scratch;
  std::vector<double> gflops;  // [threads] highest speed so far
};

BareProducts::BareProducts(Session& session, std::span<const std::vector<Product>> minibatches) {
  user_check(session.engine() == EngineKind::kBatched,
             "bare products need the CPU's engine batched, but the session has {}; make a session without a device",
             to_string(session.engine()));
  impl_ = std::make_unique<Impl>(session, minibatches);
}
BareProducts::~BareProducts() = default;

void BareProducts::run(std::size_t minibatch, Product::Kind kind) {
  user_check(minibatch < impl_->by_kind.size(), "no minibatch {}; there are {}, numbered from 0", minibatch,
             impl_->by_kind.size());
  const std::vector<Product>& products = impl_->by_kind[minibatch][static_cast<std::size_t>(kind)];
  detail::SessionAccess::share(impl_->session, [&](int worker, int workers) {
    const cpu::TileScope tiles(impl_->precision);
    for (const Product& p : products) impl_->share(p, worker, workers);
  });
}

void BareProducts::run_on_registers() {
  constexpr std::int64_t kSteps = 200'000;
  detail::SessionAccess::share(impl_->session, [&](int worker, int) {
    const cpu::TileScope tiles(impl_->precision);
    const double start = milliseconds();
    const double flops = cpu::multiply_adds(kSteps, impl_->precision);
    double& best = impl_->gflops[static_cast<std::size_t>(worker)];
    best = std::max(best, flops / (milliseconds() - start) / 1e6);
  });
}

double BareProducts::peak_gflops() const { return std::accumulate(impl_->gflops.begin(), impl_->gflops.end(), 0.0); }

std::string_view BareProducts::instructions() const {
  return impl_->precision == cpu::Precision::kBf16 ? cpu::bf16_instruction_set() : cpu::instruction_set();
}

}  // namespace cavs::inline v0_1::inspect
