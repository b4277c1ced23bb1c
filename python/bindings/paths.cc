#include <fmt/format.h>

#include <cstring>

#include "bindings.h"
#include "support/check.h"

namespace cavs::python {

std::string path_from(nb::handle given) {
  const auto refuse = [&] {
    throw nb::type_error(
        fmt::format("a path is of type {}; expected a str or a pathlib.Path", nb::type_name(given.type()).c_str())
            .c_str());
  };
  const auto text = nb::steal(PyOS_FSPath(given.ptr()));
  if (!text.is_valid()) {
    PyErr_Clear();
    refuse();
  }
  if (!PyUnicode_Check(text.ptr())) refuse();
  const auto bytes = nb::steal<nb::bytes>(PyUnicode_EncodeFSDefault(text.ptr()));
  if (!bytes.is_valid()) throw nb::python_error();
  std::string path(bytes.c_str(), bytes.size());
  user_check(path.find('\0') == std::string::npos, "the path {} has a NUL character; expected the path of a file",
             nb::repr(text).c_str());
  return path;
}

}  // namespace cavs::python
