#pragma once

#include <memory>
#include <optional>

#include "bindings.h"

namespace cavs::python {

/// What samples come from, an object of Python's own, so that its collector sees cycles through it: a generator often
/// knows the object that holds the data set. Who holds the stream holds this, too.
struct Generator {
  nb::object function, iterator = {};
};

/// Samples that a Python function gives: called for each pass over the data, it returns an iterable of Graphs, the same
/// ones in the same order every time. Without `samples`, one pass is made here to count them.
/// @throws what the function throws, with the number of the sample as a note; UserError for anything but Graphs of one
/// schema, or where a pass has fewer samples than it should.
std::shared_ptr<SampleStream> stream_from(Generator& generator, std::optional<std::int64_t> samples);

void bind_generator(nb::module_& m);

/// Shows Python's collector what an object of a class with a member `generator` holds.
template <typename Holder>
int visit_generator(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Holder>(self)->generator.ptr());
  return 0;
}

}  // namespace cavs::python
