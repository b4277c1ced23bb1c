#pragma once

#include <cstdint>
#include <vector>

#include "backend/cuda/device.h"
#include "backend/cuda/entries/kernel_arguments.h"
#include "execute/cuda/pull_rows.h"
#include "execute/engine.h"

namespace cavs::cuda {

/// A minibatch in a GPU's memory, in the form that kernels read: the words of a packed script, and the rows of float
/// ports. As soon as the minibatch is planned, it is copied on a separate stream, while the GPU computes.
class DeviceBatch {
 public:
  /// @param uploads  stream for the copies. All arguments must outlive this object.
  DeviceBatch(const DeviceRef& device, const Program& program, const Stream& uploads);
  ~DeviceBatch();
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  /// Begins a minibatch. @return the plan, with lists that refer to the copied rows; valid until the next begin()
  const Plan& begin(const PreparedBatch& batch);
  /// Returns the words, which the caller packs between begin() and send().
  std::vector<std::int32_t>& words() { return words_; }
  /// Begins to copy the words and the rows of ports to the GPU.
  void send(const PreparedBatch& batch);

  /// Makes the stream wait until the minibatch is complete on the GPU, including the rows that the caller supplies for
  /// this run. Writes `loss_gradient` and `entries`, the number of entries to run, to the header of the words.
  void bring(const Stream& stream, const PreparedBatch& batch, float loss_gradient, std::int32_t entries);
  /// Sets the arguments that point to the minibatch.
  void set(KernelArguments& arguments) const;

 private:
  void send_run_pulls(const Stream& stream, const PreparedBatch& batch);

  const Program& program_;
  const Stream& uploads_;
  std::vector<std::int32_t> words_;
  PullRows pulls_;
  PinnedMemory staged_;         // words; pointers to the rows of ports and of kept states; the rows of ports
  DeviceMemory sent_;           // the copy of staged_ on the GPU
  std::int64_t ports_at_ = 0;   // byte offset of the pointers in staged_
  PinnedMemory staged_header_;  // the header of the words, if this run changes it
  DeviceMemory run_pulls_;      // rows of ports that the caller supplies for this run
  Event sent_event_;            // recorded after the copy to sent_
};

}  // namespace cavs::cuda
