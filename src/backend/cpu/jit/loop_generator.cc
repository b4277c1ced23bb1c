#include "backend/cpu/jit/loop_generator.h"

#include <algorithm>

#include "support/check.h"

namespace cavs::cpu {
namespace {

using Xbyak::util::r10;
using Xbyak::util::r8;
using Xbyak::util::r9;
using Xbyak::util::rax;
using Xbyak::util::rbp;
using Xbyak::util::rcx;
using Xbyak::util::rdi;
using Xbyak::util::rdx;
using Xbyak::util::rsp;

constexpr int kMaxSlots = 64;                             // vectors on the stack for values without a register
constexpr std::size_t kCodeBytes = std::size_t{1} << 16;  // memory for the code

}  // namespace

LoopGenerator::LoopGenerator(const VectorProgram& program, const std::vector<bool>& broadcast, int lanes, int copies)
    : Xbyak::CodeGenerator(kCodeBytes, Xbyak::DontSetProtectRWE),
      broadcast_(broadcast),
      lanes_(lanes),
      vector_bytes_(lanes * static_cast<int>(sizeof(float))),
      output_count_(static_cast<int>(program.outputs.size())),
      registers_(lanes == 16 ? 32 : 16),
      operand_address_(ptr[rax]) {
  emit_loop(program, copies);
  emit_constants();
  setProtectModeRE();
}

void LoopGenerator::begin(const VectorProgram& program) {
  program_ = &program;
  uses_.assign(program_->code.size(), {});
  outputs_.assign(program_->code.size(), {});
  constants_.assign(program_->code.size(), kNone);
  int constants = 0;
  for (int id = 0; id < static_cast<int>(program_->code.size()); ++id) {
    const VectorInstruction& i = program_->code[id];
    if (i.op == VectorOp::kConstant) constants_[id] = constants++;
    for (const int source : {i.a, i.b, i.c})
      if (source >= 0 && (uses_[source].empty() || uses_[source].back() != id)) uses_[source].push_back(id);
  }
  for (int o = 0; o < static_cast<int>(program_->outputs.size()); ++o) outputs_[program_->outputs[o]].push_back(o);
}

/// Emits the function. Its registers are: rdi = address of LoopArguments, r8 = LoopArguments::in, r9 =
/// LoopArguments::out, rcx = bytes of the row that are done, rdx = bytes of the row, r10 = address of the constants,
/// rbp = the caller's stack pointer.
void LoopGenerator::emit_loop(const VectorProgram& program, int copies) {
  Xbyak::Label wide, main, rest, done;
  push(rbp);
  mov(rbp, rsp);
  sub(rsp, kMaxSlots * vector_bytes_);
  and_(rsp, -vector_bytes_);
  mov(r8, ptr[rdi + offsetof(LoopArguments, in)]);
  mov(r9, ptr[rdi + offsetof(LoopArguments, out)]);
  mov(rdx, ptr[rdi + offsetof(LoopArguments, bytes)]);
  lea(r10, ptr[rip + pool_]);
  xor_(ecx, ecx);
  if (copies > 1) {
    const VectorProgram several = side_by_side(program, broadcast_, copies);
    begin(several);
    L(wide);
    lea(rax, ptr[rcx + copies * vector_bytes_]);
    cmp(rax, rdx);
    ja(main, T_NEAR);
    emit_body(false);
    add(rcx, copies * vector_bytes_);
    jmp(wide, T_NEAR);
  }
  begin(program);
  L(main);
  lea(rax, ptr[rcx + vector_bytes_]);
  cmp(rax, rdx);
  ja(rest, T_NEAR);
  emit_body(false);
  add(rcx, vector_bytes_);
  jmp(main, T_NEAR);
  L(rest);
  cmp(rcx, rdx);
  je(done, T_NEAR);
  emit_tail_mask();
  emit_body(true);
  L(done);
  vzeroupper();
  mov(rsp, rbp);
  pop(rbp);
  ret();
}

/// Emits code that sets a mask of the lanes that remain at the end of a row. With AVX-512 the mask is in k2. With AVX2
/// it is in ymm15, loaded from the border of the ones and zeros in front of the constants.
void LoopGenerator::emit_tail_mask() {
  mov(rax, rdx);
  sub(rax, rcx);
  if (lanes_ == 16) {
    shr(rax, 2);
    mov(rcx, rax);  // shl needs the count in cl; the bytes done are restored to rcx below
    mov(r10d, 1);
    shl(r10, cl);
    dec(r10);
    kmovw(k2, r10d);
    lea(r10, ptr[rip + pool_]);
    shl(rcx, 2);
    neg(rcx);
    add(rcx, rdx);
  } else {
    neg(rax);
    vmovups(vector(15), ptr[r10 + rax]);
  }
}

void LoopGenerator::emit_body(bool tail) {
  tail_ = tail;
  registers_ = lanes_ == 16 ? 32 : tail ? 15 : 16;
  places_.assign(program_->code.size(), {});
  held_.assign(static_cast<std::size_t>(registers_), kNone);
  pinned_.assign(static_cast<std::size_t>(registers_), 0);
  slots_ = 0;
  for (now_ = 0; now_ < static_cast<int>(program_->code.size()); ++now_) {
    const bool loaded_on_demand = is_constant(now_) || is_input(now_);
    if (loaded_on_demand && outputs_[now_].empty()) continue;
    if (loaded_on_demand)
      in_register(now_);
    else if (!uses_[now_].empty() || !outputs_[now_].empty())
      emit_instruction(now_);
    for (const int output : outputs_[now_]) emit_store(output, places_[now_].reg);
    release_dead(now_);
  }
}

void LoopGenerator::emit_instruction(int id) {
  const VectorInstruction& instruction = program_->code[id];
  for (const int source : {instruction.a, instruction.b, instruction.c})
    if (source >= 0 && places_[source].reg != kNone) pinned_[places_[source].reg] = 1;
  switch (instruction.op) {
    case VectorOp::kMultiplyAdd:
      return emit_multiply_add(id);
    case VectorOp::kLess:
    case VectorOp::kGreater:
    case VectorOp::kEqual:
    case VectorOp::kNotEqual:
      return emit_compare(id);
    case VectorOp::kSelect:
      return emit_select(id);
    case VectorOp::kShiftLeft:
    case VectorOp::kShiftRight:
    case VectorOp::kSqrt:
    case VectorOp::kToFloats:
      return emit_shift(id);
    default:
      return emit_binary(id);
  }
}

void LoopGenerator::emit_binary(int id) {
  VectorInstruction i = program_->code[id];
  const bool commutes = i.op == VectorOp::kAdd || i.op == VectorOp::kMul || i.op == VectorOp::kAnd ||
                        i.op == VectorOp::kOr || i.op == VectorOp::kXor || i.op == VectorOp::kAddInts;
  if (commutes && is_constant(i.a)) std::swap(i.a, i.b);
  const Xbyak::Xmm a = vector(in_register(i.a));
  const Xbyak::Operand& b = operand(i.b);
  const Xbyak::Xmm y = vector(result(id, i.a));
  switch (i.op) {
    case VectorOp::kAdd:
      return vaddps(y, a, b);
    case VectorOp::kSub:
      return vsubps(y, a, b);
    case VectorOp::kMul:
      return vmulps(y, a, b);
    case VectorOp::kDiv:
      return vdivps(y, a, b);
    case VectorOp::kSmallest:
      return vminps(y, a, b);
    case VectorOp::kLargest:
      return vmaxps(y, a, b);
    case VectorOp::kAnd:
      return vandps(y, a, b);
    case VectorOp::kOr:
      return vorps(y, a, b);
    case VectorOp::kXor:
      return vxorps(y, a, b);
    case VectorOp::kAddInts:
      return vpaddd(y, a, b);
    case VectorOp::kSubInts:
      return vpsubd(y, a, b);
    default:
      CAVS_ASSERT(false);
  }
}

/// Emits an instruction that has one source: a shift, square root or conversion.
void LoopGenerator::emit_shift(int id) {
  const VectorInstruction& i = program_->code[id];
  const Xbyak::Xmm a = vector(in_register(i.a)), y = vector(result(id, i.a));
  const auto by = static_cast<std::uint8_t>(i.immediate);
  if (i.op == VectorOp::kShiftLeft) vpslld(y, a, by);
  if (i.op == VectorOp::kShiftRight) vpsrad(y, a, by);
  if (i.op == VectorOp::kSqrt) vsqrtps(y, a);
  if (i.op == VectorOp::kToFloats) vcvtdq2ps(y, a);
}

/// Emits a multiply-add, which overwrites one of its sources: one that is not read later, or else a copy of one.
void LoopGenerator::emit_multiply_add(int id) {
  VectorInstruction i = program_->code[id];
  const auto overwritable = [&](int value) { return places_[value].reg != kNone && dies(value); };
  if (!overwritable(i.a) && (overwritable(i.b) || is_constant(i.b))) std::swap(i.a, i.b);
  if (!overwritable(i.a) && overwritable(i.c) && !is_constant(i.a)) {
    const Xbyak::Xmm c = vector(in_register(i.c)), a = vector(in_register(i.a));
    const Xbyak::Operand& b = operand(i.b);
    result(id, i.c);
    return vfmadd231ps(c, a, b);
  }
  const Xbyak::Xmm b = vector(in_register(i.b));
  if (overwritable(i.a)) {
    const Xbyak::Xmm a = vector(in_register(i.a));
    const Xbyak::Operand& c = operand(i.c);
    result(id, i.a);
    return vfmadd213ps(a, b, c);
  }
  const Xbyak::Operand& c = operand(i.c);
  const int y = take_register();
  if (places_[i.a].reg != kNone)
    vmovaps(vector(y), vector(places_[i.a].reg));
  else
    load(i.a, y);
  assign(id, y);
  vfmadd213ps(vector(y), b, c);
}

void LoopGenerator::emit_compare(int id) {
  const VectorInstruction& i = program_->code[id];
  const std::uint8_t predicate = i.op == VectorOp::kLess      ? 17  // ordered, quiet
                                 : i.op == VectorOp::kGreater ? 30  // ordered, quiet
                                 : i.op == VectorOp::kEqual   ? 0   // ordered, quiet
                                                              : 4;    // unordered, quiet
  const Xbyak::Xmm a = vector(in_register(i.a));
  const Xbyak::Operand& b = operand(i.b);
  const Xbyak::Xmm y = vector(result(id, i.a));
  if (lanes_ == 16) {
    vcmpps(k1, a, b, predicate);
    vpmovm2d(y, k1);
  } else {
    vcmpps(y, a, b, predicate);
  }
}

void LoopGenerator::emit_select(int id) {
  const VectorInstruction& i = program_->code[id];
  const Xbyak::Xmm mask = vector(in_register(i.a)), b = vector(in_register(i.b)), c = vector(in_register(i.c));
  if (lanes_ == 16) {
    vpmovd2m(k1, mask);
    const Xbyak::Xmm y = vector(result(id));
    vblendmps(y | k1, c, b);
  } else {
    vblendvps(vector(result(id, i.a)), c, b, mask);
  }
}

void LoopGenerator::emit_store(int output, int reg) {
  mov(rax, ptr[r9 + output % output_count_ * static_cast<int>(sizeof(float*))]);
  const Xbyak::Address to = ptr[rax + rcx + output / output_count_ * vector_bytes_];
  if (!tail_)
    vmovups(to, vector(reg));
  else if (lanes_ == 16)
    vmovups(to | k2, vector(reg));
  else
    vmaskmovps(to, vector(15), vector(reg));
}

/// Emits one vector per constant, after a vector of set bits and a vector of zeros for emit_tail_mask().
void LoopGenerator::emit_constants() {
  align(64);
  for (int lane = 0; lane < lanes_; ++lane) dd(0xFFFFFFFFU);
  L(pool_);
  for (int lane = 0; lane < lanes_; ++lane) dd(0);
  for (const VectorInstruction& i : program_->code)
    if (i.op == VectorOp::kConstant)
      for (int lane = 0; lane < lanes_; ++lane) dd(i.immediate);
}

int LoopGenerator::next_use(int value) const {
  const auto& uses = uses_[value];
  const auto it = std::upper_bound(uses.begin(), uses.end(), now_);
  return it == uses.end() ? kNever : *it;
}

int LoopGenerator::in_register(int value) {
  if (places_[value].reg == kNone) {
    const int reg = take_register();
    load(value, reg);
    assign(value, reg);
  }
  pinned_[places_[value].reg] = 1;
  return places_[value].reg;
}

const Xbyak::Operand& LoopGenerator::operand(int value) {
  if (places_[value].reg == kNone && is_constant(value)) return operand_address_ = constant_address(value);
  return operand_register_ = vector(in_register(value));
}

int LoopGenerator::result(int id, int dying) {
  const bool reuse = dying != kNone && dies(dying);
  const int reg = reuse ? places_[dying].reg : take_register();
  if (reuse) places_[dying].reg = kNone;
  assign(id, reg);
  return reg;
}

void LoopGenerator::assign(int value, int reg) {
  held_[reg] = value;
  places_[value].reg = reg;
  pinned_[reg] = 1;
}

int LoopGenerator::take_register() {
  int best = kNone, farthest = -1;
  for (int reg = 0; reg < registers_; ++reg) {
    if (held_[reg] == kNone) return reg;
    if (pinned_[reg] != 0) continue;
    if (const int next = next_use(held_[reg]); next > farthest) {
      best = reg;
      farthest = next;
    }
  }
  CAVS_ASSERT(best != kNone);
  const int value = held_[best];
  Place& place = places_[value];
  const bool can_be_read_again = is_constant(value) || is_input(value) || place.slot != kNone;
  if (!can_be_read_again && farthest != kNever) {
    if (slots_ == kMaxSlots) throw Xbyak::Error(Xbyak::ERR_CODE_IS_TOO_BIG);
    place.slot = slots_++;
    vmovaps(slot_address(place.slot), vector(best));
  }
  place.reg = kNone;
  held_[best] = kNone;
  return best;
}

void LoopGenerator::load(int value, int reg) {
  const Xbyak::Xmm y = vector(reg);
  if (is_constant(value)) return vmovaps(y, constant_address(value));
  if (!is_input(value)) return vmovaps(y, slot_address(places_[value].slot));
  const auto input = static_cast<int>(program_->code[value].immediate);
  mov(rax, ptr[r8 + input * static_cast<int>(sizeof(float*))]);
  if (broadcast_[input]) return vbroadcastss(y, ptr[rax]);
  const Xbyak::Address from = ptr[rax + rcx + program_->code[value].copy * vector_bytes_];
  if (!tail_)
    vmovups(y, from);
  else if (lanes_ == 16)
    vmovups(y | k2 | T_z, from);
  else
    vmaskmovps(y, vector(15), from);
}

/// Called after instruction `id` is emitted. Unpins all registers, and frees registers whose values are not read later.
void LoopGenerator::release_dead(int id) {
  for (int reg = 0; reg < registers_; ++reg) {
    pinned_[reg] = 0;
    const int value = held_[reg];
    if (value == kNone || places_[value].reg != reg) {
      held_[reg] = kNone;
    } else if (dies(value)) {
      places_[value].reg = kNone;
      held_[reg] = kNone;
    }
  }
  now_ = id;
}

Xbyak::Xmm LoopGenerator::vector(int reg) const {
  if (lanes_ == 16) return Xbyak::Zmm(reg);
  return Xbyak::Ymm(reg);
}

Xbyak::Address LoopGenerator::constant_address(int value) const {
  return ptr[r10 + (constants_[value] + 1) * vector_bytes_];
}

Xbyak::Address LoopGenerator::slot_address(int slot) const { return ptr[rsp + slot * vector_bytes_]; }

}  // namespace cavs::cpu
