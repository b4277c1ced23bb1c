#pragma once

#include <memory>
#include <optional>

#include "bindings.h"

namespace cavs::python {

/// The source of a stream's samples. It is a Python object so that the garbage collector sees cycles through it: a
/// generator often refers to the owner of the data set. Every owner of the stream also owns its Generator.
struct Generator {
  nb::object function, iterator = {};
};

/// A stream over a Python function, which is called for each pass over the data and returns an iterable of Graphs: the
/// same graphs in the same order every time. Without `samples`, this function makes one pass to count them.
/// @throws the function's exceptions, with the number of the sample as a note; UserError for items that are not Graphs
/// of one schema, or if a pass has too few samples.
std::shared_ptr<SampleStream> stream_from(Generator& generator, std::optional<std::int64_t> samples);

void bind_generator(nb::module_& m);

/// Tells Python's garbage collector about the member `generator` of an object.
template <typename Holder>
int visit_generator(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Holder>(self)->generator.ptr());
  return 0;
}

}  // namespace cavs::python
