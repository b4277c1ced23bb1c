#include "execute/update.h"

#include <cmath>
#include <limits>

#include "support/check.h"

namespace cavs::inline v0_1 {
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

}  // namespace

void refuse_other_run() {
  user_error(
      "the gradients were deferred by another backward pass; update with the run whose backward wrote them last, in "
      "the session of that run");
}

void check_deferred(const UpdateRequest& request, std::uint64_t backward) {
  if (request.gradients.deferred_by != backward) refuse_other_run();
}

const float* NormedRows::gradient(int worker, int parameter, std::int32_t begin, std::int32_t end) {
  const float* const rows = rows_.gradient(worker, parameter, begin, end);
  norm_.add(parameter, begin, end, rows);
  return rows;
}

bool NormedRows::update_strips(const WorkPart& work, int parameter, StripRule& rule) {
  NormedRule normed(rule, norm_, parameter);
  return rows_.update_strips(work, parameter, normed);
}

Update::Update(Parameters& parameters, GradientNorm& norm, const UpdateRequest& request, ParameterRows* rows)
    : parameters_(parameters), norm_(norm), request_(request), has_norm_(request.wants_norm()), rows_(rows) {
  norm_.leave_out(request.optimizer.frozen());
  if (rows_ != nullptr && has_norm_) rows_ = &normed_.emplace(*rows_, norm_);
  OptimizerAccess::check(request.optimizer, parameters, request.gradients, rows_);
  OptimizerAccess::take_back(request.optimizer);
}

/// Returns the factor of all gradients, or nullopt, to update nothing, if the loss or the norm is not finite. The
/// factor is below 1 if gradients are clipped. Deferred gradients (there are none with clipping) are always finite.
std::optional<float> Update::find_scale() const {
  const double known = norm_.known(request_.gradients);
  if (!std::isfinite(loss_) || !std::isfinite(known)) return {};
  return clip_scale(known, request_.options.clip_norm);
}

void Update::step(const WorkPart& work, int parameter, float scale) {
  OptimizerAccess::step_parameter(request_.optimizer, work, parameter, parameters_, request_.gradients, scale, rows_);
  updated_.store(true, std::memory_order_relaxed);
}

UpdateResult Update::end() {
  if (!updated_.load(std::memory_order_relaxed)) return {norm_.known(request_.gradients), false};
  OptimizerAccess::end_step(request_.optimizer, parameters_);
  return {has_norm_ ? norm_.total(request_.gradients) : std::numeric_limits<double>::quiet_NaN(), true};
}

UpdateResult HostUpdater::update(const UpdateRequest& request) {
  check_deferred(request, 0);
  if (!norm_) norm_.emplace(*parameters_);
  Update update(*parameters_, *norm_, request);
  update.take_part(
      {0, 0, 1}, [&] { return request.loss; }, [] {}, [] { return true; });
  return update.end();
}

}  // namespace cavs::inline v0_1
