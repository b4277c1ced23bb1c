#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/ptx/text.h"

namespace cavs::cuda::ptx {

constexpr int kLanes = 32;
using Mask = std::uint32_t;  // a bit for each lane
constexpr Mask kAllLanes = ~Mask{0};

/// A register of a warp: where the numbers of its 32 lanes lie (of a predicate: one Mask), and its number.
struct Operand {
  std::uint32_t offset = 0;
  std::uint32_t number = 0;
};

struct Step;
struct Instruction;
/// Does an instruction for the lanes of Step::lanes.
using Handler = void (*)(Step&, const Instruction&);

/// What an instruction does besides computing.
enum class Flow : std::uint8_t {
  kPlain,
  kYield,     // looks at what others change: they run next
  kBranch,    //
  kExit,      //
  kTogether,  // the lanes of a mask, operand `mask`, do it together
  kWarpBarrier,
  kBlockBarrier,
};

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kParameter };
enum class Order : std::uint8_t { kWeak, kRelaxed, kAcquire, kRelease, kBoth };
enum class NumberKind : std::uint8_t { kBits, kUnsigned, kSigned, kFloat };

/// The form of a load, a store or an atomic sum: each number has `bytes`, and its register `register_bytes`.
struct AccessForm {
  Space space = Space::kGeneric;
  Order order = Order::kWeak;
  NumberKind kind = NumberKind::kBits;
  bool fixed = false;  // ld.global.nc
  std::uint8_t bytes = 0, count = 0, register_bytes = 0;
  std::int64_t offset = 0;
};

struct Instruction {
  static constexpr std::uint32_t kNoGuard = ~0U;
  static constexpr std::uint8_t kNoMask = 0xFF;

  Handler run = nullptr;
  std::uint32_t first = 0;  // of its operands in Kernel::operands: what it writes, then what it reads
  std::uint8_t outs = 0, ins = 0;
  Flow flow = Flow::kPlain;
  bool joins = false;           // lanes that went different ways may meet here
  std::uint8_t mask = kNoMask;  // operand that has the mask of lanes
  bool negated = false;
  Operand guard{0, kNoGuard};
  std::uint32_t target = 0;  // of a branch
  std::uint32_t extra = 0;   // bytes of an address
  AccessForm access;
};

/// What a register holds from the beginning.
enum class Special : std::uint8_t { kValue, kTid, kNtid, kCtaid, kNctaid, kLane, kWarp, kLanesBelow };
struct Preset {
  Operand at;
  std::uint8_t bytes = 0;
  Special special = Special::kValue;
  std::uint64_t value = 0;
};

/// Memory of a block or a thread that the kernel declares.
struct Placed {
  std::string name;
  std::size_t offset = 0, bytes = 0;
};

/// A kernel decoded: no text is looked at when it runs.
struct Kernel {
  std::string name;
  std::vector<Instruction> code;
  std::vector<Operand> operands;
  std::vector<Preset> presets;
  std::vector<Statement> statements;   // [code] for messages
  std::vector<std::string> registers;  // names, by number, for messages
  std::size_t file_bytes = 0;          // of the registers of a warp
  std::vector<Placed> shared, local;
  std::size_t shared_bytes = 0, local_bytes = 0, parameter_bytes = 0;
  bool dynamic_shared = false;  // the last of `shared` grows to what the launch says

  /// "line 12: add.s32 %r1, %r2, 3"
  std::string at(std::uint32_t pc) const;
};

/// Memory of a module.
struct Global {
  std::string name;
  bool constant = false;
  std::unique_ptr<unsigned char[]> bytes;  // aligned to 16
  std::size_t size = 0;
};

/// PTX, ready to be run. Movable: globals keep their addresses.
struct Module {
  std::vector<Global> globals;
  std::vector<Variable> shared;  // of all kernels
  std::vector<Kernel> kernels;

  /// @throws Fault (kUnknownInstruction) naming the instruction that it does not have; kSyntax
  static Module load(std::string_view ptx);
  const Kernel& kernel(std::string_view name) const;
};

}  // namespace cavs::cuda::ptx
