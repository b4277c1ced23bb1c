#include "cavs/optimizer.h"

#include "support/check.h"
#include "train/optimizer_def.h"
#include "train/optimizer_options.h"
#include "train/share.h"

namespace cavs {
namespace {

constexpr std::int64_t kCacheLine = 16;  // floats
constexpr std::int64_t kRowBlock = 16;   // rows that are updated together

}  // namespace

Optimizer::Optimizer(OptimizerOptions options, const Parameters& parameters)
    : options_(std::move(options)), def_(&find_optimizer(options_.kind)) {
  check_options(*def_, options_);
  const auto names = def_->slots(options_);
  slot_names_.assign(names.begin(), names.end());
  state_.resize(slot_names_.size());
  for (auto& slot : state_)
    for (int p = 0; p < parameters.size(); ++p)
      slot.emplace_back(parameters.info(p).shape.size(), def_->initial_state(options_));
}

void Optimizer::step_share(int worker, int workers, Parameters& parameters, const Gradients& gradients,
                           float gradient_scale, ParameterRows* matrices) {
  StepScalars scalars;
  scalars.gradient_scale = gradient_scale;
  def_->scalars(options_, learning_rate(), steps_ + 1, scalars);
  const bool listed_rows_only = options_.sparse_updates || def_->skips_zero_gradients(options_);
  for (int p = 0; p < parameters.size(); ++p) {
    const ParameterInfo& info = parameters.info(p);
    if (matrices == nullptr) parameters.bring_back(p);
    CAVS_ASSERT(static_cast<std::int64_t>(gradients.values[p].size()) == info.shape.size());
    const auto update_at = [&](float* values, std::int64_t begin, std::int64_t count) {
      UpdateRange range{values, gradients.values[p].data() + begin, {}, count};
      for (int s = 0; s < slots(); ++s) range.slots[s] = state_[s][p].data() + begin;
      def_->update(scalars, range);
    };
    const auto update = [&](std::int64_t begin, std::int64_t count) {
      update_at(parameters.values(p).data() + begin, begin, count);
    };
    if (info.table && listed_rows_only) {
      const auto& rows = gradients.table_rows[p];
      const std::int64_t width = info.shape.dims[1];
      const Share share = share_of(static_cast<std::int64_t>(rows.size()), worker, workers, 1);
      for (std::int64_t r = share.begin; r < share.end; ++r) update(rows[r] * width, width);
    } else if (matrices != nullptr && !info.table && info.shape.dims.size() == 2) {
      const std::int64_t rows = info.shape.dims[0], width = info.shape.dims[1];
      const Share share = share_of(rows, worker, workers, kRowBlock);
      for (std::int64_t r = share.begin; r < share.end; r += kRowBlock) {
        const auto begin = static_cast<std::int32_t>(r),
                   end = static_cast<std::int32_t>(std::min(r + kRowBlock, share.end));
        float* const values = matrices->open(worker, p, begin, end);
        update_at(values, r * width, (end - r) * width);
        matrices->close(p, begin, end, values);
      }
    } else {
      const Share share = share_of(info.shape.size(), worker, workers, kCacheLine);
      update(share.begin, share.end - share.begin);
    }
  }
}

void Optimizer::end_step(Parameters& parameters) {
  ++steps_;
  for (int p = 0; p < parameters.size(); ++p) parameters.touch(p);
}

void Optimizer::step(Parameters& parameters, const Gradients& gradients, float gradient_scale) {
  step_share(0, 1, parameters, gradients, gradient_scale);
  end_step(parameters);
}

void clear(const Parameters& parameters, Gradients& gradients) {
  for (int p = 0; p < parameters.size(); ++p) {
    if (!parameters.info(p).table) continue;
    const std::int64_t width = parameters.info(p).shape.dims[1];
    for (const std::int32_t row : gradients.table_rows[p])
      std::fill_n(gradients.values[p].begin() + row * width, width, 0.0F);
    gradients.table_rows[p].clear();
  }
}

}  // namespace cavs
