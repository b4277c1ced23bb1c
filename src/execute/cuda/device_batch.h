#pragma once

#include <cstdint>
#include <vector>

#include "backend/cuda/device.h"
#include "backend/cuda/entries/kernel_arguments.h"
#include "execute/cuda/pull_rows.h"
#include "execute/engine.h"

namespace cavs::cuda {

/// A minibatch as kernels read it, in a GPU's memory: the words of a packed script, and the rows of float ports. It is
/// copied there as soon as it is planned, by a stream of its own, while the GPU does something else.
class DeviceBatch {
 public:
  /// @param uploads  the stream of the copies. All outlive this.
  DeviceBatch(const DeviceRef& device, const Program& program, const Stream& uploads);
  ~DeviceBatch();
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  /// Begins a minibatch. @return its plan, which reads the rows that are copied; valid until the next one begins
  const Plan& begin(const PreparedBatch& batch);
  /// To be packed after begin(), before send().
  std::vector<std::int32_t>& words() { return words_; }
  void send(const PreparedBatch& batch);

  /// Makes what follows on the stream wait until all of it is there, with these numbers in the header, and the rows
  /// that the caller gives this run.
  void bring(const Stream& stream, const PreparedBatch& batch, float loss_gradient, std::int32_t entries);
  /// Where kernels find it.
  void set(KernelArguments& arguments) const;

 private:
  void send_run_pulls(const Stream& stream, const PreparedBatch& batch);

  const Program& program_;
  const Stream& uploads_;
  std::vector<std::int32_t> words_;
  PullRows pulls_;
  PinnedMemory staged_;        // words, then pointers to the rows of ports and of kept states, then the former
  DeviceMemory sent_;          // the same
  std::int64_t ports_at_ = 0;  // bytes before the pointers
  PinnedMemory staged_header_;
  DeviceMemory run_pulls_;
  Event sent_event_;
};

}  // namespace cavs::cuda
