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

/// Opens a GPU for an engine. @param is_cooperative  true to require cooperative launches
/// @throws UserError if there is no driver, no such GPU, or no support for this GPU
DeviceRef open_device(int index, std::string_view engine, bool is_cooperative);

/// Base of the engines for a GPU. Owns parameters, gradients and the optimiser's state in GPU memory, a stream for
/// kernels, and a stream that copies the data of the next minibatch while kernels run.
class DeviceEngine : public Engine {
 public:
  Precision precision() const override { return options_.precision; }
  std::int64_t available_memory() const override { return device_->free_memory(); }
  /// Copies the gradients to the host and updates the parameters there.
  UpdateResult update(EngineRun&, const UpdateRequest& request) override { return updater_.update(request); }
  DevicePeaks peaks() const override;
  bool set_slack(std::function<bool()> slice) override;
  void finish_slack() override;
  std::unique_ptr<StateMemory> make_state_memory() override;
  /// Runs f on several threads of the host.
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
  /// True if values and weights that products read are stored in bf16, too.
  bool keeps_halves() const { return weights_.bytes() > 0; }
  /// Returns arguments that point to the memory that all launches use, one after the other; other pointers are null.
  KernelArguments arguments() const;

 protected:
  /// @param is_cooperative  true if blocks of a kernel wait for each other; then no operand is stored in bf16
  /// @throws UserError as open_device
  DeviceEngine(const EngineContext& context, std::string_view name, bool is_cooperative);

 private:
  const std::shared_ptr<const Program> program_;
  const std::shared_ptr<Parameters> values_;
  const SessionOptions& options_;
  const DeviceRef device_;
  DeviceMemory squares_, result_;  // KernelArguments::squares and result
  DeviceParameters parameters_;
  DeviceMemory weights_;  // KernelArguments::weight_halves: copy of the weights in bf16
  Stream uploads_;
  HostUpdater updater_;
  ArenaPool arenas_;
  Timeline timeline_;
  std::function<bool()> slack_;  // see Engine::set_slack(); nullptr if there is no work
  std::unique_ptr<Team> team_;   // used by share()
};

}  // namespace cavs::cuda
