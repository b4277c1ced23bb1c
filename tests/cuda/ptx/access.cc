#include <cstdlib>

#include "cuda/ptx/decoder.h"
#include "cuda/ptx/machine.h"

// PTX instructions that load, store, add atomically or order memory.

namespace cavs::cuda::ptx {
namespace {

/// Calls f for all lanes in a random order, so that kernels cannot rely on an order.
template <typename F>
void each_lane(const Step& s, F f) {
  for (int k = 0; k < kLanes; ++k)
    if (const int l = k ^ s.warp.order; s.has(l)) f(l);
}

std::uint64_t number_at(const unsigned char* at, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, bytes);
  return value;
}
std::uint64_t extended(std::uint64_t value, const AccessForm& form) {
  if (form.kind != NumberKind::kSigned || form.bytes == 8) return value;
  const int unused = 64 - 8 * form.bytes;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

/// Returns the address of one lane's number in a register.
unsigned char* in_register(const Step& s, const Instruction& i, int operand, int lane) {
  return s.at<unsigned char>(i, operand) + static_cast<std::size_t>(lane) * i.access.register_bytes;
}
void put(const Step& s, const Instruction& i, int operand, int lane, std::uint64_t value) {
  std::memcpy(in_register(s, i, operand, lane), &value, i.access.register_bytes);
}

/// Returns the address in operand number `operand`, which is a register of i.extra bytes.
std::uint64_t address(const Step& s, const Instruction& i, int operand, int lane) {
  const std::uint64_t base =
      i.extra == 8 ? s.at<std::uint64_t>(i, operand)[lane] : s.at<std::uint32_t>(i, operand)[lane];
  return s.machine.place(s.warp, lane, i.access.space, base + static_cast<std::uint64_t>(i.access.offset));
}
Access access_of(const Step& s, const Instruction& i, int lane) {
  return {s.warp.first_thread + lane, s.pc, &i.access};
}

void load(Step& s, const Instruction& i) {
  const AccessForm& form = i.access;
  const std::size_t bytes = std::size_t{form.bytes} * form.count;
  std::uint64_t last = 0;
  const unsigned char* from = nullptr;
  each_lane(s, [&](int l) {
    const std::uint64_t at = address(s, i, i.outs, l);
    // Reads of constants are recorded only once per address, since they do not depend on the lane.
    if (!form.fixed || from == nullptr || at != last) from = s.machine.memory().read(access_of(s, i, l), at, bytes);
    last = at;
    for (int k = 0; k < form.count; ++k) put(s, i, k, l, extended(number_at(from + k * form.bytes, form.bytes), form));
  });
}

void load_parameter(Step& s, const Instruction& i) {
  const AccessForm& form = i.access;
  each_lane(s, [&](int l) {
    const unsigned char* const from =
        s.machine.parameter(address(s, i, i.outs, l), std::size_t{form.bytes} * form.count);
    for (int k = 0; k < form.count; ++k) put(s, i, k, l, extended(number_at(from + k * form.bytes, form.bytes), form));
  });
}

void store(Step& s, const Instruction& i) {
  const AccessForm& form = i.access;
  each_lane(s, [&](int l) {
    unsigned char* const to =
        s.machine.memory().write(access_of(s, i, l), address(s, i, 0, l), std::size_t{form.bytes} * form.count);
    for (int k = 0; k < form.count; ++k) std::memcpy(to + k * form.bytes, in_register(s, i, 1 + k, l), form.bytes);
  });
}

/// Adds atomically to an integer. Operands: [old value,] address, number.
void atomic_sum(Step& s, const Instruction& i) {
  const std::size_t bytes = i.access.bytes;
  each_lane(s, [&](int l) {
    unsigned char* const at = s.machine.memory().change(access_of(s, i, l), address(s, i, i.outs, l), bytes);
    const std::uint64_t old = number_at(at, bytes), sum = old + number_at(in_register(s, i, i.outs + 1, l), bytes);
    std::memcpy(at, &sum, bytes);
    if (i.outs > 0) put(s, i, 0, l, old);
  });
}

/// cp.async. Operands: destination in shared memory, source, number of bytes to read. Other bytes become zeros.
void copy(Step& s, const Instruction& i) {
  Memory& memory = s.machine.memory();
  each_lane(s, [&](int l) {
    unsigned char numbers[16] = {};
    const std::size_t all = std::size_t{i.access.bytes} * i.access.count, bytes = s.at<std::uint32_t>(i, 2)[l];
    if (bytes > all) fault(FaultKind::kUndefined, "{}: {} of {} bytes are copied", s.kernel.at(s.pc), bytes, all);
    if (bytes > 0) {
      const std::uint64_t from = s.machine.place(s.warp, l, Space::kGlobal, s.at<std::uint64_t>(i, 1)[l]);
      if (from % all != 0)
        fault(FaultKind::kUndefined, "{}: reads {} bytes elsewhere than at a multiple", s.kernel.at(s.pc), all);
      std::memcpy(numbers, memory.read(access_of(s, i, l), from, bytes), bytes);
    }
    std::memcpy(memory.send(access_of(s, i, l), address(s, i, 0, l), all), numbers, all);
  });
}
void copies_arrive(Step& s, const Instruction&) {
  each_lane(s, [&](int l) { s.machine.memory().receive(s.warp.first_thread + l); });
}
void commit_copies(Step& s, const Instruction&) {
  each_lane(s, [&](int l) { s.machine.memory().commit(s.warp.first_thread + l); });
}
/// Completes all groups of copies of the lanes, except the last i.extra groups.
void groups_arrive(Step& s, const Instruction& i) {
  each_lane(s, [&](int l) { s.machine.memory().receive(s.warp.first_thread + l, static_cast<int>(i.extra)); });
}

void fence(Step& s, const Instruction&) {
  each_lane(s, [&](int l) { s.machine.memory().fence(s.warp.first_thread + l); });
}

template <std::uint64_t kWindow>
void to_generic(Step& s, const Instruction& i) {
  for (int l = 0; l < kLanes; ++l)
    if (s.has(l)) s.at<std::uint64_t>(i, 0)[l] = s.at<std::uint64_t>(i, 1)[l] + kWindow;
}
template <std::uint64_t kWindow>
void from_generic(Step& s, const Instruction& i) {
  for (int l = 0; l < kLanes; ++l)
    if (s.has(l)) s.at<std::uint64_t>(i, 0)[l] = s.at<std::uint64_t>(i, 1)[l] - kWindow;
}

/// Reads the modifiers of an opcode one by one.
class Modifiers {
 public:
  explicit Modifiers(std::string_view opcode) : parts_(split_name(opcode)) {}
  bool take(std::string_view name) {
    if (at_ >= parts_.size() || parts_[at_] != name) return false;
    ++at_;
    return true;
  }
  /// Returns the remaining modifier if there is exactly one, else an empty text.
  std::string last() const { return at_ + 1 == parts_.size() ? parts_[at_] : std::string(); }

 private:
  std::vector<std::string> parts_;
  std::size_t at_ = 0;
};

/// Accepts .gpu and .sys. Scope .cta is rejected, because Memory does not distinguish it.
void take_order(const Statement& s, Modifiers& m, AccessForm& form) {
  form.order = m.take("relaxed")   ? Order::kRelaxed
               : m.take("acquire") ? Order::kAcquire
               : m.take("release") ? Order::kRelease
               : m.take("acq_rel") ? Order::kBoth
                                   : Order::kWeak;
  if (form.order != Order::kWeak && !m.take("gpu") && !m.take("sys")) Decoder::unknown(s);
  if (form.order == Order::kWeak && m.take("volatile")) form.order = Order::kRelaxed;
  if (form.order == Order::kWeak) m.take("weak");
}

void take_space(Modifiers& m, AccessForm& form) {
  form.space = m.take("global")   ? Space::kGlobal
               : m.take("const")  ? Space::kGlobal
               : m.take("shared") ? Space::kShared
               : m.take("local")  ? Space::kLocal
               : m.take("param")  ? Space::kParameter
                                  : Space::kGeneric;
}

void take_type(const Statement& s, const Modifiers& m, AccessForm& form) {
  const std::string type = m.last();
  form.bytes = static_cast<std::uint8_t>(type_bytes(type));
  if (form.bytes == 0 || form.bytes > 8 || std::string_view("busf").find(type[0]) == std::string_view::npos)
    Decoder::unknown(s);
  form.kind = type[0] == 's'   ? NumberKind::kSigned
              : type[0] == 'u' ? NumberKind::kUnsigned
              : type[0] == 'f' ? NumberKind::kFloat
                               : NumberKind::kBits;
}

/// Returns the registers in "{a,b}" or "a".
std::vector<std::string> list_of(const std::string& operand) {
  if (!operand.starts_with('{')) return {operand};
  return split_operands(std::string_view(operand).substr(1, operand.size() - 2));
}

/// Decodes "[%rd1+8]" or "[name+8]". The base becomes an operand, the rest becomes AccessForm::offset.
void take_address(Decoder& decoder, const Statement& s, const std::string& operand, Instruction& i) {
  if (!operand.starts_with('[')) Decoder::wrong(s, "an address is expected: " + operand);
  const std::string inner = operand.substr(1, operand.size() - 2);
  const std::size_t plus = inner.find('+');
  const std::string base = inner.substr(0, plus);
  if (plus != inner.npos) i.access.offset = std::strtoll(inner.c_str() + plus + 1, nullptr, 0);
  const std::size_t bytes = decoder.bytes_of(base);
  i.extra = bytes == 0 ? 8 : static_cast<std::uint32_t>(bytes);
  decoder.reads_address(i, base, i.extra);
}

void decode_load(Decoder& decoder, const Statement& s, Modifiers& m, Instruction& i) {
  AccessForm& form = i.access;
  take_order(s, m, form);
  take_space(m, form);
  form.fixed = form.space == Space::kGlobal && m.take("nc");
  form.count = m.take("v2") ? 2 : m.take("v4") ? 4 : 1;
  take_type(s, m, form);
  const std::vector<std::string> to = list_of(s.operands.at(0));
  if (to.size() != form.count) Decoder::wrong(s, "as many registers as numbers are expected");
  form.register_bytes = static_cast<std::uint8_t>(decoder.bytes_of(to.front()));
  for (const std::string& r : to) decoder.writes(i, r, form.register_bytes);
  take_address(decoder, s, s.operands.at(1), i);
  i.run = form.space == Space::kParameter ? load_parameter : load;
  if (form.order != Order::kWeak) i.flow = Flow::kYield;
}

void decode_store(Decoder& decoder, const Statement& s, Modifiers& m, Instruction& i) {
  AccessForm& form = i.access;
  take_order(s, m, form);
  take_space(m, form);
  form.count = m.take("v2") ? 2 : m.take("v4") ? 4 : 1;
  take_type(s, m, form);
  const std::vector<std::string> from = list_of(s.operands.at(1));
  if (from.size() != form.count || form.order == Order::kAcquire || form.order == Order::kBoth ||
      form.space == Space::kParameter)
    Decoder::unknown(s);
  form.register_bytes = static_cast<std::uint8_t>(decoder.bytes_of(from.front()));
  if (form.register_bytes == 0) form.register_bytes = form.bytes;
  take_address(decoder, s, s.operands.at(0), i);
  for (const std::string& r : from) decoder.reads(i, r, form.register_bytes);
  i.run = store;
}

void decode_atomic(Decoder& decoder, const Statement& s, Modifiers& m, bool returns, Instruction& i) {
  AccessForm& form = i.access;
  take_order(s, m, form);
  if (form.order == Order::kWeak) {
    if (!m.take("gpu")) m.take("sys");
    form.order = Order::kRelaxed;
  }
  take_space(m, form);
  const bool adds = m.take("add");
  take_type(s, m, form);
  // Atomic sums of floats depend on their order, so they are rejected.
  if (!adds || form.kind == NumberKind::kFloat || form.bytes < 4) Decoder::unknown(s);
  form.count = 1;
  form.register_bytes = form.bytes;
  const std::size_t first = returns ? 1 : 0;
  if (s.operands.size() != first + 2) Decoder::unknown(s);
  if (returns) decoder.writes(i, s.operands[0], form.bytes);
  take_address(decoder, s, s.operands[first], i);
  decoder.reads(i, s.operands[first + 1], form.bytes);
  i.run = atomic_sum;
  i.flow = Flow::kYield;
}

void decode_copy(Decoder& decoder, const Statement& s, Instruction& i) {
  const bool is_four = s.opcode == "cp.async.cg.shared.global";
  if (s.operands.size() != 4 || s.operands[2] != (is_four ? "16" : "4")) Decoder::unknown(s);
  i.access.space = Space::kShared;
  i.access.bytes = i.access.register_bytes = 4;
  i.access.count = is_four ? 4 : 1;
  take_address(decoder, s, s.operands[0], i);
  const std::string& from = s.operands[1];
  decoder.reads_address(i, from.substr(1, from.size() - 2), 8);
  decoder.reads(i, s.operands[3], 4);
  i.run = copy;
}

void decode_window(Decoder& decoder, const Statement& s, Handler run, Instruction& i) {
  i.run = run;
  decoder.writes(i, s.operands.at(0), 8);
  decoder.reads_address(i, s.operands.at(1), 8);
}

}  // namespace

bool decode_access(Decoder& decoder, const Statement& s, Instruction& i) {
  Modifiers m(s.opcode);
  if (m.take("ld")) {
    decode_load(decoder, s, m, i);
    return true;
  }
  if (m.take("st")) {
    decode_store(decoder, s, m, i);
    return true;
  }
  if (m.take("atom")) {
    decode_atomic(decoder, s, m, true, i);
    return true;
  }
  if (m.take("red")) {
    decode_atomic(decoder, s, m, false, i);
    return true;
  }
  for (const char* name :
       {"fence.acq_rel.gpu", "fence.acq_rel.sys", "fence.sc.gpu", "fence.sc.sys", "membar.gl", "membar.sys"})
    if (s.opcode == name) {
      i.run = fence;
      return true;
    }
  // Launches of a test run one after the other, so each sees the results of earlier launches.
  if (s.opcode == "griddepcontrol.wait" || s.opcode == "griddepcontrol.launch_dependents") return true;
  if (s.opcode == "cp.async.ca.shared.global" || s.opcode == "cp.async.cg.shared.global") {
    decode_copy(decoder, s, i);
    return true;
  }
  if (s.opcode == "cp.async.commit_group") {
    i.run = commit_copies;
    return true;
  }
  if (s.opcode == "cp.async.wait_group") {
    i.extra = static_cast<std::uint32_t>(std::stoul(s.operands.at(0)));
    i.run = groups_arrive;
    return true;
  }
  if (s.opcode == "cp.async.wait_all") {
    i.run = copies_arrive;
    return true;
  }
  if (s.opcode == "cvta.shared.u64") {
    decode_window(decoder, s, to_generic<Machine::kSharedWindow>, i);
    return true;
  }
  if (s.opcode == "cvta.local.u64") {
    decode_window(decoder, s, to_generic<Machine::kLocalWindow>, i);
    return true;
  }
  if (s.opcode == "cvta.to.shared.u64") {
    decode_window(decoder, s, from_generic<Machine::kSharedWindow>, i);
    return true;
  }
  if (s.opcode == "cvta.to.local.u64") {
    decode_window(decoder, s, from_generic<Machine::kLocalWindow>, i);
    return true;
  }
  return false;
}

}  // namespace cavs::cuda::ptx
