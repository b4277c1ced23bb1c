#include "backend/cuda/entries/pack_script.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "script/operands.h"
#include "support/check.h"
#include "support/overloaded.h"

namespace cavs::cuda {
namespace {

/// The operation of each Work (script.h).
constexpr Operation kOperationOf[] = {kNothing, kLoss, kSquares, kScale, kUpdate};

PackedBuffer packed(Buffer buffer, bool is_factor) {
  switch (buffer) {
    case Buffer::kParameter:
      return kParameterBuffer;
    case Buffer::kGradient:
      return kGradientBuffer;
    case Buffer::kPull:
    case Buffer::kKeptState:
      return kPullBuffer;
    case Buffer::kLossGradient:
      return kLossGradientBuffer;
    default:
      return is_factor ? kFactorBuffer : kArenaBuffer;
  }
}

static_assert(static_cast<int>(Share::kOne) == kShareOne && static_cast<int>(Share::kColumns) == kShareColumns &&
              static_cast<int>(Share::kRows) == kShareRows && static_cast<int>(Share::kOutput) == kShareOutput &&
              static_cast<int>(Share::kCollective) == kShareTogether);

}  // namespace

ScriptPacker::ScriptPacker(const Program& program, const WeightPlacement& placement, const KernelOptions& options)
    : program_(program), placement_(placement), tables_(kernel_tables(program, placement, options)) {}

void ScriptPacker::pack(const Plan& plan, const Script& script, const RunNumbers& numbers, Words& words) {
  begin(plan, script, words);
  words[kLossGradientWord] = std::bit_cast<std::int32_t>(numbers.loss_gradient);
  words[kSeedWord] = static_cast<std::int32_t>(numbers.seed);
  words[kSeedHighWord] = static_cast<std::int32_t>(numbers.seed >> 32);
  words[kEpochWord] = static_cast<std::int32_t>(numbers.epoch);
  pack_losses();
  pack_touched();
  pack_unwritten();
  for (std::size_t e = 0; e < script.entries.size(); ++e) pack_entry(e);
  user_check(words.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
             "the script of a minibatch has {} words, but at most 2^31 - 1 are possible; use a smaller batch size",
             words.size());
  words[kSizeWord] = position();
}

void ScriptPacker::pack_copies(std::span<const CallerCopy> copies, std::span<const std::int32_t> by_row,
                               std::span<const std::int32_t> by_vertex, Words& words) {
  words_ = &words;
  const std::int32_t rows = position();
  words.insert(words.end(), by_row.begin(), by_row.end());
  const std::int32_t vertices = position();
  words.insert(words.end(), by_vertex.begin(), by_vertex.end());
  words[kCopiesWord] = position();
  for (const CallerCopy& copy : copies) {
    if (copy.type < 0) {
      const ScriptOperand port{.buffer = Buffer::kPull, .id = copy.port, .stride = copy.width, .width = copy.width};
      pack_operand(port, extend(kOperandWords));
      push(std::ssize(by_vertex));
      push(vertices);
    } else {
      Step step;
      step.type = copy.type;
      pack_operand(operand_of(program_, *plan_, step, {.operand = *copy.operand}), extend(kOperandWords));
      push(plan_->types[copy.type].vertices);
      push(rows + plan_->type_begin[copy.type]);
    }
    push(static_cast<std::int64_t>(copy.caller));
    push(copy.kind);
  }
  words[kSizeWord] = position();
}

/// Packs the header and the plan's lists, and leaves space for the entries.
void ScriptPacker::begin(const Plan& plan, const Script& script, Words& words) {
  const std::int32_t processors = placement_.target.processors;  // a script for launches may have one more: a branch
  CAVS_ASSERT((script.processors == processors || processors == 1) && script.unit == 1);
  plan_ = &plan;
  script_ = &script;
  words_ = &words;
  words.assign(kHeaderWords, 0);
  words[kMagicWord] = kMagic;
  words[kEntriesWord] = position();
  words[kEntryCountWord] = static_cast<std::int32_t>(script.entries.size());
  words[kBackwardWord] = script.backward;
  words[kUpdateWord] = script.update;
  words.resize(words.size() + script.entries.size() * kEntryWords);
  rows_ = position();
  words.insert(words.end(), plan.rows.begin(), plan.rows.end());
  owners_.assign(script.parts.size(), 0);
}

void ScriptPacker::push_long(std::int64_t number) {
  push(static_cast<std::int32_t>(number));
  push(static_cast<std::int32_t>(number >> 32));
}

std::int32_t* ScriptPacker::extend(std::size_t more) {
  words_->resize(words_->size() + more);
  return words_->data() + words_->size() - more;
}

void ScriptPacker::pack_losses() {
  (*words_)[kLossesWord] = position();
  for (std::size_t t = 0; t < program_.types.size(); ++t) {
    if (plan_->types[t].vertices == 0) continue;
    for (const Loss& loss : program_.types[t].losses) {
      Step step;
      step.type = static_cast<std::int32_t>(t);
      pack_operand(operand_of(program_, *plan_, step, {.operand = loss.operand}), extend(kOperandWords));
      push(plan_->types[t].row_count(loss.operand.domain));
      push(loss.labels < 0 ? 0 : list(plan_->types[t].indices[loss.labels].begin));
      ++(*words_)[kLossCountWord];
    }
  }
}

void ScriptPacker::pack_touched() {
  (*words_)[kTouchedWord] = position();
  for (std::size_t p = 0; p < program_.parameters.size(); ++p) {
    const Slice touched = p < plan_->touched.size() ? plan_->touched[p] : Slice{};
    push(list(touched.begin));
    push(touched.count);
  }
}

/// Packs the parameters whose gradients no entry writes. Tables are not among them: the kernel clears these.
void ScriptPacker::pack_unwritten() {
  std::vector<char> is_written(program_.parameters.size());
  for (std::size_t p = 0; p < is_written.size(); ++p) is_written[p] = program_.parameters[p].table ? 1 : 0;
  for (const ScriptEntry& entry : script_->entries)
    for (const ScriptMember& member : part_of(script_->members, entry.members))
      for (const ScriptOperand& o : part_of(script_->operands, member.operands))
        if (o.writes && o.buffer == Buffer::kGradient) is_written[o.id] = 1;
  (*words_)[kUnwrittenWord] = position();
  for (std::size_t p = 0; p < is_written.size(); ++p)
    if (is_written[p] == 0) {
      push(static_cast<std::int64_t>(p));
      ++(*words_)[kUnwrittenCountWord];
    }
}

void ScriptPacker::pack_entry(std::size_t number) {
  const ScriptEntry& entry = script_->entries[number];
  std::int32_t packed_words[kEntryWords] = {};
  packed_words[kShareWord] = static_cast<PackedShare>(entry.share);
  packed_words[kFlagsWord] = (entry.adds ? kAdds : 0) | (entry.signals ? kSignals : 0);
  packed_words[kRowBeginWord] = entry.rows.begin;
  packed_words[kRowEndWord] = entry.rows.end;
  packed_words[kOwnerWord] = entry.share == Share::kOne ? entry.processor : pack_owners(entry);
  pack_waits(entry, packed_words);
  packed_words[kOperationWord] = kOperationOf[static_cast<std::size_t>(entry.work)];
  packed_words[kNumberWord] = entry.parameter;
  if (entry.work == Work::kInstruction) {
    const Step& step = plan_->steps[entry.step];
    const Instruction& instruction = program_.types[step.type].at(step.backward, step.stage)[entry.instruction];
    const Code& code = tables_.at(step.type, step.backward, step.stage, entry.instruction);
    const bool is_view = code.operation != kGroup && script_->members[entry.members.begin].operands.count == 0;
    packed_words[kOperationWord] = is_view ? kNothing : code.operation;
    packed_words[kNumberWord] = code.number;
    if (instruction.is<LinearCrossEntropy>()) {  // tiles are numbered from the first of all rows, also for a chunk
      const RowRange rows = plan_->range(step, instruction.domain);
      packed_words[kRowBeginWord] = rows.begin;
      packed_words[kRowEndWord] = rows.end;
    }
    pack_operands(entry, packed_words);
    packed_words[kAttributesWord] = pack_attributes(entry, instruction, code);
    if (is_owned(entry, instruction, step.stage)) packed_words[kFlagsWord] |= kOwned;
    if (instruction.is<WeightGradient, LinearCrossEntropy>() ||
        (instruction.is<Matmul>() && step.stage != Stage::kTask))
      packed_words[kFlagsWord] |= kBlocks;
  }
  std::ranges::copy(packed_words,
                    words_->begin() + (*words_)[kEntriesWord] + static_cast<std::ptrdiff_t>(number) * kEntryWords);
}

void ScriptPacker::pack_waits(const ScriptEntry& entry, std::int32_t* words) {
  words[kWaitsWord] = position();
  words[kWaitCountWord] = entry.waits.count;
  for (const Wait& wait : part_of(script_->waits, entry.waits)) {
    push(wait.processor);
    push(wait.entry);
  }
}

/// Packs the part of each processor. @return position. Parts by columns, which many entries share, are packed once.
std::int32_t ScriptPacker::pack_owners(const ScriptEntry& entry) {
  if (entry.parts.count == 0) return 0;
  std::int32_t& known = owners_[entry.parts.begin];
  if (known != 0) return known;
  known = position();
  extend(2 * static_cast<std::size_t>(script_->processors));
  for (const Part& part : part_of(script_->parts, entry.parts)) {
    std::int32_t* const own = words_->data() + known + 2 * part.processor;
    CAVS_ASSERT(own[0] == own[1]);  // an entry has at most one Part per processor
    own[0] = part.begin;
    own[1] = part.end;
  }
  return known;
}

void ScriptPacker::pack_operands(const ScriptEntry& entry, std::int32_t* words) {
  words[kOperandsWord] = position();
  for (const ScriptMember& member : part_of(script_->members, entry.members)) {
    words[kOperandCountWord] += member.operands.count;
    std::int32_t* to = extend(static_cast<std::size_t>(member.operands.count) * kOperandWords);
    for (const ScriptOperand& o : part_of(script_->operands, member.operands)) {
      pack_operand(o, to);
      to += kOperandWords;
    }
  }
  CAVS_ASSERT(words[kOperandCountWord] <= tables_.most_operands);
}

void ScriptPacker::pack_operand(const ScriptOperand& o, std::int32_t* words) const {
  const bool is_of_parameter = o.buffer == Buffer::kParameter || o.buffer == Buffer::kGradient;
  const std::int64_t offset = o.offset + (is_of_parameter ? tables_.parameters[o.id].offset : 0);
  const auto ports = static_cast<std::int32_t>(program_.float_ports.size());
  words[kBufferWord] = packed(o.buffer, o.is_factor);
  words[kPortWord] = o.buffer == Buffer::kKeptState ? ports + o.id : o.id;
  words[kOffsetWord] = static_cast<std::int32_t>(offset);
  words[kOffsetHighWord] = static_cast<std::int32_t>(offset >> 32);
  words[kStrideWord] = o.stride;
  words[kWidthWord] = o.width;
  words[kListWord] = o.list < 0 ? 0 : list(o.list);
  words[kSegmentsWord] = o.segments < 0 ? 0 : list(o.segments);
}

std::int32_t ScriptPacker::pack_attributes(const ScriptEntry& entry, const Instruction& i, const Code& code) {
  const std::int32_t at = position();
  const Step& step = plan_->steps[entry.step];
  const Plan::Type& type = plan_->types[step.type];
  std::visit(Overloaded{
                 [&](const Matmul&) { push(code.end); },
                 [&](const RowOp& row) { pack_row_attributes(step, i, row); },
                 [&](const WeightGradient& gradient) { push(gradient.matrix_rows); },
                 [&](const LookupGradient& lookup) {
                   const LookupList& lists = type.lookups[lookup.lookups];
                   push(list(lists.table_rows.begin));
                   push(list(lists.offsets.begin));
                   push(list(lists.rows.begin));
                   push(lists.table_rows.count);
                 },
                 [&](const LinearCrossEntropy& entropy) { pack_entropy(step, i, entropy); },
                 [&](const RowGroup& group) {
                   const bool has_edges =
                       i.domain == kVertexRows &&
                       std::ranges::any_of(group.members, [](const auto& m) { return m.domain == kEdgeRows; });
                   push(code.end);
                   push(has_edges ? list(type.segments.begin) : 0);
                 },
                 [](const auto&) {},
             },
             i.kind);
  return at;
}

void ScriptPacker::pack_row_attributes(const Step& step, const Instruction& i, const RowOp& row) {
  const TypeProgram& type = program_.types[step.type];
  const bool edges = i.domain == kEdgeRows, random = edges ? type.random_edges : type.random;
  const Plan::Type& lists = plan_->types[step.type];
  push(std::bit_cast<std::int32_t>(row.number));
  push(row.matrix_rows);
  push(row.labels < 0 ? 0 : list(lists.indices[row.labels].begin));
  push(row.mask_id + (step.type << 16));
  push(random ? list((edges ? lists.edge_samples : lists.samples).begin) : 0);
  push(random && !row.by_sample ? list((edges ? lists.slots_in_sample : lists.vertices_in_sample).begin) : 0);
  const Window& w = row.window;
  for (const std::int32_t number :
       {w.kernel_height, w.kernel_width, w.height, w.width, w.channels, w.stride, w.padding})
    push(number);
}

void ScriptPacker::pack_entropy(const Step& step, const Instruction& i, const LinearCrossEntropy& entropy) {
  const auto operand = [&](std::int32_t out) { return out < 0 ? out : static_cast<std::int32_t>(i.in.size()) + out; };
  push(list(plan_->types[step.type].indices[entropy.labels].begin));
  push(i.in.size() > 1 ? 1 : 0);
  push(operand(0));
  push(operand(entropy.dx));
  push(operand(entropy.dw));
  push(operand(entropy.db));
  push(program_.types[step.type].tensors[entropy.tile.id].max_rows);
  push_long(tables_.parameters[entropy.parameter].offset);
  pack_operand(operand_of(program_, *plan_, step, {.operand = entropy.tile}), extend(kOperandWords));
}

/// True if each processor computes the columns whose weights it owns.
bool ScriptPacker::is_owned(const ScriptEntry& entry, const Instruction& i, Stage stage) const {
  const auto* const product = i.as<Matmul>();
  if (product == nullptr || stage != Stage::kTask || entry.share != Share::kColumns) return false;
  const PlacedWeight* const placed = placement_.find(product->factors.front().weight);
  if (placed == nullptr || placed->owner.empty()) return false;
  std::int32_t unit = 0;
  for (const Part& part : part_of(script_->parts, entry.parts))
    for (; unit < part.end; ++unit)
      if (unit < part.begin || placed->owner[unit] != part.processor) return false;
  return unit == placed->units();
}

}  // namespace cavs::cuda
