// Session::update: the last stage of the path, shared by the team.

#include <cmath>
#include <functional>

#include "execute/session_impl.h"
#include "support/check.h"
#include "tensor/parameter_rows.h"
#include "update/optimizer_access.h"

namespace cavs {
namespace {

using detail::OptimizerAccess;

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
  const Parameters* owner() const override { return rows_.owner(); }

 private:
  ParameterRows& rows_;
  GradientNorm& norm_;
};

}  // namespace

UpdateResult Session::update(Run& run, Gradients& gradients, Optimizer& optimizer, const UpdateOptions& options) {
  Impl& s = *impl_;
  user_check(std::isfinite(options.clip_norm) && options.clip_norm >= 0, "clip_norm is {}; expected 0 (none) or more",
             options.clip_norm);
  user_check(
      run.state_ != nullptr && run.state_->session == &s && run.state_->run->deferred_by() == gradients.deferred_by,
      "the update has gradients that another backward deferred; give it the run whose backward was the last to "
      "write them, and the session of that run");
  user_check(gradients.deferred_by == 0 || (options.clip_norm == 0 && !options.reduce),
             "gradients that were deferred have no values before the update, so they can be neither clipped nor "
             "reduced; call backward with defer_weights = false");
  if (options.reduce) options.reduce(gradients);
  if (!s.norm) s.norm.emplace(*s.parameters);
  GradientNorm& norm = *s.norm;
  norm.leave_out(optimizer.frozen());
  const int workers = s.team.size();
  const auto in_parallel = [&](auto&& work) { s.team.run(std::ref(work)); };  // a copy of it would allocate
  const auto sum_squares = [&](int worker) { norm.share(worker, workers, gradients); };
  in_parallel(sum_squares);
  const double known = norm.known(gradients);  // all of it where there is a scale to find; what is deferred is finite
  if (!std::isfinite(known)) return {known, false};
  const float scale = clip_scale(known, options.clip_norm);
  ParameterRows* const engine_rows = s.engine->begin_update(run.state_->run.get());
  std::optional<NormedRows> rows;
  if (engine_rows != nullptr) rows.emplace(*engine_rows, norm);
  if (gradients.deferred_by != 0) {
    const auto step = [&](int worker) {
      OptimizerAccess::step_deferred(optimizer, worker, workers, *s.parameters, gradients, scale, *rows);
    };
    in_parallel(step);
  }
  const auto step = [&](int worker) {
    OptimizerAccess::step_share(optimizer, worker, workers, *s.parameters, gradients, scale, rows ? &*rows : nullptr);
  };
  in_parallel(step);
  OptimizerAccess::end_step(optimizer, *s.parameters);
  s.engine->end_update();
  return {norm.total(gradients), true};
}

}  // namespace cavs
