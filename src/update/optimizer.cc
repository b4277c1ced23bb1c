#include <cmath>
#include <utility>

#include "support/check.h"
#include "tensor/check_parameters.h"
#include "update/optimizer_impl.h"
#include "update/optimizer_options.h"
#include "update/parameter_groups.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int64_t kCacheLine = 16;  // floats per cache line

[[noreturn]] void refuse_deferred(const Parameters& parameters, const Gradients& gradients) {
  int p = 0;
  while (p < parameters.size() && !gradients.is_deferred(p)) ++p;
  user_check(p < parameters.size(),
             "a backward pass deferred gradients, but none is marked; expected Gradients unchanged since that pass");
  user_error(
      "the gradient of parameter '{}' is deferred, so it has no values; call Session::update with the run, or backward "
      "without defer_weights",
      parameters.info(p).name);
}

}  // namespace

Optimizer::Impl::Impl(OptimizerOptions given, const Parameters& parameters)
    : options(std::move(given)), def(&find_optimizer(options.kind)), list(parameters.list()) {
  check_options(*def, options);
  for (const ParameterRate& rate : rates_by_group(options, *list)) {
    rates.push_back(rate.lr);
    frozen.push_back(rate.frozen ? 1 : 0);
  }
  const auto names = def->slots(options);
  slot_names.assign(names.begin(), names.end());
  state.resize(slot_names.size());
  for (auto& slot : state)
    for (int p = 0; p < parameters.size(); ++p)
      slot.push_back(std::make_unique<detail::Array>(
          std::vector<float>(parameters.info(p).shape.size(), def->initial_state(options))));
}

Optimizer::Optimizer(OptimizerOptions options, const Parameters& parameters)
    : impl_(std::make_unique<Impl>(std::move(options), parameters)) {}
Optimizer::Optimizer(Optimizer&&) noexcept = default;
Optimizer::~Optimizer() = default;

const OptimizerOptions& Optimizer::options() const { return impl_->options; }
const Parameters::List& Optimizer::parameters() const { return impl_->list; }
std::int64_t Optimizer::steps() const { return impl_->steps; }
void Optimizer::set_steps(std::int64_t steps) { impl_->steps = steps; }
double Optimizer::learning_rate() const { return impl_->rate_of(impl_->options.lr); }
double Optimizer::learning_rate(int parameter) const { return impl_->rate_of(impl_->rates[parameter]); }
std::span<const char> Optimizer::frozen() const { return impl_->frozen; }
double Optimizer::rate_factor() const { return impl_->rate_factor; }
int Optimizer::slots() const { return static_cast<int>(impl_->slot_names.size()); }
std::string_view Optimizer::slot_name(int slot) const { return impl_->slot_names[slot]; }

std::span<float> Optimizer::slot(int slot, int parameter) {
  detail::Array& state = *impl_->state[slot][parameter];
  state.open();
  state.touch();
  return state.open();
}

std::span<const float> Optimizer::slot(int slot, int parameter) const { return impl_->state[slot][parameter]->read(); }

void Optimizer::Impl::take_back() {
  for (const auto& slot : state)
    for (const auto& array : slot) {
      array->open();
      array->touch();
    }
}

void Optimizer::set_rate_factor(double factor) {
  user_check(std::isfinite(factor) && factor >= 0, "the factor of the learning rate is {}; expected 0 or more", factor);
  impl_->rate_factor = factor;
}

void Optimizer::Impl::check(const Parameters& parameters, const Gradients& gradients,
                            const ParameterRows* matrices) const {
  check_parameters(parameters.list(), list, "the parameters given to the optimiser",
                   "use a separate optimiser for each set of parameters");
  check_gradients(gradients, list, "the gradients given to the optimiser");
  const Parameters* const owner = matrices == nullptr ? nullptr : matrices->owner();
  user_check(owner == nullptr || owner == &parameters,
             "the optimiser was given rows of other parameters than it updates; update these in their own session");
}

StepScalars Optimizer::Impl::scalars(int parameter, float gradient_scale) const {
  StepScalars scalars;
  scalars.gradient_scale = gradient_scale;
  def->scalars(options, rate_of(rates[parameter]), steps + 1, scalars);
  return scalars;
}

/// Updates `count` elements of a parameter, from element `begin` on.
void Optimizer::Impl::update(const StepScalars& scalars, int parameter, std::int64_t begin, std::int64_t count,
                             float* values, const float* gradient) {
  UpdateRange range{values, gradient, {}, count};
  for (std::size_t s = 0; s < state.size(); ++s) range.slots[s] = state[s][parameter]->open().data() + begin;
  def->update(cpu::isa())(scalars, range);
}

/// Updates a matrix in strips of 16 columns. The rule runs over a contiguous copy of a strip's state, which is copied
/// back.
class Optimizer::Impl::StripStep final : public StripRule {
 public:
  StripStep(Impl& optimizer, const StepScalars& scalars, int parameter)
      : scalars_(scalars),
        rule_(optimizer.def->update(cpu::isa())),
        slots_(static_cast<int>(optimizer.state.size())),
        width_((*optimizer.list)[parameter].shape.dims[1]) {
    for (int s = 0; s < slots_; ++s) state_[s] = optimizer.state[s][parameter]->open().data();
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

/// Updates this worker's rows of a matrix. `gradient(begin, end)` returns the address of the gradient of these rows.
template <typename Gradient>
void Optimizer::Impl::update_matrix(const StepScalars& scalars, const WorkPart& work, int parameter, const Shape& shape,
                                    ParameterRows& matrices, Gradient gradient) {
  const std::int64_t width = shape.dims[1];
  const RowRange share = split_range<std::int32_t>(0, shape.dims[0], work, ParameterRows::kRows);
  for (std::int32_t first = share.begin; first < share.end; first += ParameterRows::kGradientRows) {
    const std::int32_t next = std::min(first + ParameterRows::kGradientRows, share.end);
    const float* const rows = gradient(first, next);
    for (std::int32_t begin = first; begin < next; begin += ParameterRows::kRows) {
      const std::int32_t end = std::min(begin + ParameterRows::kRows, next);
      float* const values = matrices.open(work.worker, parameter, begin, end);
      update(scalars, parameter, begin * width, (end - begin) * width, values, rows + (begin - first) * width);
      matrices.close(parameter, begin, end, values);
    }
  }
}

void Optimizer::Impl::step_parameter(const WorkPart& work, int p, Parameters& parameters, const Gradients& gradients,
                                     float gradient_scale, ParameterRows* matrices) {
  if (frozen[p] != 0) return;
  const StepScalars s = scalars(p, gradient_scale);
  const ParameterInfo& info = parameters.info(p);
  if (gradients.is_deferred(p)) {
    StripStep strips(*this, s, p);
    if (!matrices->update_strips(work, p, strips))
      update_matrix(s, work, p, info.shape, *matrices,
                    [&](auto begin, auto end) { return matrices->gradient(work.worker, p, begin, end); });
    return;
  }
  const float* const gradient = gradients.values(p).data();
  const auto update_at = [&](std::int64_t begin, std::int64_t count) {
    update(s, p, begin, count, parameters.values(p).data() + begin, gradient + begin);
  };
  if (info.table && (options.sparse_updates || def->skips_zero_gradients(options))) {
    const auto& rows = gradients.table_rows[p];
    const std::int64_t width = info.shape.dims[1];
    const auto share = split_range<std::int64_t>(0, std::ssize(rows), work);
    for (std::int64_t r = share.begin; r < share.end; ++r) update_at(rows[r] * width, width);
  } else if (matrices != nullptr && !info.table && info.shape.dims.size() == 2) {
    update_matrix(s, work, p, info.shape, *matrices,
                  [&](std::int64_t begin, std::int64_t) { return gradient + begin * info.shape.dims[1]; });
  } else {
    const auto share = split_range<std::int64_t>(0, info.shape.size(), work, kCacheLine);
    update_at(share.begin, share.end - share.begin);
  }
}

void Optimizer::Impl::end_step(Parameters& parameters) {
  check_parameters(parameters.list(), list, "the parameters given to the optimiser");
  ++steps;
  for (int p = 0; p < parameters.size(); ++p)
    if (frozen[p] == 0) parameters.touch(p);
}

void Optimizer::step(Parameters& parameters, const Gradients& gradients, float gradient_scale) {
  impl_->check(parameters, gradients, nullptr);
  if (gradients.deferred_by != 0) refuse_deferred(parameters, gradients);
  impl_->take_back();
  for (int p = 0; p < parameters.size(); ++p)
    impl_->step_parameter({0, 0, 1}, p, parameters, gradients, gradient_scale, nullptr);
  impl_->end_step(parameters);
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
