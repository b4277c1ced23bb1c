#include "cuda/ptx/machine.h"

#include <algorithm>
#include <bit>

#include "cuda/ptx/fault.h"

namespace cavs::cuda::ptx {
Machine::Machine(const Module& module, const Kernel& kernel, const LaunchOptions& options,
                 std::span<const LaunchBuffer> buffers, const void* parameters, std::size_t parameter_bytes)
    : kernel_(kernel),
      options_(options),
      memory_([&kernel](std::uint32_t pc) { return kernel.at(pc); }, options.blocks, options.threads),
      random_(options.seed) {
  if (options.threads % kLanes != 0 || options.threads <= 0 || options.blocks <= 0)
    fault(FaultKind::kUndefined, "a launch of {} blocks of {} threads; expected whole warps", options.blocks,
          options.threads);
  if (parameter_bytes != kernel.parameter_bytes)
    fault(FaultKind::kUndefined, "{} bytes of parameters, the kernel takes {}", parameter_bytes,
          kernel.parameter_bytes);
  const auto* const bytes = static_cast<const unsigned char*>(parameters);
  parameters_.assign(bytes, bytes + parameter_bytes);
  add_warps();
  add_memory(module, buffers);
}

void Machine::add_memory(const Module& module, std::span<const LaunchBuffer> buffers) {
  for (const Global& g : module.globals)
    memory_.add(g.name, g.bytes.get(), reinterpret_cast<std::uint64_t>(g.bytes.get()), g.size, true, g.constant);
  for (const LaunchBuffer& b : buffers)
    memory_.add(b.name, static_cast<unsigned char*>(b.data), reinterpret_cast<std::uint64_t>(b.data), b.bytes,
                b.written);
  const auto add_placed = [&](const std::vector<Placed>& all, std::vector<std::uint64_t>& data, std::uint64_t window,
                              std::size_t number, bool dynamic) {
    const std::size_t more = dynamic ? options_.dynamic_shared_bytes : 0;
    const std::size_t end = all.empty() ? 0 : all.back().offset + all.back().bytes + more;
    data.assign(end / 8 + 1, 0);
    for (const Placed& v : all)
      memory_.add(v.name, reinterpret_cast<unsigned char*>(data.data()) + v.offset,
                  window + (number + 1) * kWindowBytes + v.offset, v.bytes + (&v == &all.back() ? more : 0), false);
  };
  for (const auto& block : blocks_)
    add_placed(kernel_.shared, block->shared, kSharedWindow, static_cast<std::size_t>(block->number),
               kernel_.dynamic_shared);
  if (kernel_.local.empty()) return;
  local_.resize(static_cast<std::size_t>(options_.blocks) * static_cast<std::size_t>(options_.threads));
  for (std::size_t t = 0; t < local_.size(); ++t) add_placed(kernel_.local, local_[t], kLocalWindow, t, false);
}

void Machine::add_warps() {
  for (int b = 0; b < options_.blocks; ++b) {
    blocks_.push_back(std::make_unique<Block>());
    blocks_.back()->number = b;
    for (int w = 0; w < options_.threads / kLanes; ++w) {
      auto warp = std::make_unique<Warp>();
      warp->block = blocks_.back().get();
      warp->number = w;
      warp->first_thread = b * options_.threads + w * kLanes;
      warp->order = static_cast<int>(random_() % kLanes);
      warp->file.assign(kernel_.file_bytes / 8, 0);
      warp->written.assign(kernel_.registers.size(), 0);
      warp->groups.push_back({0, kAllLanes});
      preset(*warp);
      warps_.push_back(std::move(warp));
    }
  }
}

void Machine::preset(Warp& warp) const {
  for (const Preset& p : kernel_.presets) {
    auto* const at = reinterpret_cast<unsigned char*>(warp.file.data()) + p.at.offset;
    warp.written[p.at.number] = kAllLanes;
    if (p.bytes == 0) {  // a predicate
      const auto mask = static_cast<Mask>(p.value);
      std::memcpy(at, &mask, sizeof mask);
      continue;
    }
    for (int l = 0; l < kLanes; ++l) {
      const int thread = warp.number * kLanes + l;
      std::uint64_t value = p.value;
      switch (p.special) {
        case Special::kValue:
          break;
        case Special::kTid:
          value = static_cast<std::uint64_t>(thread);
          break;
        case Special::kNtid:
          value = static_cast<std::uint64_t>(options_.threads);
          break;
        case Special::kCtaid:
          value = static_cast<std::uint64_t>(warp.block->number);
          break;
        case Special::kNctaid:
          value = static_cast<std::uint64_t>(options_.blocks);
          break;
        case Special::kLane:
          value = static_cast<std::uint64_t>(l);
          break;
        case Special::kWarp:
          value = static_cast<std::uint64_t>(warp.number);
          break;
        case Special::kLanesBelow:
          value = (std::uint64_t{1} << l) - 1;
          break;
      }
      std::memcpy(at + static_cast<std::size_t>(l) * p.bytes, &value, p.bytes);
    }
  }
}

std::uint64_t Machine::place(const Warp& warp, int lane, Space space, std::uint64_t address) const {
  const auto in_window = [&](std::uint64_t window, int number) {
    return window + (static_cast<std::uint64_t>(number) + 1) * kWindowBytes + address % kWindowBytes;
  };
  const std::uint64_t generic = space == Space::kGeneric ? address : 0;
  if (space == Space::kShared || generic / kWindowBytes == kSharedWindow / kWindowBytes)
    return in_window(kSharedWindow, warp.block->number);
  if (space == Space::kLocal || generic / kWindowBytes == kLocalWindow / kWindowBytes)
    return in_window(kLocalWindow, warp.first_thread + lane);
  return address;
}

const unsigned char* Machine::parameter(std::uint64_t address, std::size_t bytes) const {
  if (address > parameters_.size() || bytes > parameters_.size() - address)
    fault(FaultKind::kOutOfBounds, "{} bytes at {} of {} bytes of parameters", bytes, address, parameters_.size());
  return parameters_.data() + address;
}

LaunchCounts Machine::run() {
  std::vector<Warp*> ready;
  std::uint64_t changes = 0, since = 0;
  for (;;) {
    ready.clear();
    bool done = true;
    for (const auto& warp : warps_) {
      done &= warp->is_done();
      if (!warp->is_done() && !warp->at_barrier) ready.push_back(warp.get());
    }
    if (done) return counts_;
    if (ready.empty()) stuck(FaultKind::kDeadlock, "some warps wait at a barrier that others have passed or left");
    run_warp(*ready[random_() % ready.size()]);
    if (memory_.changes() != changes) {
      changes = memory_.changes();
      since = counts_.warp_instructions;
    }
    if (counts_.warp_instructions - since > options_.patience) stuck(FaultKind::kDeadlock, "all wait for ever");
  }
}

/// Merges groups of lanes that are at the same instruction.
void Machine::merge(Warp& warp) {
  std::vector<Group>& groups = warp.groups;
  for (std::size_t a = 0; a < groups.size(); ++a)
    for (std::size_t b = a + 1; b < groups.size();) {
      if (groups[a].pc != groups[b].pc) {
        ++b;
        continue;
      }
      groups[a].lanes |= groups[b].lanes;
      groups[a].waits = false;
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(b));
    }
}

void Machine::run_warp(Warp& warp) {
  merge(warp);
  std::vector<std::size_t> can_run;
  for (std::size_t g = 0; g < warp.groups.size(); ++g)
    if (!warp.groups[g].waits) can_run.push_back(g);
  if (can_run.empty()) stuck(FaultKind::kDivergence, "lanes wait for others at a collective, which do not come");
  // Usually chooses the group that is furthest behind, so that groups meet again, but sometimes another group.
  std::size_t chosen = can_run[0];
  for (const std::size_t g : can_run)
    if (warp.groups[g].pc < warp.groups[chosen].pc) chosen = g;
  if (can_run.size() > 1 && random_() % 8 == 0) chosen = can_run[random_() % can_run.size()];
  run_group(warp, chosen, 1 + static_cast<int>(random_() % 128));
}

inline void Machine::check_read(const Warp& warp, const Instruction& i, std::uint32_t pc, Mask lanes) const {
  const Operand* const operands = kernel_.operands.data() + i.first;
  for (int k = i.outs; k < i.outs + i.ins; ++k) {
    const Mask unwritten = lanes & ~warp.written[operands[k].number];
    if (unwritten != 0)
      fault(FaultKind::kUnwrittenRegister, "{}: block {} thread {} reads {}, which it has not written", kernel_.at(pc),
            warp.block->number, warp.number * kLanes + std::countr_zero(unwritten),
            kernel_.registers[operands[k].number]);
  }
}

void Machine::run_group(Warp& warp, std::size_t number, int joins) {
  Step s{*this, warp, kernel_, reinterpret_cast<unsigned char*>(warp.file.data())};
  Group* group = &warp.groups[number];
  std::uint32_t pc = group->pc;
  const Mask all = group->lanes;
  const bool alone = warp.groups.size() == 1;
  const auto leave = [&] { group->pc = pc; };
  for (bool first = true;; first = false) {
    const Instruction& i = kernel_.code[pc];
    if (i.joins && !first) {
      if (--joins <= 0) return leave();
      if (!alone)
        for (const Group& other : warp.groups)
          if (other.pc <= pc && &other != group) return leave();
    }
    Mask lanes = all;
    if (i.guard.number != Instruction::kNoGuard) {
      if ((all & ~warp.written[i.guard.number]) != 0)
        fault(FaultKind::kUnwrittenRegister, "{}: its guard has not been written", kernel_.at(pc));
      const Mask holds = s.predicate(i.guard);
      lanes &= i.negated ? ~holds : holds;
    }
    ++counts_.warp_instructions;
    if (lanes == 0) {
      ++pc;
      continue;
    }
    if (i.flow == Flow::kPlain || i.flow == Flow::kYield) {
      check_read(warp, i, pc, lanes);
      s.lanes = lanes;
      s.pc = pc;
      i.run(s, i);
      const Operand* const operands = kernel_.operands.data() + i.first;
      for (int k = 0; k < i.outs; ++k) warp.written[operands[k].number] |= lanes;
      ++pc;
      if (i.flow == Flow::kYield) return leave();
      continue;
    }
    if (i.flow == Flow::kBranch && (lanes == all)) {
      pc = i.target;
      continue;
    }
    leave();
    if (i.flow == Flow::kBranch) {  // some lanes branch, others do not
      *group = {i.target, lanes};
      warp.groups.push_back({pc + 1, all & ~lanes});
      return;
    }
    if (i.flow == Flow::kExit) {
      group->lanes &= ~lanes;
      ++group->pc;
      if (group->lanes == 0) warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(number));
      return;
    }
    if (lanes != all) {  // some lanes skip the instruction, because their guard is false
      group->lanes = lanes;
      warp.groups.push_back({pc + 1, all & ~lanes});
      group = &warp.groups[number];
    }
    check_read(warp, i, pc, lanes);
    if (i.flow == Flow::kBlockBarrier) return block_barrier(warp, *group, i);
    s.lanes = lanes;
    s.pc = pc;
    if (!collect(warp, number, i)) return;
    if (i.flow == Flow::kCollective) {
      i.run(s, i);
      const Operand* const operands = kernel_.operands.data() + i.first;
      for (int k = 0; k < i.outs; ++k) warp.written[operands[k].number] |= lanes;
      group->pc = ++pc;
    }
    if (i.flow == Flow::kWarpBarrier || warp.groups.size() > 1) return;
  }
}

bool Machine::collect(Warp& warp, std::size_t number, const Instruction& i) {
  Group& group = warp.groups[number];
  Mask mask = kAllLanes;
  if (i.mask != Instruction::kNoMask) {
    const auto* const masks = reinterpret_cast<const Mask*>(reinterpret_cast<const unsigned char*>(warp.file.data()) +
                                                            kernel_.operands[i.first + i.mask].offset);
    mask = masks[std::countr_zero(group.lanes)];
    for (int l = 0; l < kLanes; ++l)
      if ((group.lanes >> l & 1) != 0 && masks[l] != mask)
        fault(FaultKind::kUndefined, "{}: lanes give different masks", kernel_.at(group.pc));
  }
  if ((group.lanes & ~mask) != 0)
    fault(FaultKind::kUndefined, "{}: lane {} is not in its own mask {:#x}", kernel_.at(group.pc),
          std::countr_zero(group.lanes & ~mask), mask);
  if (i.flow == Flow::kWarpBarrier) return warp_barrier(warp, number, mask);
  if (group.lanes == mask) return true;
  group.waits = true;
  return false;
}

/// Lanes may wait at different barriers of the code, but must use the same mask.
bool Machine::warp_barrier(Warp& warp, std::size_t number, Mask mask) {
  warp.groups[number].waits = true;
  Mask here = 0;
  for (const Group& g : warp.groups)
    if (g.waits && kernel_.code[g.pc].flow == Flow::kWarpBarrier) here |= g.lanes;
  if ((mask & ~here) != 0) return false;
  std::vector<int> threads;
  for (int l = 0; l < kLanes; ++l)
    if ((mask >> l & 1) != 0) threads.push_back(warp.first_thread + l);
  memory_.meet(threads);
  for (Group& g : warp.groups) {
    if (!g.waits || kernel_.code[g.pc].flow != Flow::kWarpBarrier || (g.lanes & mask) == 0) continue;
    if ((g.lanes & ~mask) != 0) fault(FaultKind::kUndefined, "{}: lanes give different masks", kernel_.at(g.pc));
    g.waits = false;
    ++g.pc;
  }
  return true;
}

void Machine::block_barrier(Warp& warp, Group& group, const Instruction& i) {
  if (group.lanes != kAllLanes) {
    group.waits = true;
    return;
  }
  const auto operand = [&](int k) {
    return *reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const unsigned char*>(warp.file.data()) +
                                                   kernel_.operands[i.first + static_cast<unsigned>(k)].offset);
  };
  Block& block = *warp.block;
  const std::uint32_t which = operand(0);
  if (i.ins > 1 && operand(1) != static_cast<std::uint32_t>(options_.threads))
    fault(FaultKind::kUnknownInstruction, "{}: a barrier of some warps", kernel_.at(group.pc));
  if (block.arrived > 0 && block.barrier != which)
    fault(FaultKind::kDeadlock, "{}: others of block {} wait at barrier {}", kernel_.at(group.pc), block.number,
          block.barrier);
  block.barrier = which;
  warp.at_barrier = true;
  if (++block.arrived < options_.threads / kLanes) return;
  block.arrived = 0;
  ++counts_.block_barriers;
  std::vector<int> threads;
  for (const auto& other : warps_) {
    if (other->block != &block) continue;
    other->at_barrier = false;
    ++other->groups.front().pc;
    for (int l = 0; l < kLanes; ++l) threads.push_back(other->first_thread + l);
  }
  memory_.meet(threads);
}

std::string Machine::where(const Warp& warp) const {
  std::string text = fmt::format("block {} warp {}:", warp.block->number, warp.number);
  for (const Group& g : warp.groups) text += fmt::format(" lanes {:#010x} at {};", g.lanes, kernel_.at(g.pc));
  return text;
}

void Machine::stuck(FaultKind kind, const char* what) const {
  std::string text = what;
  int shown = 0;
  for (const auto& warp : warps_)
    if (!warp->is_done() && ++shown <= 8) text += "\n  " + where(*warp);
  throw Fault(kind, text);
}

LaunchCounts launch(const Module& module, std::string_view kernel, const LaunchOptions& options,
                    std::span<const LaunchBuffer> buffers, const void* parameters, std::size_t parameter_bytes) {
  return Machine(module, module.kernel(kernel), options, buffers, parameters, parameter_bytes).run();
}

}  // namespace cavs::cuda::ptx
