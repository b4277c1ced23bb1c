#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cuda/ptx/forms.h"
#include "cuda/ptx/module.h"

namespace cavs::cuda::ptx {

class Machine;
struct Warp;

/// The execution of one instruction: the warp, and the lanes that execute the instruction.
struct Step {
  Machine& machine;
  Warp& warp;
  const Kernel& kernel;
  unsigned char* file;  // registers of the warp
  Mask lanes = 0;
  std::uint32_t pc = 0;

  const Operand& operand(const Instruction& i, int number) const { return kernel.operands[i.first + number]; }
  template <typename T>
  T* at(const Operand& o) const {
    return reinterpret_cast<T*>(file + o.offset);
  }
  template <typename T>
  T* at(const Instruction& i, int number) const {
    return at<T>(operand(i, number));
  }
  Mask predicate(const Operand& o) const { return *at<Mask>(o); }
  void set_predicate(const Operand& o, Mask value) const {
    Mask& of = *at<Mask>(o);
    of = (of & ~lanes) | (value & lanes);
  }
  bool has(int lane) const { return (lanes >> lane & 1) != 0; }
};

/// Reads the numbers of an operand, one per lane.
template <typename T>
struct Reader {
  const T* numbers;
  Reader(const Step& s, const Operand& o) : numbers(s.at<T>(o)) {}
  T operator[](int lane) const { return numbers[lane]; }
};
template <>
struct Reader<bool> {
  Mask mask;
  Reader(const Step& s, const Operand& o) : mask(s.predicate(o)) {}
  bool operator[](int lane) const { return (mask >> lane & 1) != 0; }
};

/// Makes a handler from a function of one lane's numbers, which it calls for each lane. A `bool` is a predicate.
template <auto F, typename Signature>
struct Lanes;

template <auto F, typename C, typename D, typename... A>
struct Lanes<F, D (C::*)(A...) const> {
  static void run(Step& s, const Instruction& i) { run(s, i, std::index_sequence_for<A...>()); }

  template <std::size_t... K>
  static void run(Step& s, const Instruction& i, std::index_sequence<K...>) {
    const std::tuple<Reader<A>...> in{Reader<A>(s, s.operand(i, 1 + static_cast<int>(K)))...};
    if constexpr (std::is_same_v<D, bool>) {
      Mask made = 0;
      for (int l = 0; l < kLanes; ++l)
        if (s.has(l)) made |= static_cast<Mask>(F(std::get<K>(in)[l]...)) << l;
      s.set_predicate(s.operand(i, 0), made);
    } else {
      D* const out = s.at<D>(i, 0);
      if (s.lanes == kAllLanes) {
        for (int l = 0; l < kLanes; ++l) out[l] = F(std::get<K>(in)[l]...);
      } else {
        for (int l = 0; l < kLanes; ++l)
          if (s.has(l)) out[l] = F(std::get<K>(in)[l]...);
      }
    }
  }

  static constexpr Form form() {
    return {&run, {width<D>(), width<A>()...}, static_cast<std::uint8_t>(1 + sizeof...(A))};
  }
  template <typename T>
  static constexpr std::uint8_t width() {
    return std::is_same_v<T, bool> ? 0 : sizeof(T);
  }
};

template <auto F>
constexpr Form form() {
  return Lanes<F, decltype(&decltype(F)::operator())>::form();
}

using FormTable = std::map<std::string, Form, std::less<>>;

inline const Form* find_in(const FormTable& table, std::string_view opcode) {
  const auto found = table.find(opcode);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace cavs::cuda::ptx
