#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cuda/device.h"
#include "cavs/optimizer.h"
#include "compile/program.h"
#include "plan/plan.h"
#include "tensor/array.h"

namespace cavs::cuda {

/// A model's parameters, their gradients and the state of an optimiser in a GPU's memory, where kernels read and
/// change them. What is newer on the host is copied there before a launch; what a launch has changed is copied back
/// when somebody asks `Parameters`, `Gradients` or `Optimizer` for it (detail::Array), also after this object is gone.
/// What is bound to memory of the caller's on the same GPU (CallerMemory) does not pass through the host.
class DeviceParameters {
 public:
  /// Memory that the host's arrays may refer to when this object is gone.
  struct Block {
    Block(const DeviceRef& device, std::shared_ptr<const Stream> s) : memory(device), stream(std::move(s)) {}
    float* begin() const { return memory.as<float>(); }
    DeviceMemory memory;
    std::shared_ptr<const Stream> stream;
  };

  /// @param offsets  floats before each parameter; last, of all together
  DeviceParameters(const DeviceRef& device, const Program& program, std::shared_ptr<Parameters> parameters,
                   std::vector<std::int64_t> offsets);
  ~DeviceParameters();  // brings the parameters back, so that their memory can go
  DeviceParameters(const DeviceParameters&) = delete;
  DeviceParameters& operator=(const DeviceParameters&) = delete;

  /// Kernels run on it, and all copies, so that each sees what the one before it has done.
  const Stream& stream() const { return *stream_; }

  /// Copies what is newer on the host. @return where the first parameter lies
  float* values();
  /// How often a parameter was copied or updated.
  std::uint64_t changes() const { return values_.changes; }
  /// Copies what is newer on the host of the optimiser's state. @return where a slot's first parameter lies
  std::vector<float*> slots(const Optimizer& optimizer);
  /// Copies what is newer on the host of averages of the parameters. @return where the first one's lie
  float* averages(const Parameters& averages);

  /// Memory for gradients, which a launch of a program for training writes: of no gradients that somebody may read.
  float* gradients();
  /// Where gradients lie that were left here; nullptr where they were not, or somebody has read or changed them.
  float* find(const Gradients& gradients) const;
  /// The last such memory. It is not given again while somebody keeps it.
  const std::shared_ptr<Block>& latest_gradients() const { return gradients_; }

  /// A launch has updated the parameters: the newest values, and the optimiser's state, are here.
  void leave_update(Optimizer& optimizer);
  /// A launch has averaged the parameters.
  void leave_averages(Parameters& averages);
  /// Launches have computed these gradients. @param rows  of each table, which have one: distinct
  void leave_gradients(std::shared_ptr<Block> block, std::vector<std::vector<std::int32_t>> rows,
                       Gradients& gradients) const;
  /// Copies gradients of the host's, and leaves them here.
  void bring_gradients(Gradients& gradients);
  /// Those of a minibatch.
  void leave_gradients(const Plan& plan, Gradients& gradients) const;

 private:
  class Copy;
  /// Arrays side by side, one for each parameter, and the versions that are here.
  struct Arrays {
    std::shared_ptr<Block> block;
    std::vector<std::shared_ptr<const Copy>> copies;
    std::vector<std::uint64_t> versions;
    std::uint64_t changes = 0;
  };

  std::shared_ptr<Block> make_block() const;
  Arrays make_arrays() const;
  void bring(Arrays& arrays, int parameter, const detail::Array& from) const;
  /// Brings `array_of(parameter)` of each; in memory of its own where somebody may read others from what there is.
  template <typename ArrayOf>
  float* bring_all(Arrays& arrays, ArrayOf array_of) const;
  /// @return whether it is being copied to the caller's memory
  bool leave(Arrays& arrays, int parameter, detail::Array& to) const;

  const DeviceRef device_;
  const Program& program_;
  const std::shared_ptr<Parameters> parameters_;
  const std::vector<std::int64_t> offsets_;
  const std::shared_ptr<const Stream> stream_;
  Arrays values_;
  std::vector<Arrays> slots_;
  Arrays averages_;
  std::shared_ptr<Block> gradients_;                     // the latest
  std::vector<std::shared_ptr<Block>> gradient_blocks_;  // all; one that nobody else keeps is the next
};

}  // namespace cavs::cuda
