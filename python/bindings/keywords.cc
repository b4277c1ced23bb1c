#include "keywords.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "support/suggest.h"

namespace cavs::python {

void Keywords::expect_no_others() const {
  for (auto [key, value] : given_) {
    const auto name = nb::cast<std::string>(key);
    if (std::ranges::find(known_, name) == known_.end())
      throw nb::type_error(fmt::format("{} has no option '{}'; {}", function_, name, suggest(name, known_)).c_str());
  }
}

void Keywords::refuse(const char* name, const char* type, nb::handle found) const {
  throw nb::type_error(fmt::format("option '{}' of {} is {}, of type {}; expected {}", name, function_,
                                   nb::repr(found).c_str(), nb::type_name(found.type()).c_str(), type)
                           .c_str());
}

}  // namespace cavs::python
