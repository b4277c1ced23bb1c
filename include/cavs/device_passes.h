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

/// An address in a GPU's memory; 0 means none.
using DeviceAddress = std::uint64_t;

/// Copies bytes from a framework's GPU memory to the host, after all work queued on `stream`, and waits for the copy.
/// @param device  Number of the GPU.
/// @param stream  As in DevicePasses::Memory.
/// @throws UserError if there is no such GPU, or the driver reports an error.
void read_device_memory(int device, DeviceAddress from, std::span<std::byte> to, void* stream);

/// A minibatch planned by DevicePasses::plan, for the same DevicePasses. Immutable. Does not refer to the graphs.
class DevicePlan {
 public:
  struct Content;  // defined in the implementation
  explicit DevicePlan(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  const Content& content() const { return *content_; }
  /// Number of bytes that DevicePasses::Memory::values must have.
  std::int64_t bytes() const;
  /// The rows of a table whose gradients backward computes; gradients of all other rows are zero.
  std::span<const std::int32_t> table_rows(int parameter) const;

 private:
  std::shared_ptr<const Content> content_;
};

/// Evaluates a program without losses on a GPU for a framework that owns all memory: parameters, rows of inputs and
/// outputs, their gradients, and the values of a pass. Memory is used in place, and work is queued on the framework's
/// stream. Only the first call, which compiles kernels, and the destructor wait for the GPU. Thread-safe.
class DevicePasses {
 public:
  struct Ports {
    std::vector<std::string> inputs;   // float ports that graphs may be bound with as run_ports (bind_graphs)
    std::vector<std::string> outputs;  // push ports
  };
  struct Impl;  // defined in the implementation

  /// @param options  Of these, only device, precision, policy, seed and check_scripts are used.
  /// @throws UserError as Session does.
  DevicePasses(std::shared_ptr<const Program> program, Ports ports, const SessionOptions& options);
  ~DevicePasses();
  DevicePasses(const DevicePasses&) = delete;
  DevicePasses& operator=(const DevicePasses&) = delete;

  /// Offset, in floats, of each parameter's gradient in the block that backward writes; the last element is the block's
  /// size.
  static std::vector<std::int64_t> gradient_offsets(const Program& program);

  /// Plans samples as one minibatch, on the host only.
  /// @param caller_rows  [vertices of the minibatch]: the row of each vertex in the framework's tensors; several
  /// vertices may share a row. If empty, row v belongs to vertex v.
  /// @param rows  Number of rows of the framework's tensors; not used if `caller_rows` is empty.
  /// @throws UserError as Session::forward does.
  DevicePlan plan(const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                  std::span<const std::int64_t> caller_rows = {}, std::int64_t rows = 0);

  /// Memory and stream of a pass. Every address is that of contiguous float32 rows on the GPU.
  struct Memory {
    void* stream = nullptr;    // CUstream; nullptr means CUDA's default stream
    DeviceAddress values = 0;  // DevicePlan::bytes() bytes, 64-byte aligned, unchanged from forward to backward
    std::vector<DeviceAddress> weights;  // [parameters]: address of the parameter's values
  };
  /// @param inputs   Addresses of the rows of those Ports::inputs that the plan's graphs were bound with.
  /// @param outputs  Addresses of the rows of Ports::outputs, to be written.
  /// @param epoch    Number that selects the dropout masks.
  void forward(const DevicePlan& plan, const Memory& memory, std::span<const DeviceAddress> inputs,
               std::span<const DeviceAddress> outputs, std::uint32_t epoch = 0);
  /// @param outputs    Gradients of outputs; 0 means zeros.
  /// @param gradients  Gradients of all parameters (gradient_offsets()), to be written.
  /// @param inputs     Gradients of inputs, to be written; 0 if not needed.
  void backward(const DevicePlan& plan, const Memory& memory, std::span<const DeviceAddress> outputs,
                DeviceAddress gradients, std::span<const DeviceAddress> inputs);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace v0_1
}  // namespace cavs
