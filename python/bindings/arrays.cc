#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <limits>

#include "bindings.h"
#include "support/check.h"

namespace cavs::python {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

/// Returns advice for a NumPy array of a type that cannot be read; "" for other objects.
std::string advice_for(nb::handle object) {
  if (!nb::hasattr(object, "dtype")) return "";
  const nb::object dtype = object.attr("dtype");
  const auto type = nb::cast<std::string>(nb::repr(dtype.attr("str")));
  if (!nb::cast<bool>(dtype.attr("isnative")))
    return fmt::format(
        " of dtype {}; expected the byte order of this machine: array.astype(array.dtype.newbyteorder('='))", type);
  return fmt::format(" of dtype {}; expected numbers of one type, such as numpy.array(..., numpy.int32)", type);
}

AnyArray array_from(const std::string& what, nb::handle object) {
  check_mask(what, object);
  AnyArray array;
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) {
    try {
      const nb::object made = nb::module_::import_("numpy").attr("asarray")(object);
      if (nb::try_cast(made, array)) return array;
      user_error("{} is a {}{}", what, nb::type_name(object.type()).c_str(), advice_for(made));
    } catch (const nb::python_error& error) {
      user_error("{} is a {} that cannot be read as an array: {}", what, nb::type_name(object.type()).c_str(),
                 error.what());
    }
  }
  if (nb::try_cast(object, array) || nb::try_cast(on_host(what, object), array)) return array;
  const std::string advice = advice_for(object);
  user_error("{} is of type {}{}", what, nb::type_name(object.type()).c_str(),
             advice.empty() ? "; expected an array (NumPy, any with DLPack or a buffer, or a list)" : advice);
}

std::string type_of(const AnyArray& array) {
  const auto type = array.dtype();
  const auto is = [&](nb::dlpack::dtype_code code) { return type.code == static_cast<std::uint8_t>(code); };
  if (is(nb::dlpack::dtype_code::Bool)) return "bool";
  const char* name = is(nb::dlpack::dtype_code::Int)       ? "int"
                     : is(nb::dlpack::dtype_code::UInt)    ? "uint"
                     : is(nb::dlpack::dtype_code::Complex) ? "complex"
                     : is(nb::dlpack::dtype_code::Bfloat)  ? "bfloat"
                                                           : "float";
  return fmt::format("{}{}", name, static_cast<int>(type.bits));
}

std::string shape_text(const AnyArray& array) {
  std::string text = "[";
  for (std::size_t d = 0; d < array.ndim(); ++d) text += fmt::format("{}{}", d == 0 ? "" : ", ", array.shape(d));
  return text + "]";
}

bool is_contiguous(const AnyArray& array) {
  std::int64_t stride = 1;
  for (std::size_t d = array.ndim(); d-- > 0; stride *= static_cast<std::int64_t>(array.shape(d)))
    if (array.shape(d) != 1 && array.stride(d) != stride) return false;
  return true;
}

/// Calls f(element, position) for all elements of an array of any strides, in row-major order.
template <typename From, typename F>
void each(const AnyArray& array, F f) {
  const auto* data = static_cast<const From*>(array.data());
  if (is_contiguous(array)) {
    for (std::size_t i = 0; i < array.size(); ++i) f(data[i], i);
    return;
  }
  std::vector<std::size_t> at(array.ndim(), 0);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    f(data[offset], i);
    for (std::size_t d = array.ndim(); d-- > 0;) {
      offset += array.stride(d);
      if (++at[d] < array.shape(d)) break;
      offset -= array.stride(d) * static_cast<std::int64_t>(array.shape(d));
      at[d] = 0;
    }
  }
}

template <typename To, typename From>
void convert_integers(const std::string& what, const AnyArray& array, std::vector<To>& out) {
  out.reserve(array.size());
  each<From>(array, [&](From x, std::size_t i) {
    user_check(std::in_range<To>(x), "{} has {} at position {}; expected numbers from {} to {}", what, x, i,
               std::numeric_limits<To>::min(), std::numeric_limits<To>::max());
    out.push_back(static_cast<To>(x));
  });
}

template <typename To>
std::vector<To> integers_from(const std::string& what, nb::handle object) {
  const AnyArray array = array_from(what, object);
  user_check(array.ndim() == 1, "{} has shape {}; expected one dimension", what, shape_text(array));
  std::vector<To> out;
  if (array.size() == 0) return out;  // numpy.array([]) is an array of floats, but has no values to check
  const auto type = array.dtype();
  if (type == nb::dtype<std::int32_t>())
    convert_integers<To, std::int32_t>(what, array, out);
  else if (type == nb::dtype<std::int64_t>())
    convert_integers<To, std::int64_t>(what, array, out);
  else if (type == nb::dtype<std::int16_t>())
    convert_integers<To, std::int16_t>(what, array, out);
  else if (type == nb::dtype<std::int8_t>())
    convert_integers<To, std::int8_t>(what, array, out);
  else if (type == nb::dtype<std::uint8_t>())
    convert_integers<To, std::uint8_t>(what, array, out);
  else if (type == nb::dtype<std::uint16_t>())
    convert_integers<To, std::uint16_t>(what, array, out);
  else if (type == nb::dtype<std::uint32_t>())
    convert_integers<To, std::uint32_t>(what, array, out);
  else if (type == nb::dtype<std::uint64_t>())
    convert_integers<To, std::uint64_t>(what, array, out);
  else if (array.size() > 0)  // an empty list is an array of floats
    user_error("{} is an array of {}; expected integers, such as int32", what, type_of(array));
  return out;
}

}  // namespace

void check_mask(const std::string& what, nb::handle object) {
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object))
    for (const nb::handle item : object)
      if (!nb::isinstance<nb::float_>(item) && !nb::isinstance<nb::int_>(item)) check_mask(what, item);
  if (!nb::hasattr(object, "mask")) return;
  const nb::object ma = nb::module_::import_("numpy").attr("ma");
  if (!nb::isinstance(object, ma.attr("MaskedArray"))) return;
  const auto masked = nb::cast<std::int64_t>(ma.attr("count_masked")(object));
  user_check(masked == 0,
             "{} is a masked array, and {} of its numbers are masked; expected an array without a mask: "
             "array.filled(value), or rows of NaN in a float port and -1 in an index port where they are absent",
             what, masked);
}

std::vector<std::int32_t> int32_from(const std::string& what, nb::handle array) {
  return integers_from<std::int32_t>(what, array);
}

std::vector<std::int64_t> int64_from(const std::string& what, nb::handle array) {
  return integers_from<std::int64_t>(what, array);
}

std::vector<float> floats_from(const std::string& what, nb::handle object, std::vector<std::int64_t>& shape) {
  const AnyArray array = array_from(what, object);
  shape.clear();
  for (std::size_t d = 0; d < array.ndim(); ++d) shape.push_back(static_cast<std::int64_t>(array.shape(d)));
  std::vector<float> out;
  out.reserve(array.size());
  const auto type = array.dtype();
  if (type == nb::dtype<float>())
    each<float>(array, [&](float x, std::size_t) { out.push_back(x); });
  else if (type == nb::dtype<double>())
    each<double>(array, [&](double x, std::size_t) { out.push_back(static_cast<float>(x)); });
  else
    user_error("{} is an array of {}; expected float32 or float64: array.astype(numpy.float32)", what, type_of(array));
  return out;
}

}  // namespace cavs::python
