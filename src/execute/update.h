#pragma once

#include <atomic>
#include <optional>

#include "execute/engine.h"
#include "support/split_range.h"
#include "tensor/parameter_rows.h"
#include "update/gradient_norm.h"
#include "update/optimizer_access.h"

namespace cavs::inline v0_1 {

/// Refuses an update whose run is not the one whose backward pass deferred the gradients. @throws UserError always.
[[noreturn]] void refuse_other_run();

/// Checks that an update's gradients are those of its run.
/// @param backward  number of the run's backward pass if it deferred gradients, else 0
/// @throws UserError if another pass has deferred them
void check_deferred(const UpdateRequest& request, std::uint64_t backward);

/// Passes calls on to other ParameterRows, and adds the gradients that an update reads to a norm.
class NormedRows final : public ParameterRows {
 public:
  NormedRows(ParameterRows& rows, GradientNorm& norm) : rows_(rows), norm_(norm) {}
  float* open(int worker, int parameter, std::int32_t begin, std::int32_t end) override {
    return rows_.open(worker, parameter, begin, end);
  }
  void close(int parameter, std::int32_t begin, std::int32_t end, const float* rows) override {
    rows_.close(parameter, begin, end, rows);
  }
  const float* gradient(int worker, int parameter, std::int32_t begin, std::int32_t end) override;
  bool update_strips(const WorkPart& work, int parameter, StripRule& rule) override;
  const Parameters* owner() const override { return rows_.owner(); }

 private:
  ParameterRows& rows_;
  GradientNorm& norm_;
};

/// An update on the host: norm, clipping and an optimiser step. Results are bit-identical for every number of workers.
class Update {
 public:
  /// @param norm  sums the squares of the parameters' gradients
  /// @param rows  access to rows of matrices, or nullptr if all values are in Parameters::values
  Update(Parameters& parameters, GradientNorm& norm, const UpdateRequest& request, ParameterRows* rows = nullptr);

  /// Does one worker's part. Before: all gradients are computed.
  /// @param loss         returns the loss, for one worker: nothing is updated if it is not finite
  /// @param barrier      makes all workers wait for each other
  /// @param is_possible  called after the barrier that follows the sum of squares; if it returns false, the update ends
  template <typename LossSum, typename Barrier, typename IsPossible>
  void take_part(const WorkPart& work, LossSum loss, Barrier barrier, IsPossible is_possible) {
    if (work.part == 0) loss_ = loss();
    for (int p = 0; p < parameters_.size(); ++p) norm_.share(work.part, work.parts, p, request_.gradients);
    barrier();
    if (!is_possible()) return;
    const std::optional<float> scale = find_scale();
    if (!scale) return;
    for (const bool deferred : {true, false}) {  // a deferred gradient may read a parameter that is not deferred
      for (int p = 0; p < parameters_.size(); ++p)
        if (request_.gradients.is_deferred(p) == deferred) step(work, p, *scale);
      if (deferred) barrier();
    }
  }

  /// Counts the step when all workers are done. Returns the result of the update.
  UpdateResult end();

 private:
  std::optional<float> find_scale() const;
  void step(const WorkPart& work, int parameter, float scale);

  Parameters& parameters_;
  GradientNorm& norm_;
  const UpdateRequest request_;
  const bool has_norm_;
  std::optional<NormedRows> normed_;
  ParameterRows* rows_;
  double loss_ = 0;
  std::atomic<bool> updated_{false};
};

/// Updates parameters for an engine that has no threads, and no memory of its own for parameters.
class HostUpdater {
 public:
  explicit HostUpdater(std::shared_ptr<Parameters> parameters) : parameters_(std::move(parameters)) {}
  /// @throws UserError if gradients are deferred, which this engine never does
  UpdateResult update(const UpdateRequest& request);

 private:
  std::shared_ptr<Parameters> parameters_;
  std::optional<GradientNorm> norm_;  // empty before the first update
};

}  // namespace cavs::inline v0_1
