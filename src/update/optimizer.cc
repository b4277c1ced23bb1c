#include "cavs/optimizer.h"

#include <cmath>

#include "support/check.h"
#include "support/split_range.h"
#include "tensor/array.h"
#include "tensor/check_parameters.h"
#include "tensor/parameter_rows.h"
#include "update/optimizer_def.h"
#include "update/optimizer_options.h"
#include "update/parameter_groups.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int64_t kCacheLine = 16;  // floats

[[noreturn]] void refuse_deferred(const Parameters& parameters, const Gradients& gradients) {
  int p = 0;
  while (p < parameters.size() && !gradients.is_deferred(p)) ++p;
  user_check(p < parameters.size(),
             "a backward deferred gradients, but none is marked; expected Gradients as it left "
             "them");
  user_error(
      "the gradient of parameter '{}' is deferred, so it is not there; call Session::update with the run, or backward "
      "without defer_weights",
      parameters.info(p).name);
}

}  // namespace

Optimizer::Optimizer(OptimizerOptions options, const Parameters& parameters)
    : options_(std::move(options)), def_(&find_optimizer(options_.kind)), parameters_(parameters.list()) {
  check_options(*def_, options_);
  for (const ParameterRate& rate : rates_by_group(options_, *parameters_))
    rates_.push_back(rate.lr), frozen_.push_back(rate.frozen ? 1 : 0);
  const auto names = def_->slots(options_);
  slot_names_.assign(names.begin(), names.end());
  state_.resize(slot_names_.size());
  for (auto& slot : state_)
    for (int p = 0; p < parameters.size(); ++p)
      slot.push_back(std::make_unique<detail::Array>(
          std::vector<float>(parameters.info(p).shape.size(), def_->initial_state(options_))));
}

Optimizer::Optimizer(Optimizer&&) noexcept = default;
Optimizer::~Optimizer() = default;

std::span<float> Optimizer::slot(int slot, int parameter) {
  detail::Array& state = *state_[slot][parameter];
  state.open();
  state.touch();
  return state.open();
}

std::span<const float> Optimizer::slot(int slot, int parameter) const { return state_[slot][parameter]->read(); }

void Optimizer::take_back() {
  for (const auto& of_slot : state_)
    for (const auto& state : of_slot) {
      state->open();
      state->touch();
    }
}

void Optimizer::set_rate_factor(double factor) {
  user_check(std::isfinite(factor) && factor >= 0, "the factor of the learning rate is {}; expected 0 or more", factor);
  rate_factor_ = factor;
}

void Optimizer::check(const Parameters& parameters, const Gradients& gradients, const ParameterRows* matrices) const {
  check_parameters(parameters.list(), parameters_, "the parameters given to the optimiser",
                   "give each set of parameters an optimiser of its own");
  check_gradients(gradients, parameters_, "the gradients given to the optimiser");
  const Parameters* const owner = matrices == nullptr ? nullptr : matrices->owner();
  user_check(owner == nullptr || owner == &parameters,
             "the optimiser was given rows of other parameters than those it is to update; update them in "
             "their own session");
}

StepScalars Optimizer::scalars(int parameter, float gradient_scale) const {
  StepScalars scalars;
  scalars.gradient_scale = gradient_scale;
  def_->scalars(options_, learning_rate(parameter), steps_ + 1, scalars);
  return scalars;
}

/// `count` elements of a parameter from element `begin` on.
void Optimizer::update(const StepScalars& scalars, int parameter, std::int64_t begin, std::int64_t count, float* values,
                       const float* gradient) {
  UpdateRange range{values, gradient, {}, count};
  for (int s = 0; s < slots(); ++s) range.slots[s] = state_[s][parameter]->open().data() + begin;
  def_->update(cpu::isa())(scalars, range);
}

/// Strips of a matrix: the rule runs once over a strip's elements, next to which the state is copied.
class Optimizer::StripStep final : public StripRule {
 public:
  StripStep(Optimizer& optimizer, const StepScalars& scalars, int parameter)
      : scalars_(scalars),
        rule_(optimizer.def_->update(cpu::isa())),
        slots_(optimizer.slots()),
        width_((*optimizer.parameters_)[parameter].shape.dims[1]) {
    for (int s = 0; s < slots_; ++s) state_[s] = optimizer.state_[s][parameter]->open().data();
  }

  void apply(std::int32_t row, std::int32_t column, std::int32_t rows, float* values, const float* gradient) override {
    constexpr int kColumns = ParameterRows::kRows;
    alignas(64) float copies[2][kMostRows * kColumns];
    UpdateRange range{values, gradient, {}, rows * kColumns};
    const std::int64_t first = row * width_ + column;
    for (int s = 0; s < slots_; ++s) {
      range.slots[s] = copies[s];
      for (int r = 0; r < rows; ++r) std::copy_n(state_[s] + first + r * width_, kColumns, copies[s] + r * kColumns);
    }
    rule_(scalars_, range);
    for (int s = 0; s < slots_; ++s)
      for (int r = 0; r < rows; ++r) std::copy_n(copies[s] + r * kColumns, kColumns, state_[s] + first + r * width_);
  }

 private:
  const StepScalars scalars_;
  const UpdateRule rule_;
  const int slots_;
  const std::int64_t width_;
  float* state_[2] = {};
};

/// A part of the rows of a matrix; `gradient(begin, end)` gives some of them.
template <typename Gradient>
void Optimizer::update_matrix(const StepScalars& scalars, const WorkPart& who, int parameter, const Shape& shape,
                              ParameterRows& matrices, Gradient gradient) {
  const std::int64_t width = shape.dims[1];
  const RowRange share = split_range<std::int32_t>(0, shape.dims[0], who, ParameterRows::kRows);
  for (std::int32_t first = share.begin; first < share.end; first += ParameterRows::kGradientRows) {
    const std::int32_t next = std::min(first + ParameterRows::kGradientRows, share.end);
    const float* const rows = gradient(first, next);
    for (std::int32_t begin = first; begin < next; begin += ParameterRows::kRows) {
      const std::int32_t end = std::min(begin + ParameterRows::kRows, next);
      float* const values = matrices.open(who.worker, parameter, begin, end);
      update(scalars, parameter, begin * width, (end - begin) * width, values, rows + (begin - first) * width);
      matrices.close(parameter, begin, end, values);
    }
  }
}

void Optimizer::step_parameter(const WorkPart& who, int p, Parameters& parameters, const Gradients& gradients,
                               float gradient_scale, ParameterRows* matrices) {
  if (frozen_[p] != 0) return;
  const StepScalars s = scalars(p, gradient_scale);
  const ParameterInfo& info = parameters.info(p);
  if (gradients.is_deferred(p)) {
    StripStep strips(*this, s, p);
    if (!matrices->update_strips(who, p, strips))
      update_matrix(s, who, p, info.shape, *matrices,
                    [&](auto begin, auto end) { return matrices->gradient(who.worker, p, begin, end); });
    return;
  }
  const float* const gradient = gradients.values(p).data();
  const auto update_at = [&](std::int64_t begin, std::int64_t count) {
    update(s, p, begin, count, parameters.values(p).data() + begin, gradient + begin);
  };
  if (info.table && (options_.sparse_updates || def_->skips_zero_gradients(options_))) {
    const auto& rows = gradients.table_rows[p];
    const std::int64_t width = info.shape.dims[1];
    const auto share = split_range<std::int64_t>(0, std::ssize(rows), who);
    for (std::int64_t r = share.begin; r < share.end; ++r) update_at(rows[r] * width, width);
  } else if (matrices != nullptr && !info.table && info.shape.dims.size() == 2) {
    update_matrix(s, who, p, info.shape, *matrices,
                  [&](std::int64_t begin, std::int64_t) { return gradient + begin * info.shape.dims[1]; });
  } else {
    const auto share = split_range<std::int64_t>(0, info.shape.size(), who, kCacheLine);
    update_at(share.begin, share.end - share.begin);
  }
}

void Optimizer::end_step(Parameters& parameters) {
  check_parameters(parameters.list(), parameters_, "the parameters given to the optimiser");
  ++steps_;
  for (int p = 0; p < parameters.size(); ++p)
    if (frozen_[p] == 0) parameters.touch(p);
}

void Optimizer::step(Parameters& parameters, const Gradients& gradients, float gradient_scale) {
  check(parameters, gradients, nullptr);
  if (gradients.deferred_by != 0) refuse_deferred(parameters, gradients);
  take_back();
  for (int p = 0; p < parameters.size(); ++p)
    step_parameter({0, 0, 1}, p, parameters, gradients, gradient_scale, nullptr);
  end_step(parameters);
}

void clear(const Parameters& parameters, Gradients& gradients) {
  check_gradients(gradients, parameters.list(), "the gradients to be cleared");
  for (int p = 0; p < parameters.size(); ++p) {
    if (!parameters.info(p).table) continue;
    const std::int64_t width = parameters.info(p).shape.dims[1];
    for (const std::int32_t row : gradients.table_rows[p])
      std::fill_n(gradients.values(p).begin() + row * width, width, 0.0F);
    gradients.table_rows[p].clear();
  }
}

}  // namespace cavs::inline v0_1
