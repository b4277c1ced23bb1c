#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "backend/cuda/entries/kernel_arguments.h"
#include "execute/cuda/arena_pool.h"
#include "execute/cuda/device_parameters.h"
#include "execute/cuda/pass_timer.h"
#include "execute/engine.h"
#include "execute/team.h"
#include "execute/update.h"

namespace cavs::cuda {

/// A GPU for an engine. @throws UserError where there is no driver, no such GPU, or one that kernels do not run on
DeviceRef open_device(int index, std::string_view engine, bool is_cooperative);

/// The base of engines of a GPU: parameters,
/// gradients and the optimiser's state in its memory, a stream for
/// kernels, and one for what the next minibatch reads, which is copied there meanwhile.
class DeviceEngine : public Engine {
 public:
  Precision precision() const override { return options_.precision; }
  std::int64_t available_memory() const override { return device_->free_memory(); }
  /// Updates on the host, which gets the gradients.
  UpdateResult update(EngineRun&, const UpdateRequest& request) override { return updater_.update(request); }
  DevicePeaks peaks() const override;
  bool set_slack(std::function<bool()> slice) override;
  void finish_slack() override;
  std::unique_ptr<StateMemory> make_state_memory() override;
  /// The host's threads.
  void share(const std::function<void(int worker, int workers)>& f) override;

  const DeviceRef& device() const { return device_; }
  const Program& program() const { return *program_; }
  Parameters& values() const { return *values_; }
  DeviceParameters& parameters() { return parameters_; }
  const Stream& stream() const { return parameters_.stream(); }
  const Stream& uploads() const { return uploads_; }
  ArenaPool& arenas() { return arenas_; }
  Timeline& timeline() { return timeline_; }
  const SessionOptions& options() const { return options_; }
  /// True if kernels keep what products read in bf16 as well.
  bool keeps_halves() const { return weights_.bytes() > 0; }
  /// The memory that all launches use, one after the other.
  KernelArguments arguments() const;

 protected:
  /// @param is_cooperative  blocks of a kernel wait for each other, and keep nothing in bf16
  /// @throws UserError where there is no driver, no such GPU, or one that kernels do not run on
  DeviceEngine(const EngineContext& context, std::string_view name, bool is_cooperative);

 private:
  const std::shared_ptr<const Program> program_;
  const std::shared_ptr<Parameters> values_;
  const SessionOptions& options_;
  const DeviceRef device_;
  DeviceMemory squares_, result_;
  DeviceParameters parameters_;
  DeviceMemory weights_;  // of products, in bf16
  Stream uploads_;
  HostUpdater updater_;
  ArenaPool arenas_;
  Timeline timeline_;
  std::function<bool()> slack_;
  std::unique_ptr<Team> team_;  // of share()
};

}  // namespace cavs::cuda
