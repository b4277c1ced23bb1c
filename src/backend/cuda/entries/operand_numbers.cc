#include "backend/cuda/entries/operand_numbers.h"

namespace cavs::cuda {

std::span<const Instruction> members_of(const Instruction& instruction) {
  const auto* const group = instruction.as<RowGroup>();
  return group == nullptr ? std::span(&instruction, 1) : std::span(group->members);
}

std::vector<OperandNumbers> operand_numbers(const TypeProgram& type, const Instruction& instruction,
                                            std::int32_t& all) {
  all = 0;
  std::vector<OperandNumbers> numbers;
  const auto number_of = [&](const cavs::Operand& o) {
    return o.kind == StorageKind::kTensor && type.tensors[o.id].tile >= 0 ? -1 : all++;
  };
  for (const Instruction& member : members_of(instruction)) {
    OperandNumbers& of = numbers.emplace_back();
    for (const cavs::Operand& o : member.in) of.in.push_back(number_of(o));
    if (member.is<GatherGradient>()) of.gathered = all++;
    for (const cavs::Operand& o : member.out) of.out.push_back(number_of(o));
  }
  return numbers;
}

}  // namespace cavs::cuda
