#pragma once

namespace cavs::inline v0_1 {

/// Combines several callables into one, as in std::visit(Overloaded{[](A) {...}, [](B) {...}}, variant).
template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace cavs::inline v0_1
