#include "measure/roofline.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "cavs/inspect.h"
#include "measure/rounds.h"
#include "measure/stepper.h"

namespace cavs::inline v0_1 {
namespace {

using inspect::Product;
using Products = std::vector<Product>;

constexpr std::array kKinds{Product::Kind::kForward, Product::Kind::kBackward, Product::Kind::kWeightGradient};

/// Returns the products of every minibatch, in file order.
std::vector<Products> products_of_epoch(const Stepper& stepper, const GraphSet& data, const TrainOptions& options) {
  std::vector<Products> epoch;
  each_minibatch(stepper, data, options,
                 [&](const inspect::ScheduledBatch& batch) { epoch.push_back(batch.products()); });
  return epoch;
}

/// Measures on a CPU, in rounds after a warm-up round. A round runs the step of each minibatch, then its products.
class Measurement {
 public:
  Measurement(const Model& model, const GraphSet& data, const BenchmarkOptions& options)
      : stepper_(make_stepper(model, data, options.training, options.train)),
        epoch_(products_of_epoch(*stepper_, data, options.train)),
        bare_(stepper_->session(), epoch_),
        clock_(stepper_->session().threads()),
        steps_(static_cast<std::int64_t>(epoch_.size())) {
    times_.assign(kKinds.size(), steps_);
  }

  void warm_up() {
    for (std::int64_t m = 0; m < steps_.pieces(); ++m) stepper_->step();
  }

  void round() {
    for (std::int64_t m = 0; m < steps_.pieces(); ++m) {
      steps_.add(m, clock_.milliseconds_of([&] { stepper_->step(); }));
      const auto at = static_cast<std::size_t>(m);
      for (const Product::Kind kind : kKinds) bare_.run(at, kind);
      for (std::size_t k = 0; k < kKinds.size(); ++k)
        times_[k].add(m, clock_.milliseconds_of([&] { bare_.run(at, kKinds[k]); }));
      bare_.run_on_registers();
    }
  }

  Roofline result() const {
    Roofline r;
    r.kinds = {{"forward: x W"}, {"backward: dy W^T"}, {"weight gradients: x^T dy"}};
    const auto steps = static_cast<double>(steps_.pieces());
    for (std::size_t k = 0; k < kKinds.size(); ++k) {
      Roofline::Kind& kind = r.kinds[k];
      for (const Products& products : epoch_)
        for (const Product& p : products) {
          if (p.kind != kKinds[k]) continue;
          kind.calls += 1 / steps;
          kind.flops += p.flops() / steps;
        }
      if (kind.calls > 0) kind.ms = times_[k].best() / steps;
      r.product_ms += kind.ms;
      r.flops += kind.flops;
    }
    r.step_ms = steps_.best() / steps;
    r.median_step_ms = steps_.median() / steps;
    r.product_fraction = r.product_ms / r.step_ms;
    r.gflops = r.flops / r.step_ms / 1e6;
    r.instructions = bare_.instructions();
    r.peak_gflops = bare_.peak_gflops();
    r.fraction_of_peak = r.gflops / r.peak_gflops;
    return r;
  }

 private:
  std::unique_ptr<Stepper> stepper_;
  std::vector<Products> epoch_;
  inspect::BareProducts bare_;
  WorkClock clock_;
  RoundTimes steps_;
  std::vector<RoundTimes> times_;  // [kKinds], of the products of a kind
};

/// Measures on a GPU. A round has the steps of an epoch, and the steps of a second trainer whose kernels are timed.
class GpuMeasurement {
 public:
  GpuMeasurement(const Model& model, const GraphSet& data, const BenchmarkOptions& options)
      : stepper_(make_stepper(model, data, options.training, options.train)),
        measured_(make_stepper(model, data, options.training, with_times(options.train))),
        steps_(steps_of_epoch(data, options.train)),
        best_(static_cast<std::size_t>(steps_.pieces())) {}

  void warm_up() {
    for (std::int64_t m = 0; m < steps_.pieces(); ++m) {
      stepper_->step();
      measured_->step();
    }
  }

  void round() {
    for (std::int64_t m = 0; m < steps_.pieces(); ++m) steps_.add(m, clock_.milliseconds_of([&] { stepper_->step(); }));
    for (KernelWorks& best : best_) {
      const KernelWorks now = measured_->step().statistics.kernels;
      for (std::size_t k = 0; k < now.size(); ++k) {
        const double before = best[k].launches > 0 ? best[k].ms : now[k].ms;
        best[k] = now[k];
        best[k].ms = std::min(before, now[k].ms);
      }
    }
  }

  Roofline result() const {
    Roofline r;
    const auto steps = static_cast<double>(steps_.pieces());
    for (std::size_t k = 0; k < kKernelKinds.size(); ++k) {
      Roofline::Kind& kind = r.kinds.emplace_back(Roofline::Kind{.name = kKernelKinds[k]});
      for (const KernelWorks& works : best_) {
        const KernelWork& work = works[k];
        kind.calls += work.launches / steps;
        kind.flops += work.flops / steps;
        kind.ms += work.ms / steps;
        kind.tile_bytes += work.tile_bytes / steps;
        kind.bytes += work.bytes / steps;
        kind.predicted_ms += work.predicted_ms / steps;
      }
      r.product_ms += kind.ms;
      r.predicted_ms += kind.predicted_ms;
      r.flops += kind.flops;
      r.tile_bytes += kind.tile_bytes;
      r.bytes += kind.bytes;
    }
    r.step_ms = steps_.best() / steps;
    r.median_step_ms = steps_.median() / steps;
    r.product_fraction = r.product_ms / r.step_ms;
    r.gflops = r.flops / r.step_ms / 1e6;
    r.peaks = stepper_->session().peaks();
    r.peak_gflops = r.peaks.gflops;
    if (r.peak_gflops > 0) r.fraction_of_peak = r.gflops / r.peak_gflops;
    return r;
  }

 private:
  static TrainOptions with_times(TrainOptions options) {
    options.session.time_kernels = true;
    return options;
  }

  std::unique_ptr<Stepper> stepper_, measured_;
  const WorkClock clock_ = WorkClock::wall();
  RoundTimes steps_;
  std::vector<KernelWorks> best_;  // [minibatches], of the fastest round
};

template <typename M>
Roofline measure(M measurement, const BenchmarkOptions& options) {
  measurement.warm_up();
  const std::int64_t rounds = run_rounds(options, 2, [&] { measurement.round(); });
  Roofline r = measurement.result();
  r.rounds = rounds;
  return r;
}

}  // namespace

Roofline measure_roofline(const Model& model, const GraphSet& data, const BenchmarkOptions& options) {
  if (options.train.session.device.kind == DeviceKind::kCuda)
    return measure(GpuMeasurement(model, data, options), options);
  return measure(Measurement(model, data, options), options);
}

}  // namespace cavs::inline v0_1
