#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/ptx/text.h"

namespace cavs::cuda::ptx {

constexpr int kLanes = 32;
using Mask = std::uint32_t;  // a bit per lane of a warp
constexpr Mask kAllLanes = ~Mask{0};

/// A register of a warp: the offset of the values of its 32 lanes (for a predicate, of a Mask), and its number.
struct Operand {
  std::uint32_t offset = 0;
  std::uint32_t number = 0;
};

struct Step;
struct Instruction;
/// Executes an instruction for the lanes of Step::lanes.
using Handler = void (*)(Step&, const Instruction&);

/// Control flow of an instruction.
enum class Flow : std::uint8_t {
  kPlain,
  kYield,       // reads a value that other threads change, so other threads run next
  kBranch,      //
  kExit,        //
  kCollective,  // the lanes in Instruction::mask execute it together
  kWarpBarrier,
  kBlockBarrier,
};

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kParameter };
enum class Order : std::uint8_t { kWeak, kRelaxed, kAcquire, kRelease, kBoth };
enum class NumberKind : std::uint8_t { kBits, kUnsigned, kSigned, kFloat };

/// The form of a load, a store or an atomic sum. It has `count` numbers of `bytes` each.
struct AccessForm {
  Space space = Space::kGeneric;
  Order order = Order::kWeak;
  NumberKind kind = NumberKind::kBits;
  bool fixed = false;  // true for ld.global.nc, which reads memory that the launch does not write
  std::uint8_t bytes = 0, count = 0, register_bytes = 0;
  std::int64_t offset = 0;
};

struct Instruction {
  static constexpr std::uint32_t kNoGuard = ~0U;
  static constexpr std::uint8_t kNoMask = 0xFF;

  Handler run = nullptr;
  std::uint32_t first = 0;  // index in Kernel::operands of `outs` written operands, then `ins` read operands
  std::uint8_t outs = 0, ins = 0;
  Flow flow = Flow::kPlain;
  bool joins = false;           // true if lanes that have diverged may meet here
  std::uint8_t mask = kNoMask;  // number of the operand with the mask of lanes, or kNoMask
  bool negated = false;
  Operand guard{0, kNoGuard};
  std::uint32_t target = 0;  // index in Kernel::code to which a branch goes
  std::uint32_t extra = 0;   // a number that the handler needs, such as the size of an address
  AccessForm access;
};

/// Initial contents of a register: a value, or a special register such as %tid.
enum class Special : std::uint8_t { kValue, kTid, kNtid, kCtaid, kNctaid, kLane, kWarp, kLanesBelow };
struct Preset {
  Operand at;
  std::uint8_t bytes = 0;
  Special special = Special::kValue;
  std::uint64_t value = 0;
};

/// A variable of a kernel in shared or local memory.
struct Placed {
  std::string name;
  std::size_t offset = 0, bytes = 0;
};

/// A decoded kernel. Running it parses no text.
struct Kernel {
  std::string name;
  std::vector<Instruction> code;
  std::vector<Operand> operands;
  std::vector<Preset> presets;
  std::vector<Statement> statements;   // [code]: text of each instruction, for messages
  std::vector<std::string> registers;  // [registers]: names, for messages
  std::size_t file_bytes = 0;          // bytes of all registers of a warp
  std::vector<Placed> shared, local;
  std::size_t shared_bytes = 0, local_bytes = 0, parameter_bytes = 0;
  bool dynamic_shared = false;  // the launch sets the size of the last variable in `shared`

  /// Returns the text of an instruction, such as "line 12: add.s32 %r1, %r2, 3".
  std::string at(std::uint32_t pc) const;
};

/// A global variable of a module.
struct Global {
  std::string name;
  bool constant = false;
  std::unique_ptr<unsigned char[]> bytes;  // aligned to 16 bytes
  std::size_t size = 0;
};

/// PTX that is ready to run. Moving a module keeps the addresses of its globals.
struct Module {
  std::vector<Global> globals;
  std::vector<Variable> shared;  // shared variables outside of kernels, which all kernels may use
  std::vector<Kernel> kernels;

  /// Decodes PTX. @throws Fault kUnknownInstruction, with the instruction, or kSyntax
  static Module load(std::string_view ptx);
  const Kernel& kernel(std::string_view name) const;
};

}  // namespace cavs::cuda::ptx
