#pragma once

#include <array>
#include <string_view>

#include "cuda/ptx/module.h"

namespace cavs::cuda::ptx {

/// How an instruction that lanes do by themselves, without memory, is decoded: bytes of each operand (0: predicate),
/// what is written first.
struct Form {
  Handler run = nullptr;
  std::array<std::uint8_t, 6> bytes{};
  std::uint8_t count = 0;
};

/// nullptr: there is none of this name. Names have all their modifiers: what is not listed is not known.
const Form* find_arithmetic(std::string_view opcode);
const Form* find_comparison(std::string_view opcode);
const Form* find_conversion(std::string_view opcode);

}  // namespace cavs::cuda::ptx
