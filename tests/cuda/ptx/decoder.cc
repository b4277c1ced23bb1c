#include "cuda/ptx/decoder.h"

#include <algorithm>
#include <cstdlib>

#include "cuda/ptx/forms.h"
#include "cuda/ptx/machine.h"

namespace cavs::cuda::ptx {
namespace {

constexpr std::size_t kGap = 64;  // bytes between variables, so that an address past a variable is in no variable

std::size_t round_up(std::size_t x, std::size_t to) { return (x + to - 1) / to * to; }

std::string prefix_of(const std::string& name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); }

void do_nothing(Step&, const Instruction&) {}

}  // namespace

std::vector<std::string> split_name(std::string_view opcode) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= opcode.size();) {
    const std::size_t dot = std::min(opcode.find('.', at), opcode.size());
    parts.emplace_back(opcode.substr(at, dot - at));
    at = dot + 1;
  }
  return parts;
}

Decoder::Decoder(const Module& module, const EntryText& entry) : module_(module), entry_(entry) {}

void Decoder::declare() {
  kernel_.name = entry_.name;
  for (const RegisterText& r : entry_.registers) (r.count > 0 ? types_ : single_types_)[r.name] = type_bytes(r.type);
  std::size_t offset = 0;
  for (const Variable& p : entry_.parameters) {
    offset = round_up(offset, p.alignment);
    parameters_[p.name] = offset;
    offset += p.bytes;
  }
  kernel_.parameter_bytes = offset;
}

void Decoder::place_variables() {
  std::vector<Variable> all = module_.shared;
  all.insert(all.end(), entry_.variables.begin(), entry_.variables.end());
  std::ranges::stable_sort(all, {}, &Variable::dynamic);  // dynamic variables come last
  for (const Variable& v : all) {
    if (v.space != "shared" && v.space != "local")
      fault(FaultKind::kSyntax, "PTX: {} in a kernel is .{}", v.name, v.space);
    std::size_t& end = v.space == "shared" ? kernel_.shared_bytes : kernel_.local_bytes;
    const std::size_t at = round_up(end + kGap, std::max<std::size_t>(v.alignment, 16));
    (v.space == "shared" ? kernel_.shared : kernel_.local).push_back({v.name, at, v.bytes});
    kernel_.dynamic_shared |= v.dynamic;
    end = at + v.bytes;
  }
}

Operand Decoder::allocate(const std::string& name, std::size_t bytes) {
  const std::size_t width = bytes == 0 ? sizeof(Mask) : bytes * kLanes;
  kernel_.file_bytes = round_up(kernel_.file_bytes, bytes == 0 ? sizeof(Mask) : 64);
  const Operand at{static_cast<std::uint32_t>(kernel_.file_bytes),
                   static_cast<std::uint32_t>(kernel_.registers.size())};
  kernel_.file_bytes += width;
  kernel_.registers.push_back(name);
  return at;
}

std::size_t Decoder::declared_bytes(const std::string& name) const {
  if (const auto one = single_types_.find(name); one != single_types_.end()) return one->second;
  if (const auto found = types_.find(prefix_of(name)); found != types_.end()) return found->second;
  wrong(*statement_, "no register " + name + " is declared");
}

Decoder::Register& Decoder::find_register(const std::string& name) {
  const auto found = registers_.find(name);
  if (found != registers_.end()) return found->second;
  const std::size_t bytes = declared_bytes(name);
  return registers_[name] = {allocate(name, bytes), bytes};
}

std::size_t Decoder::bytes_of(const std::string& operand) const {
  return operand.starts_with('%') || single_types_.count(operand) != 0 ? declared_bytes(operand) : 0;
}

Operand Decoder::constant(std::uint64_t value, std::size_t bytes) {
  const auto [found, is_new] = constants_.try_emplace({value, bytes});
  if (is_new) {
    found->second = allocate(fmt::format("{:#x}", value), bytes);
    kernel_.presets.push_back({found->second, static_cast<std::uint8_t>(bytes), Special::kValue, value});
  }
  return found->second;
}

Operand Decoder::special(const std::string& name) {
  static const std::map<std::string, Special> kSpecials{{"%tid.x", Special::kTid},
                                                        {"%ntid.x", Special::kNtid},
                                                        {"%ctaid.x", Special::kCtaid},
                                                        {"%nctaid.x", Special::kNctaid},
                                                        {"%laneid", Special::kLane},
                                                        {"%warpid", Special::kWarp},
                                                        {"%lanemask_lt", Special::kLanesBelow}};
  const auto known = kSpecials.find(name);
  if (known == kSpecials.end()) unknown(*statement_);
  const auto [found, is_new] = specials_.try_emplace(name);
  if (is_new) {
    found->second = allocate(name, 4);
    kernel_.presets.push_back({found->second, 4, known->second, 0});
  }
  return found->second;
}

bool Decoder::address_of(std::string_view name, std::uint64_t& value) const {
  for (const Global& g : module_.globals)
    if (g.name == name) {
      value = reinterpret_cast<std::uint64_t>(g.bytes.get());
      return true;
    }
  for (const auto* variables : {&kernel_.shared, &kernel_.local})
    for (const Placed& v : *variables)
      if (v.name == name) {
        value = v.offset;
        return true;
      }
  const auto parameter = parameters_.find(name);
  if (parameter == parameters_.end()) return false;
  value = parameter->second;
  return true;
}

void Decoder::writes(Instruction& i, const std::string& operand, std::size_t bytes) {
  Operand at;
  if (operand == "_") {
    at = allocate("_", bytes);
  } else {
    const Register& r = find_register(operand);
    if (r.bytes != bytes) wrong(*statement_, operand + " is not as wide as what is written");
    at = r.at;
  }
  kernel_.operands.push_back(at);
  ++i.outs;
}

void Decoder::reads(Instruction& i, const std::string& operand, std::size_t bytes) {
  const auto push = [&](Operand at) {
    kernel_.operands.push_back(at);
    ++i.ins;
  };
  if (operand.empty()) wrong(*statement_, "an operand is missing");
  if (operand.starts_with('%') && (operand.find('.') != operand.npos || operand == "%laneid" || operand == "%warpid" ||
                                   operand.starts_with("%lanemask"))) {
    if (bytes != 4) unknown(*statement_);
    return push(special(operand));
  }
  if (operand.starts_with('%') || single_types_.count(operand) != 0) {
    const Register& r = find_register(operand);
    if (r.bytes != bytes) wrong(*statement_, operand + " is not as wide as what is read");
    return push(r.at);
  }
  const char* const text = operand.c_str();
  char* end = nullptr;
  std::uint64_t value = 0;
  if (operand.starts_with("0f") || operand.starts_with("0d"))
    value = std::strtoull(text + 2, &end, 16);
  else if (operand.starts_with('-'))
    value = static_cast<std::uint64_t>(std::strtoll(text, &end, 0));
  else
    value = std::strtoull(text, &end, 0);
  if (*end == 'U') ++end;
  if (*end != '\0' || end == text) wrong(*statement_, "an operand that is not understood: " + operand);
  if (bytes == 0) return push(constant(value != 0 ? kAllLanes : 0, 0));  // a predicate
  if (bytes < 8) value &= (std::uint64_t{1} << (8 * bytes)) - 1;
  push(constant(value, bytes));
}

void Decoder::reads_address(Instruction& i, const std::string& operand, std::size_t bytes) {
  std::uint64_t address = 0;
  reads(i, address_of(operand, address) ? std::to_string(address) : operand, bytes);
}

/// Decodes a mov whose source is the address of a variable or parameter. Returns false for any other mov.
bool Decoder::move_address(const Statement& s, Instruction& i) {
  if (!s.opcode.starts_with("mov.") || s.operands.size() != 2) return false;
  const std::string& from = s.operands[1];
  const std::size_t plus = from.find('+');
  std::uint64_t address = 0;
  if (!address_of(std::string_view(from).substr(0, plus), address)) return false;
  if (plus != from.npos) address += std::strtoull(from.c_str() + plus + 1, nullptr, 0);
  const Form* const form = find_arithmetic(s.opcode);
  if (form == nullptr) unknown(s);
  i.run = form->run;
  writes(i, s.operands[0], form->bytes[0]);
  reads(i, std::to_string(address), form->bytes[1]);
  return true;
}

Instruction Decoder::instruction(const Statement& s) {
  statement_ = &s;
  Instruction i;
  i.first = static_cast<std::uint32_t>(kernel_.operands.size());
  i.run = do_nothing;
  if (!s.guard.empty()) {
    const Register& guard = find_register(s.guard);
    if (guard.bytes != 0) wrong(s, "its guard is no predicate");
    i.guard = guard.at;
    i.negated = s.negated;
  }
  if (s.opcode == "bra" || s.opcode == "bra.uni") {
    const auto label = std::ranges::find(entry_.labels, s.operands.at(0), &Label::name);
    if (label == entry_.labels.end()) wrong(s, "no such label");
    i.flow = Flow::kBranch;
    i.target = static_cast<std::uint32_t>(label->at);
  } else if (s.opcode == "ret" || s.opcode == "exit") {
    i.flow = Flow::kExit;
  } else if (move_address(s, i) || decode_access(*this, s, i) || decode_collective(*this, s, i)) {
    return i;
  } else {
    const Form* form = find_arithmetic(s.opcode);
    if (form == nullptr) form = find_comparison(s.opcode);
    if (form == nullptr) form = find_conversion(s.opcode);
    if (form == nullptr) unknown(s);
    if (form->count != s.operands.size()) unknown(s);
    i.run = form->run;
    writes(i, s.operands[0], form->bytes[0]);
    for (std::size_t k = 1; k < s.operands.size(); ++k) reads(i, s.operands[k], form->bytes[k]);
  }
  return i;
}

Kernel Decoder::decode() {
  declare();
  place_variables();
  for (const Statement& s : entry_.statements) kernel_.code.push_back(instruction(s));
  kernel_.statements = entry_.statements;
  kernel_.statements.push_back({.guard = "", .opcode = "end", .operands = {}});
  Instruction& end = kernel_.code.emplace_back();
  end.run = do_nothing;
  end.flow = Flow::kExit;
  for (std::size_t n = 0; n + 1 < kernel_.code.size(); ++n) {
    const Instruction& i = kernel_.code[n];
    if (i.flow == Flow::kBranch) kernel_.code[i.target].joins = true;
    if (i.flow != Flow::kPlain && i.flow != Flow::kYield) kernel_.code[n + 1].joins = true;
    if (i.flow == Flow::kCollective || i.flow == Flow::kWarpBarrier || i.flow == Flow::kBlockBarrier)
      kernel_.code[n].joins = true;
  }
  kernel_.file_bytes = round_up(kernel_.file_bytes, 64);
  return std::move(kernel_);
}

std::string Kernel::at(std::uint32_t pc) const {
  const Statement& s = statements[pc];
  return fmt::format("line {}: {}", s.line, s.text());
}

Module Module::load(std::string_view ptx) {
  ModuleText text = parse(ptx);
  Module module;
  for (Variable& v : text.variables) {
    if (v.space == "shared") {
      module.shared.push_back(std::move(v));
      continue;
    }
    Global& g = module.globals.emplace_back();
    g.name = v.name;
    g.constant = v.space == "const";
    g.size = v.bytes;
    g.bytes = std::make_unique<unsigned char[]>(v.bytes);
    std::ranges::copy(v.contents, g.bytes.get());
  }
  for (const EntryText& entry : text.entries) module.kernels.push_back(Decoder(module, entry).decode());
  return module;
}

const Kernel& Module::kernel(std::string_view name) const {
  const auto found = std::ranges::find(kernels, name, &Kernel::name);
  if (found == kernels.end()) fault(FaultKind::kSyntax, "PTX: no kernel {}", name);
  return *found;
}

}  // namespace cavs::cuda::ptx
