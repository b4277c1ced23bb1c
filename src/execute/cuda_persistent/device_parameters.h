#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cuda/device.h"
#include "backend/cuda/persistent/kernel_arguments.h"
#include "cavs/optimizer.h"
#include "compile/program.h"
#include "plan/plan.h"

namespace cavs::cuda {

/// A model's parameters, their gradients and the state of an optimiser in a GPU's memory, where kernels read and
/// change them. What the host has changed is copied there before the next launch; what a launch has changed is copied
/// back when somebody asks `Parameters` or `Optimizer` for it, also after this object is gone.
class DeviceParameters {
 public:
  DeviceParameters(const DeviceRef& device, const Program& program, std::shared_ptr<Parameters> parameters);
  /// Brings the parameters back.
  ~DeviceParameters();
  DeviceParameters(const DeviceParameters&) = delete;
  DeviceParameters& operator=(const DeviceParameters&) = delete;

  /// Kernels run on it, and all copies, so that each sees what the one before it has done.
  const Stream& stream() const { return store_->stream; }

  /// Copies what has changed since, and, for an update, the optimiser's state, and fills in where they are.
  void begin(KernelArguments& arguments);
  void begin_update(Optimizer& optimizer, KernelArguments& arguments);
  /// The kernel is done and has updated: the newest values are here.
  void end_update(Optimizer& optimizer);
  /// What end_step() of the optimiser has counted as a change is what is here.
  void mark_fresh();

  /// The gradients of the last launch, as a run of the plan leaves them; waits for it.
  void read_gradients(const Plan& plan, Gradients& gradients) const;

 private:
  /// What the callers' functions that bring values back keep alive.
  struct Store {
    explicit Store(const DeviceRef& device) : values(device), gradients(device), stream(device) {}
    DeviceMemory values, gradients;
    Stream stream;
  };
  /// Of an optimiser, for as long as it has its state here.
  struct Slots {
    explicit Slots(std::shared_ptr<const Store> s, const DeviceRef& device) : store(std::move(s)), memory(device) {}
    std::shared_ptr<const Store> store;
    DeviceMemory memory;
  };

  std::int64_t size(int parameter) const { return program_.parameters[parameter].shape.size(); }
  void send_state(const Optimizer& optimizer);
  void evict(int parameter);

  const DeviceRef device_;
  const Program& program_;
  const std::shared_ptr<Parameters> parameters_;
  const std::vector<std::int64_t> offsets_;  // [parameters + 1] floats
  std::shared_ptr<Store> store_;
  std::shared_ptr<Slots> slots_;
  std::vector<std::uint64_t> versions_;  // [parameters] that are here
  std::vector<char> is_here_;            // [parameters]
};

}  // namespace cavs::cuda
