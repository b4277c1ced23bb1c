#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cavs/compile.h"
#include "cavs/session.h"
#include "cavs/session_options.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// An address in the memory of a GPU; 0: none.
using DeviceAddress = std::uint64_t;

/// Copies numbers of a framework's from the memory of a GPU to the host, after the work of a stream, and waits for
/// them.
/// @param device  the GPU's number
/// @param stream  as DevicePasses::Memory has it
/// @throws UserError where there is no such GPU, or the driver refuses
void read_device_memory(int device, DeviceAddress from, std::span<std::byte> to, void* stream);

/// A minibatch as the passes of one DevicePasses need it. Immutable; keeps no graphs alive.
class DevicePlan {
 public:
  struct Content;  // of the implementation
  explicit DevicePlan(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  const Content& content() const { return *content_; }
  /// Bytes of memory that a pass needs.
  std::int64_t bytes() const;
  /// The rows of a parameter that is a table, of which backward computes the gradient; all others are zero.
  std::span<const std::int32_t> table_rows(int parameter) const;

 private:
  std::shared_ptr<const Content> content_;
};

/// Evaluates a program without losses on a GPU for a framework that owns all memory: parameters, rows of inputs and
/// outputs, their gradients, and what a pass computes. All of it is used in place, in the order of the framework's
/// stream. No call waits for the GPU, but for the first, which compiles kernels, and the destructor. Threads may share
/// an object.
class DevicePasses {
 public:
  struct Ports {
    std::vector<std::string> inputs;   // float ports that graphs may be bound with (bind_graphs)
    std::vector<std::string> outputs;  // push ports
  };
  struct Impl;  // of the implementation

  /// @param options  device, precision, policy, seed and check_scripts count
  /// @throws UserError as Session
  DevicePasses(std::shared_ptr<const Program> program, Ports ports, const SessionOptions& options);
  ~DevicePasses();
  DevicePasses(const DevicePasses&) = delete;
  DevicePasses& operator=(const DevicePasses&) = delete;

  /// Floats before each parameter's gradient in the block that backward writes; last, of all together.
  static std::vector<std::int64_t> gradient_offsets(const Program& program);

  /// Plans samples as one minibatch: work of the host alone.
  /// @param caller_rows  by vertex of the minibatch, its row in the framework's tensors, which may be that of several
  ///                     vertices; empty: vertex by vertex
  /// @throws UserError as Session::forward
  DevicePlan plan(const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                  std::span<const std::int64_t> caller_rows = {}, std::int64_t rows = 0);

  /// Memory and stream of a pass: addresses of float32 numbers on the GPU, rows without gaps.
  struct Memory {
    void* stream = nullptr;              // CUstream; nullptr: CUDA's default stream
    DeviceAddress values = 0;            // DevicePlan::bytes(), at a multiple of 64; kept from forward to backward
    std::vector<DeviceAddress> weights;  // of each parameter
  };
  /// @param inputs   rows of Ports::inputs: of those alone that the plan's graphs were bound with
  /// @param outputs  rows of Ports::outputs, which are written
  /// @param epoch    selects dropout masks
  void forward(const DevicePlan& plan, const Memory& memory, std::span<const DeviceAddress> inputs,
               std::span<const DeviceAddress> outputs, std::uint32_t epoch = 0);
  /// @param outputs    gradients of outputs; 0: zeros
  /// @param gradients  of all parameters (gradient_offsets()), which are written
  /// @param inputs     gradients of inputs, which are written; 0: not wanted
  void backward(const DevicePlan& plan, const Memory& memory, std::span<const DeviceAddress> outputs,
                DeviceAddress gradients, std::span<const DeviceAddress> inputs);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace v0_1
}  // namespace cavs
