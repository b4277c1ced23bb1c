#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "cuda/launch_buffer.h"
#include "cuda/ptx/fault.h"
#include "cuda/ptx/memory.h"
#include "cuda/ptx/step.h"

namespace cavs::cuda::ptx {

struct LaunchOptions {
  int blocks = 1, threads = 32;
  std::uint64_t seed = 1;  // chooses the order of warps, and of groups of lanes that have diverged
  std::size_t dynamic_shared_bytes = 0;
  std::uint64_t patience = 4'000'000;  // instructions without a write or barrier after which a launch counts as stuck
};

struct LaunchCounts {
  std::uint64_t warp_instructions = 0, block_barriers = 0;
};

/// Lanes of a warp that are at the same instruction.
struct Group {
  std::uint32_t pc = 0;
  Mask lanes = 0;
  bool waits = false;  // true if the group waits for lanes at an instruction for several lanes
};

struct Block {
  int number = 0;
  std::vector<std::uint64_t> shared;          // shared memory, with 8 bytes per element
  std::uint64_t barrier = ~std::uint64_t{0};  // number of the barrier at which warps wait; ~0 if none waits
  int arrived = 0;
};

struct Warp {
  Block* block = nullptr;
  int number = 0;        // number of the warp within the block
  int first_thread = 0;  // number of lane 0 within the launch
  int order = 0;         // lanes access memory in the order i ^ order
  std::vector<std::uint64_t> file;
  std::vector<Mask> written;  // [registers]: lanes that have written the register
  std::vector<Group> groups;
  bool at_barrier = false;
  bool is_done() const { return groups.empty(); }
};

/// Runs a kernel with all blocks at the same time, as in a cooperative launch. Warps run in a random order. The lanes
/// of a warp run together until they diverge; divergent groups run in a random order until they meet again.
class Machine {
 public:
  Machine(const Module& module, const Kernel& kernel, const LaunchOptions& options,
          std::span<const LaunchBuffer> buffers, const void* parameters, std::size_t parameter_bytes);

  /// Runs the kernel to its end. @throws Fault for the first fault that is found
  LaunchCounts run();

  Memory& memory() { return memory_; }
  /// Returns bytes of the kernel's parameters. @param address  offset of the first byte
  const unsigned char* parameter(std::uint64_t address, std::size_t bytes) const;
  /// Returns the address in Memory of an address in a space, such as shared memory, of a lane.
  std::uint64_t place(const Warp& warp, int lane, Space space, std::uint64_t address) const;

  static constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 60, kLocalWindow = std::uint64_t{1} << 61;
  static constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 24;

 private:
  void add_memory(const Module& module, std::span<const LaunchBuffer> buffers);
  void add_warps();
  void preset(Warp& warp) const;
  void run_warp(Warp& warp);
  /// Runs a group until it ends, waits, or meets another group.
  void run_group(Warp& warp, std::size_t number, int joins);
  /// Lets a group wait at an instruction for several lanes. @return true if all of these lanes have arrived
  bool collect(Warp& warp, std::size_t number, const Instruction& i);
  bool warp_barrier(Warp& warp, std::size_t number, Mask mask);
  void block_barrier(Warp& warp, Group& group, const Instruction& i);
  void check_read(const Warp& warp, const Instruction& i, std::uint32_t pc, Mask lanes) const;
  static void merge(Warp& warp);
  [[noreturn]] void stuck(FaultKind kind, const char* what) const;
  std::string where(const Warp& warp) const;

  const Kernel& kernel_;
  const LaunchOptions options_;
  Memory memory_;
  std::vector<unsigned char> parameters_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<std::vector<std::uint64_t>> local_;  // [threads]: local memory
  std::mt19937_64 random_;
  LaunchCounts counts_;
};

/// Runs a kernel of a module. @param parameters  the bytes of the kernel's parameters
LaunchCounts launch(const Module& module, std::string_view kernel, const LaunchOptions& options,
                    std::span<const LaunchBuffer> buffers, const void* parameters, std::size_t parameter_bytes);

}  // namespace cavs::cuda::ptx
