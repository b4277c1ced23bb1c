#pragma once

namespace cavs::inline v0_1 {

/// One callable of several, for std::visit: std::visit(Overloaded{[](A) {...}, [](B) {...}}, variant).
template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace cavs::inline v0_1
