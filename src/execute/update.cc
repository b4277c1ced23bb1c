// Session::update: the last stage of the path, shared by the team.

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>

#include "execute/session_impl.h"
#include "support/check.h"
#include "tensor/check_parameters.h"
#include "tensor/parameter_rows.h"
#include "update/optimizer_access.h"

namespace cavs {
namespace {

using detail::OptimizerAccess;

class NormedRule final : public StripRule {
 public:
  NormedRule(StripRule& rule, GradientNorm& norm, int parameter) : rule_(rule), norm_(norm), parameter_(parameter) {}
  void apply(std::int32_t row, std::int32_t column, std::int32_t rows, float* values, const float* gradient) override {
    constexpr std::int32_t kSide = ParameterRows::kRows;
    for (std::int32_t r = 0; r < rows; r += kSide) norm_.add_square(parameter_, row + r, column, gradient + r * kSide);
    rule_.apply(row, column, rows, values, gradient);
  }

 private:
  StripRule& rule_;
  GradientNorm& norm_;
  int parameter_;
};

/// Adds the gradients that an update asks for to a norm.
class NormedRows final : public ParameterRows {
 public:
  NormedRows(ParameterRows& rows, GradientNorm& norm) : rows_(rows), norm_(norm) {}
  float* open(int worker, int parameter, std::int32_t begin, std::int32_t end) override {
    return rows_.open(worker, parameter, begin, end);
  }
  void close(int parameter, std::int32_t begin, std::int32_t end, const float* rows) override {
    rows_.close(parameter, begin, end, rows);
  }
  const float* gradient(int worker, int parameter, std::int32_t begin, std::int32_t end) override {
    const float* const rows = rows_.gradient(worker, parameter, begin, end);
    norm_.add(parameter, begin, end, rows);
    return rows;
  }
  bool update_strips(const WorkPart& who, int parameter, StripRule& rule) override {
    NormedRule normed(rule, norm_, parameter);
    return rows_.update_strips(who, parameter, normed);
  }
  const Parameters* owner() const override { return rows_.owner(); }

 private:
  ParameterRows& rows_;
  GradientNorm& norm_;
};

/// An update, by one parallel region or as a part of one.
class Update final : public UpdateShare {
 public:
  /// `run` has the deferred gradients; `loss`: what must be finite besides.
  Update(Session::Impl& session, EngineRun& run, Gradients& gradients, Optimizer& optimizer,
         const UpdateOptions& options, std::function<double()> loss = {})
      : session_(session),
        run_(run),
        gradients_(gradients),
        optimizer_(optimizer),
        clip_norm_(options.clip_norm),
        has_norm_(options.norm || options.clip_norm > 0),
        loss_(std::move(loss)),
        norm_(session.gradient_norm()) {
    norm_.leave_out(optimizer.frozen());
  }

  void begin() override {
    rows_ = session_.engine->begin_update(&run_);
    if (rows_ != nullptr && has_norm_) rows_ = &normed_.emplace(*rows_, norm_);
    OptimizerAccess::check(optimizer_, *session_.parameters, gradients_, rows_);
    OptimizerAccess::take_back(optimizer_);
  }
  Elsewhere begin_elsewhere() override {
    OptimizerAccess::check(optimizer_, *session_.parameters, gradients_, nullptr);
    return {optimizer_, clip_norm_};
  }
  void end_elsewhere(double gradient_norm, bool updated) override {
    take_loss();
    norm_elsewhere_ = gradient_norm, updated_ = updated;
  }
  int parameters() const override { return session_.parameters->size(); }
  bool is_deferred(int parameter) const override { return gradients_.is_deferred(parameter); }
  void take_loss() override { is_finite_ = !loss_ || std::isfinite(loss_()); }
  void sum_squares(const WorkPart& who, int parameter) override {
    OptimizerAccess::sum_squares(norm_, who.part, who.parts, parameter, gradients_);
  }
  /// Of the whole norm where there is a scale to find; what is deferred is finite.
  std::optional<float> scale() override {
    const double known = norm_.known(gradients_);
    if (!is_finite_ || !std::isfinite(known)) return {};
    return clip_scale(known, clip_norm_);
  }
  void update(const WorkPart& who, int parameter, float scale) override {
    OptimizerAccess::step_parameter(optimizer_, who, parameter, *session_.parameters, gradients_, scale, rows_);
    updated_.store(true, std::memory_order_relaxed);
  }

  /// The whole of it, where gradients are there.
  void run() {
    begin();
    const auto work = [this](int worker) { take_part(*this, session_.team, worker, [] { return true; }); };
    session_.team.run(std::ref(work));  // a copy of it would allocate
  }

  UpdateResult end() {
    const bool updated = updated_.load(std::memory_order_relaxed);
    if (updated) {
      OptimizerAccess::end_step(optimizer_, *session_.parameters);
      session_.engine->end_update();
      if (!has_norm_) return {std::numeric_limits<double>::quiet_NaN(), true};
    }
    if (norm_elsewhere_) return {*norm_elsewhere_, updated};
    return {updated ? norm_.total(gradients_) : norm_.known(gradients_), updated};
  }

 private:
  Session::Impl& session_;
  EngineRun& run_;
  Gradients& gradients_;
  Optimizer& optimizer_;
  const double clip_norm_;
  const bool has_norm_;
  const std::function<double()> loss_;
  GradientNorm& norm_;
  std::optional<NormedRows> normed_;
  ParameterRows* rows_ = nullptr;
  bool is_finite_ = true;
  std::atomic<bool> updated_{false};
  std::optional<double> norm_elsewhere_;
};

void check_clip_norm(double clip_norm) {
  user_check(std::isfinite(clip_norm) && clip_norm >= 0, "clip_norm is {}; expected 0 (none) or more", clip_norm);
}

}  // namespace

GradientNorm& Session::Impl::gradient_norm() {
  if (!norm) norm.emplace(*parameters);
  return *norm;
}

UpdateResult Session::update(Run& run, Gradients& gradients, Optimizer& optimizer, const UpdateOptions& options) {
  Impl& s = *impl_;
  check_clip_norm(options.clip_norm);
  user_check(
      run.state_ != nullptr && run.state_->session == &s && run.state_->run->deferred_by() == gradients.deferred_by,
      "the update has gradients that another backward deferred; give it the run whose backward was the last to "
      "write them, and the session of that run");
  user_check(gradients.deferred_by == 0 || (options.clip_norm == 0 && !options.reduce),
             "gradients that were deferred have no values before the update, so they can be neither clipped nor "
             "reduced; call backward with defer_weights = false");
  if (options.reduce) options.reduce(gradients);
  Update update(s, *run.state_->run, gradients, optimizer, options);
  update.run();
  return update.end();
}

TrainedRun Session::Impl::train(const std::shared_ptr<Impl>& self, const TrainingBatch& batch,
                                const ForwardOptions& options, const TrainingBatch* next, Gradients& gradients,
                                Optimizer& optimizer, const UpdateOptions& update_options) {
  check_clip_norm(update_options.clip_norm);
  check_gradients(gradients, self->parameter_list, "the gradients given to a training step");
  Run run = open(self, batch.graphs, batch.samples, options, {});
  Run::State& state = *run.state_;
  if (next != nullptr) self->prefetch(next->graphs, next->samples, next->epoch);
  Update update(*self, *state.run, gradients, optimizer, update_options,
                [&state] { return state.loss_sum = state.run->loss_sum(state.batch); });
  const auto loss_gradient = static_cast<float>(1 / state.loss_divisor);
  const bool defer = update_options.clip_norm == 0;
  StepSeconds seconds;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const Trained trained = state.run->train(state.batch, loss_gradient, gradients, defer, update, seconds);
  if (trained == Trained::kNothing) {
    state.run->forward(state.batch, loss_gradient);
    seconds.forward = elapsed();
    state.run->backward(state.batch, gradients, {}, defer);
    seconds.backward = elapsed() - seconds.forward;
  }
  state.went_back = true;
  if (trained != Trained::kAll) {
    update.run();
    seconds.update = elapsed() - seconds.forward - seconds.backward;
  }
  self->account(state, (seconds.forward + seconds.backward) * 1e3);
  const UpdateResult result = update.end();
  return {std::move(run), result, seconds};
}

}  // namespace cavs
