#include "cavs/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "bindings.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

void warn(const std::string& text) {
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
}

Busy::Busy(std::atomic<bool>& flag, const char* what) : flag_(flag) {
  user_check(!flag.exchange(true),
             "the {} is in use by another thread, or by the call that runs this callback; wait until it returns", what);
}

namespace {

constexpr const char* kOwner = "model that these parameters belong to";

int find(const PyParameters& self, const std::string& name) {
  for (int p = 0; p < self.parameters->size(); ++p)
    if (self.parameters->info(p).name == name) return p;
  throw nb::key_error(no_parameter(*self.parameters->list(), name).c_str());
}

nb::object get(const PyParameters& self, const std::string& name) {
  const Busy busy(*self.busy, kOwner);
  const int p = find(self, name);
  const auto values = std::as_const(*self.parameters).values(p);
  const auto& dims = self.parameters->info(p).shape.dims;
  return to_numpy(std::vector(values.begin(), values.end()), {dims.begin(), dims.end()});
}

/// Returns a view, which keeps the parameters alive. It is read-only, since sessions would not notice writes to it.
nb::object view(const PyParameters& self, const std::string& name) {
  const Busy busy(*self.busy, kOwner);
  const int p = find(self, name);
  const auto values = std::as_const(*self.parameters).values(p);
  const auto& dims = self.parameters->info(p).shape.dims;
  return view_of<const float>(values.data(), {dims.begin(), dims.end()}, self.parameters);
}

void set(const PyParameters& self, const std::string& name, nb::handle array) {
  const int p = find(self, name);
  std::vector<std::int64_t> shape;
  const std::vector<float> values = floats_from(fmt::format("parameter '{}'", name), array, shape);
  const Shape& expected = self.parameters->info(p).shape;
  user_check(std::ranges::equal(shape, expected.dims), "parameter '{}' is {}, found an array of [{}]", name,
             to_string(expected), fmt::join(shape, ", "));
  for (std::size_t i = 0; i < values.size(); ++i)
    user_check(std::isfinite(values[i]), "parameter '{}' gets {} at position {}; expected finite numbers", name,
               values[i], i);
  const Busy busy(*self.busy, kOwner);
  std::ranges::copy(values, self.parameters->values(p).begin());
  self.parameters->touch(p);
  *self.written = true;
}

std::vector<std::string> names(const PyParameters& self) {
  std::vector<std::string> all;
  for (int p = 0; p < self.parameters->size(); ++p) all.push_back(self.parameters->info(p).name);
  return all;
}

}  // namespace

PyParameters initial_parameters(const PyModel& model) {
  user_check(!model.declaring, "the model is being declared; read its parameters afterwards");
  return {model.model.make_parameters(), std::make_shared<std::atomic<bool>>(false)};
}

void bind_parameters(nb::module_& m) {
  nb::class_<PyParameters>(m, "Parameters",
                           "Parameters by name. Reading one returns a copy; assign an array to change it.")
      .def("__getitem__", &get, "name"_a, nb::sig("def __getitem__(self, name: str, /) -> NDArray[numpy.float32]"))
      .def("__setitem__", &set, "name"_a, "array"_a.none(),
           nb::sig("def __setitem__(self, name: str, array: ArrayLike, /) -> None"))
      .def(
          "update",
          [](const PyParameters& self, const std::map<std::string, nb::object>& values) {
            for (const auto& [name, array] : values) set(self, name, array);
          },
          "values"_a, nb::sig("def update(self, values: Mapping[str, ArrayLike]) -> None"),
          "Assigns several parameters, such as your own initial values or the parameters of another model.")
      .def("view", &view, "name"_a, nb::sig("def view(self, name: str) -> NDArray[numpy.float32]"),
           "A read-only view of a parameter's values, without a copy. The memory stays valid as long as the array "
           "exists. Call view() again after a training step to see the new values.")
      .def("__len__", [](const PyParameters& self) { return self.parameters->size(); })
      .def(
          "__contains__",
          [](const PyParameters& self, const std::string& name) { return std::ranges::count(names(self), name) > 0; },
          "name"_a)
      .def(
          "__iter__", [](const PyParameters& self) { return nb::iter(nb::cast(names(self))); },
          nb::sig("def __iter__(self) -> Iterator[str]"))
      .def("keys", &names, "Names of the parameters, in the order of declaration.")
      .def(
          "items",
          [](const PyParameters& self) {
            nb::list items;
            for (const std::string& name : names(self)) items.append(nb::make_tuple(name, get(self, name)));
            return items;
          },
          nb::sig("def items(self) -> list[tuple[str, NDArray[numpy.float32]]]"),
          "Pairs of a name and a copy of the values.")
      .def("__repr__", [](const PyParameters& self) {
        std::string text = "<cavs.Parameters:";
        for (int p = 0; p < self.parameters->size(); ++p)
          text += fmt::format("{} {} {}", p == 0 ? "" : ",", self.parameters->info(p).name,
                              to_string(self.parameters->info(p).shape));
        return text + ">";
      });
}

}  // namespace cavs::python
