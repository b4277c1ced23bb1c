#include "measure/roofline.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "backend/cpu/kernels.h"
#include "execute/session_access.h"
#include "measure/products.h"
#include "measure/rounds.h"
#include "measure/stepper.h"
#include "share/work_share.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::array kKinds{ProductKind::kMatmul, ProductKind::kMatmulTransposed, ProductKind::kWeightGradient};

using Products = std::vector<Product>;

cpu::Precision precision_of(const Session& session) {
  return session.precision() == Precision::kBf16 ? cpu::Precision::kBf16 : cpu::Precision::kFp32;
}

/// The operands of all products, and the team's share of each. A worker's products write over each other's results.
class BareProducts {
 public:
  BareProducts(const std::vector<Products>& epoch, const Session& session)
      : precision_(precision_of(session)), scratch_(static_cast<std::size_t>(session.threads())) {
    const int workers = session.threads();
    std::size_t left = 0, right = 0, result = 0;
    for (const Products& products : epoch)
      for (const Product& p : products) {
        const bool gradient = p.kind == ProductKind::kWeightGradient;
        const auto rows = static_cast<std::size_t>(p.rows);
        const auto k = static_cast<std::size_t>(p.k), n = static_cast<std::size_t>(p.n);
        left = std::max(left, rows * k);
        right = std::max(right, gradient ? rows * n : 0);
        result = std::max(result, (gradient ? k : rows) * n);
        if (!gradient) add_weight(p);
      }
    left_ = operand(left);
    right_ = operand(right);
    for (int w = 0; w < workers; ++w) results_.push_back(operand(result));
  }

  void run(Session& session, const Products& products) {
    detail::SessionAccess::share(session, [&](int worker, int workers) {
      const cpu::TileScope tiles(precision_);
      for (const Product& p : products) share(p, worker, workers);
    });
  }

 private:
  using Key = std::pair<ProductKind, std::int32_t>;

  static cpu::AlignedFloats operand(std::size_t size) {
    cpu::AlignedFloats buffer = cpu::aligned_floats(size);
    std::fill_n(buffer.get(), size, 0.5F);
    return buffer;
  }

  void add_weight(const Product& p) {
    auto& weight = weights_[Key{p.kind, p.parameter}];
    if (weight) return;
    weight = std::make_unique<cpu::PackedWeight>(p.k, p.n, precision_);
    const std::vector<float> values(static_cast<std::size_t>(p.k) * static_cast<std::size_t>(p.n), 0.5F);
    weight->pack(0, values.data(), false, 0, p.k);
  }

  void share(const Product& p, int worker, int workers) {
    cpu::Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
    float* const result = results_[static_cast<std::size_t>(worker)].get();
    const ConstRows x{left_.get(), p.k, nullptr, p.k};
    if (p.kind == ProductKind::kWeightGradient)
      return cpu::matmul_tn(x, {right_.get(), p.n, nullptr, p.n}, p.rows, result, false, worker, workers, scratch,
                            precision_);
    const cpu::PackedWeight& weight = *weights_.at(Key{p.kind, p.parameter});
    const ProductShare part = share_of_product({0, p.rows}, weight.units(), {worker, worker, workers});
    if (part.empty()) return;
    cpu::matmul(x, part.rows.begin, part.rows.end, weight, {result, p.n, p.n}, part.units.begin, part.units.end,
                scratch);
  }

  cpu::Precision precision_;
  std::map<Key, std::unique_ptr<cpu::PackedWeight>> weights_;
  cpu::AlignedFloats left_, right_;
  std::vector<cpu::AlignedFloats> results_;
  std::vector<cpu::Scratch> scratch_;
};

/// The peak of all threads of a team, working at once: a sum of each one's best, by its own processor time, so that it
/// is right where the machine has no time for all of them at once.
class Peak {
 public:
  explicit Peak(int workers, cpu::Precision precision)
      : precision_(precision), gflops_(static_cast<std::size_t>(workers)) {}

  /// Multiply-adds on registers, for about a millisecond.
  void burst(Session& session) {
    constexpr std::int64_t kSteps = 200'000;
    detail::SessionAccess::share(session, [&](int worker, int) {
      const cpu::TileScope tiles(precision_);
      double flops = 0;
      const double ms = WorkClock(1).milliseconds_of([&] { flops = cpu::multiply_adds(kSteps, precision_); });
      double& best = gflops_[static_cast<std::size_t>(worker)];
      best = std::max(best, flops / ms / 1e6);
    });
  }
  double gflops() const { return std::accumulate(gflops_.begin(), gflops_.end(), 0.0); }

 private:
  cpu::Precision precision_;
  std::vector<double> gflops_;
};

/// Products of one kind, minibatch by minibatch.
std::vector<Products> of_kind(const std::vector<Products>& epoch, ProductKind kind) {
  std::vector<Products> chosen(epoch.size());
  for (std::size_t m = 0; m < epoch.size(); ++m)
    for (const Product& p : epoch[m])
      if (p.kind == kind) chosen[m].push_back(p);
  return chosen;
}

/// A round over the minibatches: the step, then its products, first once to warm up.
class Measurement {
 public:
  Measurement(const Model& model, const GraphSet& data, const BenchmarkOptions& options)
      : stepper_(make_stepper(model, data, options.training, options.train)),
        epoch_(products_of_epoch(stepper_->program(), data, options.train.batch_size, options.train.session)),
        bare_(epoch_, stepper_->session()),
        clock_(stepper_->session().threads()),
        steps_(static_cast<std::int64_t>(epoch_.size())),
        peak_(stepper_->session().threads(), precision_of(stepper_->session())) {
    for (ProductKind kind : kKinds) kinds_.push_back(of_kind(epoch_, kind)), times_.push_back(steps_);
  }

  void warm_up() {
    for (std::int64_t m = 0; m < steps_.pieces(); ++m) stepper_->step();
  }

  void round() {
    Session& session = stepper_->session();
    for (std::int64_t m = 0; m < steps_.pieces(); ++m) {
      steps_.add(m, clock_.milliseconds_of([&] { stepper_->step(); }));
      bare_.run(session, epoch_[static_cast<std::size_t>(m)]);
      for (std::size_t k = 0; k < kinds_.size(); ++k)
        times_[k].add(m, clock_.milliseconds_of([&] { bare_.run(session, kinds_[k][static_cast<std::size_t>(m)]); }));
      peak_.burst(session);
    }
  }

  Roofline result() const {
    Roofline r;
    const auto steps = static_cast<double>(steps_.pieces());
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      Roofline::Kind& kind = r.kinds[k];
      for (const Products& products : kinds_[k])
        for (const Product& p : products) kind.calls += 1 / steps, kind.flops += p.flops() / steps;
      if (kind.calls > 0) kind.ms = times_[k].best() / steps;
      r.product_ms += kind.ms, r.flops += kind.flops;
    }
    r.step_ms = steps_.best() / steps, r.median_step_ms = steps_.median() / steps;
    r.product_fraction = r.product_ms / r.step_ms;
    r.gflops = r.flops / r.step_ms / 1e6;
    const bool bf16 = precision_of(stepper_->session()) == cpu::Precision::kBf16;
    r.instructions = bf16 ? cpu::bf16_instruction_set() : cpu::instruction_set();
    r.peak_gflops = peak_.gflops();
    r.fraction_of_peak = r.gflops / r.peak_gflops;
    return r;
  }

 private:
  std::unique_ptr<Stepper> stepper_;
  std::vector<Products> epoch_;
  BareProducts bare_;
  WorkClock clock_;
  std::vector<std::vector<Products>> kinds_;
  RoundTimes steps_;
  std::vector<RoundTimes> times_;  // of each kind
  Peak peak_;
};

}  // namespace

Roofline measure_roofline(const Model& model, const GraphSet& data, const BenchmarkOptions& options) {
  Measurement measurement(model, data, options);
  measurement.warm_up();
  const std::int64_t rounds = run_rounds(options, 2, [&] { measurement.round(); });
  Roofline r = measurement.result();
  r.rounds = rounds;
  return r;
}

}  // namespace cavs::inline v0_1
