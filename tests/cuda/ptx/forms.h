#pragma once

#include <array>
#include <string_view>

#include "cuda/ptx/module.h"

namespace cavs::cuda::ptx {

/// The operands of an instruction that each lane executes alone, and that accesses no memory: the bytes of each operand
/// (0 for a predicate), with written operands first.
struct Form {
  Handler run = nullptr;
  std::array<std::uint8_t, 6> bytes{};
  std::uint8_t count = 0;
};

/// Returns the form of an instruction by its name with all modifiers; nullptr for a name that is not listed.
const Form* find_arithmetic(std::string_view opcode);
const Form* find_comparison(std::string_view opcode);
const Form* find_conversion(std::string_view opcode);

}  // namespace cavs::cuda::ptx
