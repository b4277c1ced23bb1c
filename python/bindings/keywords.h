#pragma once

#include <string>
#include <vector>

#include "bindings.h"

namespace cavs::python {

/// The keyword arguments of a function that has many. Each is converted alone, so that a message names the argument
/// that does not fit. (nanobind's own message would print the whole signature.)
class Keywords {
 public:
  Keywords(const char* function, nb::kwargs given) : function_(function), given_(std::move(given)) {}

  /// Sets `value` if the keyword is given. @param type  name of the type in messages
  /// @throws nb::type_error if the value has another type.
  template <typename T>
  void take(const char* name, const char* type, T& value) {
    known_.emplace_back(name);
    if (given_.contains(name) && !nb::try_cast(nb::object(given_[name]), value)) refuse(name, type, given_[name]);
  }
  /// @throws nb::type_error for a keyword that take() was not called for.
  void expect_no_others() const;
  /// @throws nb::type_error saying that the argument has the wrong type.
  [[noreturn]] void refuse(const char* name, const char* type, nb::handle found) const;

 private:
  const char* function_;
  nb::kwargs given_;
  std::vector<std::string> known_;
};

}  // namespace cavs::python
