// Copies arrays in GPU memory (of CuPy, JAX, Numba and others) to the host.

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string_view>

#include "bindings.h"
#include "cavs/device_passes.h"
#include "support/check.h"

namespace cavs::python {
namespace {

/// An array as DLPack or __cuda_array_interface__ describes it.
struct DeviceArray {
  DeviceAddress at = 0;
  nb::object shape;
  std::string type;        // in NumPy's notation, such as "<f4"
  bool has_gaps = false;   // true if elements are not adjacent in row-major order
  int device = 0;          // number of the GPU; unused if the address identifies the GPU
  void* stream = nullptr;  // CUDA stream that writes the array
};

/// True if the elements are not adjacent in row-major order.
/// @param item, stride_of  size of an element, and function that returns the stride of a dimension in the same unit
template <typename F>
bool has_gaps(const std::vector<std::int64_t>& shape, std::int64_t item, F stride_of) {
  for (std::size_t d = shape.size(); d-- > 0; item *= shape[d])
    if (shape[d] != 1 && stride_of(d) != item) return true;
  return false;
}

nb::object numpy_copy(const std::string& what, const DeviceArray& array) {
  user_check(!array.has_gaps,
             "{} is in GPU memory with gaps or not in row-major order; expected contiguous memory, such as "
             "cupy.ascontiguousarray(array)",
             what);
  nb::object made = nb::module_::import_("numpy").attr("empty")(array.shape, array.type);
  const std::span to(reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(made.attr("ctypes").attr("data"))),
                     nb::cast<std::size_t>(made.attr("nbytes")));
  const nb::gil_scoped_release release;
  read_device_memory(array.device, array.at, to, array.stream);
  return made;
}

/// Describes an array of DLPack. @param array  keeps the memory alive
DeviceArray of_dlpack(const std::string& what, const nb::ndarray<nb::ro, nb::device::cuda>& array) {
  constexpr std::string_view kKinds = "iuf";  // by dlpack::dtype_code
  const auto type = array.dtype();
  user_check(type.code < kKinds.size(), "{} is an array in GPU memory; expected integers or floats", what);
  std::vector<std::int64_t> shape;
  nb::list sizes;
  for (std::size_t d = 0; d < array.ndim(); ++d) {
    shape.push_back(static_cast<std::int64_t>(array.shape(d)));
    sizes.append(shape.back());
  }
  return {.at = reinterpret_cast<DeviceAddress>(array.data()),
          .shape = nb::tuple(sizes),
          .type = fmt::format("<{}{}", kKinds[type.code], type.bits / 8),
          .has_gaps = has_gaps(shape, 1, [&](std::size_t d) { return array.stride(d); }),
          .device = array.device_id()};
}

DeviceArray of_interface(const nb::dict& interface) {
  DeviceArray array{.at = nb::cast<DeviceAddress>(interface["data"][0]),
                    .shape = interface["shape"],
                    .type = nb::cast<std::string>(interface["typestr"])};
  const nb::object strides = interface.attr("get")("strides"), stream = interface.attr("get")("stream");
  if (!strides.is_none()) {
    const auto item = nb::cast<std::int64_t>(nb::module_::import_("numpy").attr("dtype")(array.type).attr("itemsize"));
    array.has_gaps = has_gaps(nb::cast<std::vector<std::int64_t>>(array.shape), item,
                              [&](std::size_t d) { return nb::cast<std::int64_t>(strides[d]); });
  }
  constexpr std::uintptr_t kDefault = 1;
  if (!stream.is_none() && nb::cast<std::uintptr_t>(stream) != kDefault)
    array.stream = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(stream));
  return array;
}

}  // namespace

nb::object on_host(const std::string& what, nb::handle array) try {
  constexpr int kCuda = 2;  // kDLCUDA
  if (nb::hasattr(array, "__dlpack_device__") && nb::cast<int>(array.attr("__dlpack_device__")()[0]) == kCuda) {
    const auto exported = nb::cast<nb::ndarray<nb::ro, nb::device::cuda>>(array);
    return numpy_copy(what, of_dlpack(what, exported));
  }
  if (nb::hasattr(array, "__cuda_array_interface__"))
    return numpy_copy(what, of_interface(nb::cast<nb::dict>(array.attr("__cuda_array_interface__"))));
  return nb::borrow(array);
} catch (const nb::cast_error&) {
  user_error(
      "{} is of type {}, which does not export its memory; expected an array that implements DLPack or "
      "__cuda_array_interface__ and needs no gradient (for a tensor of PyTorch: .detach())",
      what, nb::type_name(array.type()).c_str());
}

}  // namespace cavs::python
