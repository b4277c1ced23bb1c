#pragma once

#include <string>
#include <vector>

#include "bindings.h"

namespace cavs::python {

/// Keyword arguments of a function with many, taken one by one into what holds their defaults. Messages name the one
/// that does not fit, where nanobind's own would print the whole signature.
class Keywords {
 public:
  Keywords(const char* function, nb::kwargs given) : function_(function), given_(std::move(given)) {}

  /// Sets `value` if the keyword is given. @param type  as messages name it. @throws nb::type_error if it does not fit.
  template <typename T>
  void take(const char* name, const char* type, T& value) {
    known_.emplace_back(name);
    if (given_.contains(name) && !nb::try_cast(nb::object(given_[name]), value)) refuse(name, type, given_[name]);
  }
  /// @throws nb::type_error for a keyword that is none of those that were asked for.
  void expect_no_others() const;
  /// @throws nb::type_error: what was given does not fit.
  [[noreturn]] void refuse(const char* name, const char* type, nb::handle found) const;

 private:
  const char* function_;
  nb::kwargs given_;
  std::vector<std::string> known_;
};

}  // namespace cavs::python
