#include "cavs/optimizer.h"

#include "support/check.h"
#include "train/optimizer_def.h"
#include "train/optimizer_options.h"
#include "train/share.h"

namespace cavs {
namespace {

constexpr std::int64_t kCacheLine = 16;  // floats
constexpr std::int64_t kRowBlock = 16;   // rows that are updated, then told of

}  // namespace

Optimizer::Optimizer(OptimizerOptions options, const Parameters& parameters)
    : options_(std::move(options)), def_(&find_optimizer(options_.kind)) {
  check_options(*def_, options_);
  const auto names = def_->slots(options_);
  slot_names_.assign(names.begin(), names.end());
  state_.resize(slot_names_.size());
  for (auto& slot : state_)
    for (int p = 0; p < parameters.size(); ++p)
      slot.emplace_back(parameters.values(p).size(), def_->initial_state(options_));
}

void Optimizer::step_share(int worker, int workers, Parameters& parameters, const Gradients& gradients,
                           float gradient_scale, const RowsUpdated& updated) {
  StepScalars scalars;
  scalars.gradient_scale = gradient_scale;
  def_->scalars(options_, learning_rate(), steps_ + 1, scalars);
  const bool listed_rows_only = options_.sparse_updates || def_->skips_zero_gradients(options_);
  for (int p = 0; p < parameters.size(); ++p) {
    const std::span<float> values = parameters.values(p);
    CAVS_ASSERT(gradients.values[p].size() == values.size());
    const auto update = [&](std::int64_t begin, std::int64_t count) {
      UpdateRange range{values.data() + begin, gradients.values[p].data() + begin, {}, count};
      for (int s = 0; s < slots(); ++s) range.slots[s] = state_[s][p].data() + begin;
      def_->update(scalars, range);
    };
    const ParameterInfo& info = parameters.info(p);
    if (info.table && listed_rows_only) {
      const auto& rows = gradients.table_rows[p];
      const std::int64_t width = info.shape.dims[1];
      const Share share = share_of(static_cast<std::int64_t>(rows.size()), worker, workers, 1);
      for (std::int64_t r = share.begin; r < share.end; ++r) update(rows[r] * width, width);
    } else if (updated && !info.table && info.shape.dims.size() == 2) {
      const std::int64_t rows = info.shape.dims[0], width = info.shape.dims[1];
      const Share share = share_of(rows, worker, workers, kRowBlock);
      for (std::int64_t r = share.begin; r < share.end; r += kRowBlock) {
        const std::int64_t end = std::min(r + kRowBlock, share.end);
        update(r * width, (end - r) * width);
        updated(p, static_cast<std::int32_t>(r), static_cast<std::int32_t>(end));
      }
    } else {
      const Share share = share_of(static_cast<std::int64_t>(values.size()), worker, workers, kCacheLine);
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
