// The last stage of a run: updates of parameters, and training steps as a whole.

#include <cmath>

#include "execute/session_impl.h"
#include "execute/update.h"
#include "support/check.h"
#include "tensor/check_parameters.h"

namespace cavs::inline v0_1 {
namespace {

void check_clip_norm(double clip_norm) {
  user_check(std::isfinite(clip_norm) && clip_norm >= 0, "clip_norm is {}; expected 0 (none) or more", clip_norm);
}

}  // namespace

UpdateResult Session::update(Run& run, Gradients& gradients, Optimizer& optimizer, const UpdateOptions& options) {
  check_clip_norm(options.clip_norm);
  const UpdateRequest request{gradients, optimizer, options};
  const bool is_own = run.state_ != nullptr && run.state_->session == impl_.get();
  if (!is_own) refuse_other_run();
  user_check(gradients.deferred_by == 0 || options.clip_norm == 0,
             "deferred gradients have no values before the update, so they cannot be clipped; call backward "
             "with defer_weights = false");
  return impl_->engine->update(*run.state_->run, request);
}

UpdateResult Session::update(Gradients& gradients, Optimizer& optimizer, const UpdateOptions& options) {
  check_clip_norm(options.clip_norm);
  if (gradients.deferred_by != 0) refuse_other_run();
  return impl_->engine->update(*impl_->free_state().run, {gradients, optimizer, options});
}

BegunTraining Session::Impl::begin_training(const std::shared_ptr<Impl>& self, const TrainingBatch& batch,
                                            const ForwardOptions& options, const TrainingBatch* next,
                                            const UpdateRequest& request, bool follows) {
  check_clip_norm(request.options.clip_norm);
  check_gradients(request.gradients, self->parameter_list, "the gradients given to a training step");
  Run run = open(self, batch.graphs, batch.samples, options, {});
  Run::State& state = *run.state_;
  if (next != nullptr) self->prefetch(next->graphs, next->samples, next->epoch);
  const auto loss_gradient = static_cast<float>(1 / state.loss_divisor);
  const bool is_launched = state.run->begin_training(state.batch, loss_gradient, request, follows);
  return {std::move(run), is_launched};
}

TrainedRun Session::Impl::end_training(BegunTraining begun, UpdateRequest request) const {
  Run& run = begun.run;
  Run::State& state = *run.state_;
  const auto loss_gradient = static_cast<float>(1 / state.loss_divisor);
  std::optional<TrainedStep> step = begun.is_launched ? state.run->end_training(state.batch, request)
                                                      : state.run->train(state.batch, loss_gradient, request);
  if (!step) {
    step.emplace();
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [start] { return milliseconds_since(start) / 1e3; };
    state.run->forward(state.batch, loss_gradient);
    request.loss = step->loss_sum = state.run->loss_sum(state.batch);
    step->seconds.forward = elapsed();
    state.run->backward(state.batch, request.gradients, {}, request.options.clip_norm == 0);
    step->seconds.backward = elapsed() - step->seconds.forward;
    step->update = engine->update(*state.run, request);
    step->seconds.update = elapsed() - step->seconds.forward - step->seconds.backward;
  }
  state.loss_sum = step->loss_sum;
  state.ran_backward = true;
  account(state, (step->seconds.forward + step->seconds.backward) * 1e3);
  return {std::move(run), step->update, step->seconds};
}

}  // namespace cavs::inline v0_1
