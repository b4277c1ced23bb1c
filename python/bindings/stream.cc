#include "stream.h"

#include <fmt/format.h>

#include <utility>

#include "graphs.h"
#include "support/check.h"
#include "support/hash.h"

namespace cavs::python {
namespace {

template <typename T>
void add(ContentHash& hash, std::span<const T> values) {
  hash.update(std::as_bytes(values));
}

/// Adds all arrays of the samples to a hash.
void add(ContentHash& hash, const GraphSet& set) {
  add(hash, set.vertex_begin());
  add(hash, set.types());
  add(hash, set.child_begin());
  add(hash, set.children());
  const GraphSchema& schema = set.schema();
  for (std::size_t p = 0; p < schema.index_ports.size(); ++p) add(hash, set.index_pulls(p));
  for (std::size_t p = 0; p < schema.float_ports.size(); ++p) add(hash, set.float_pulls(p));
  for (std::size_t p = 0; p < schema.edge_index_ports.size(); ++p) add(hash, set.edge_index_pulls(p));
  for (std::size_t p = 0; p < schema.edge_float_ports.size(); ++p) add(hash, set.edge_float_pulls(p));
}

class GeneratorStream final : public SampleStream {
 public:
  /// Without `samples`, makes one pass to count the samples. The caller holds the GIL.
  GeneratorStream(Generator& generator, std::optional<std::int64_t> samples) : generator_(generator) {
    const nb::object& function = generator.function;
    if (nb::hasattr(function, "__next__") || PyCallable_Check(function.ptr()) == 0)
      throw nb::type_error(
          fmt::format("from_generator takes a function that is called for every epoch and returns an iterable of "
                      "Graphs; found a {}: pass the function itself, without ()",
                      nb::type_name(function.type()).c_str())
              .c_str());
    user_check(!samples || *samples > 0, "samples is {}; expected at least 1, or None to count the samples",
               samples.value_or(0));
    rewind();
    ContentHash hash;
    user_check(read_on(), "the generator has no samples; expected Graphs");
    schema_ = held_->schema();
    add(hash, *held_);
    samples_ = samples.value_or(0);
    if (!samples) {
      do {
        samples_ += held_->size();
        if (samples_ > held_->size()) add(hash, *held_);
        read_ = samples_;
      } while (read_on());
    }
    content_hash_ = hash.digest();
    rewind();
  }
  GraphSchema schema() const override { return schema_; }
  std::int64_t samples() const override { return samples_; }
  std::uint64_t content_hash() const override { return content_hash_; }

  void rewind() override {
    const nb::gil_scoped_acquire acquire;
    held_ = nullptr;
    next_ = 0;
    read_ = 0;
    user_check(generator_.function.is_valid(),
               "the generator was released by the garbage collector; it has no more samples");
    generator_.iterator.reset();  // ends the previous pass before the next one begins
    noting([&] { generator_.iterator = nb::iter(generator_.function()); });
  }

  InputGraph next() override {
    if (held_ == nullptr || next_ == held_->size()) {
      const nb::gil_scoped_acquire acquire;
      user_check(read_on(), "the generator ended after {} samples; expected {}, as in the previous pass", read_,
                 samples_);
    }
    ++read_;
    return sample_of(*held_, next_++);
  }

 private:
  /// Reads the next set that is not empty into held_. Returns false at the end.
  bool read_on() {
    for (;;) {
      nb::object item;
      user_check(generator_.iterator.is_valid(),
                 "the generator was released by the garbage collector; it has no more samples");
      noting([&] {
        item = nb::steal(PyIter_Next(generator_.iterator.ptr()));
        if (!item.is_valid() && PyErr_Occurred() != nullptr) throw nb::python_error();
      });
      if (!item.is_valid()) return false;
      user_check(nb::isinstance<PyGraphs>(item), "sample {} of the generator is of type {}; expected cavs.Graphs",
                 read_, nb::type_name(item.type()).c_str());
      held_ = nb::cast<const PyGraphs&>(item).set;
      next_ = 0;
      user_check(schema_.types.empty() || held_->schema() == schema_,
                 "sample {} of the generator has other types or ports than sample 0; expected the same in all", read_);
      if (held_->size() > 0) return true;
    }
  }

  /// Calls f. If the user's function throws, adds a note with the number of the sample to the exception.
  template <typename F>
  void noting(F f) const {
    try {
      f();
    } catch (nb::python_error& error) {
      const std::string note = fmt::format("(in cavs: from the generator, at sample {})", read_);
      if (nb::hasattr(error.value(), "add_note"))
        error.value().attr("add_note")(note.c_str());
      else  // Python 3.10
        error.value().attr("__notes__") = nb::make_tuple(note.c_str());
      throw;
    }
  }

  Generator& generator_;
  GraphSchema schema_ = {};
  std::int64_t samples_ = 0;
  std::uint64_t content_hash_ = 0;
  std::shared_ptr<const GraphSet> held_ = nullptr;
  std::int32_t next_ = 0;  // number of the next sample in held_
  std::int64_t read_ = 0;  // number of samples read in this pass
};

}  // namespace

std::shared_ptr<SampleStream> stream_from(Generator& generator, std::optional<std::int64_t> samples) {
  return std::make_shared<GeneratorStream>(generator, samples);
}

namespace {

int visit(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
  if (!nb::inst_ready(self)) return 0;
  const auto* generator = nb::inst_ptr<Generator>(self);
  Py_VISIT(generator->function.ptr());
  Py_VISIT(generator->iterator.ptr());
  return 0;
}

int clear(PyObject* self) {
  auto* generator = nb::inst_ptr<Generator>(self);
  generator->iterator.reset();
  generator->function.reset();
  return 0;
}

}  // namespace

void bind_generator(nb::module_& m) {
  static PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void*>(visit)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};
  nb::class_<Generator>(m, "_Generator", nb::type_slots(slots));
}

}  // namespace cavs::python
