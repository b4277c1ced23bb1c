#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cavs/data.h"
#include "cavs/graph.h"
#include "cavs/model.h"
#include "support/check.h"
#include "support/suggest.h"

/// What the files of the Python module share. Each binds one area; the work is the library's.
namespace cavs::python {

namespace nb = nanobind;

// Of each file, in the order in which types need each other.
void bind_symbols(nb::module_& m);
void bind_operators(nb::module_& m);
void bind_scalars(nb::module_& m);
void bind_signs(nb::module_& m);
void bind_model(nb::module_& m);
void bind_layers(nb::module_& m);
void bind_zoo(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_data(nb::module_& m);
void bind_optimizer(nb::module_& m);
void bind_parameters(nb::module_& m);
void bind_session(nb::module_& m);
void bind_inspect(nb::module_& m);
void bind_training(nb::module_& m);
void bind_trained(nb::module_& m);
void bind_torch(nb::module_& m);
void bind_torch_device(nb::module_& m);

/// The declaration that is being traced: its Python objects are refused when it is over.
struct Scope {
  Vertex* vertex = nullptr;  // null: it is over
  std::string function;

  /// @throws UserError naming `what` is tried, if it is over.
  Vertex& open(const char* what) const;
};
using ScopePtr = std::shared_ptr<Scope>;

/// A Value, an IndexValue or a Vertex in Python.
struct Symbol {
  Value value;
  ScopePtr scope;
};
struct IndexSymbol {
  Value value;
  ScopePtr scope;
};
struct VertexSymbol {
  ScopePtr scope;
};

/// The declaration that the operands of `what` belong to. @throws UserError if none is of an open one, or two differ.
ScopePtr scope_of(const char* what, const std::vector<nb::handle>& operands);
/// A Value, an IndexValue, a Parameter or a number as a value. @throws nb::type_error for anything else.
Value value_of(const char* what, const ScopePtr& scope, nb::handle operand);
/// Calls f with the operands as values: a symbol of what it gives. @throws as scope_of and value_of.
template <typename F>
Symbol with_values(const char* what, const std::vector<nb::handle>& operands, F f) {
  const ScopePtr scope = scope_of(what, operands);
  std::vector<Value> in;
  for (nb::handle operand : operands) in.push_back(value_of(what, scope, operand));
  return {f(in), scope};
}
/// The shape of an open value. @throws UserError as Scope::open.
Shape shape_of(const char* what, const Symbol& x);

/// A path that is given as a str or os.PathLike. @throws nb::type_error for anything else, UserError for NUL
/// characters.
std::string path_from(nb::handle path);

/// Sizes, as Python has them: a tuple, a list, or one integer.
Shape shape_from(nb::handle sizes);
nb::tuple to_tuple(const Shape& shape);

struct PyModel {
  Model model;
  bool declaring = false;
};

struct SharedNumbers;

/// Graphs are immutable once they are in Python, so threads may share them.
struct PyGraphs {
  std::shared_ptr<const GraphSet> set;
  std::shared_ptr<const std::vector<SharedNumbers>> shared = nullptr;  // arrays of the caller that `set` reads; or null

  /// To be called before they are used. @throws UserError if a shared array has changed. Cost: reading these once.
  void expect_unchanged() const;
  /// The same of what these samples read; numbers that are none are left out. Cost: reading that once.
  void expect_unchanged(std::span<const std::int32_t> samples) const;
};

/// `data` may hold the samples, or all but the samples.
struct PyDataset {
  nb::object generator = {};  // of a stream from Python; outlives it
  std::shared_ptr<const Dataset> data;
  std::string spec;
  PyGraphs train, dev;
  std::string graph_builder = {};  // that has made the graphs; empty: none, or that of a network
};
PyDataset dataset_of(Dataset data, const std::string& spec, std::string graph_builder = {});

/// One call at a time: another thread, or a callback, is refused instead of let in.
class Busy {
 public:
  /// @throws UserError naming `what` is in use.
  explicit Busy(std::atomic<bool>& flag, const char* what);
  ~Busy() { flag_ = false, flag_.notify_one(); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<bool>& flag_;
};

/// A UserWarning of Python's. @throws nb::python_error where warnings are errors.
void warn(const std::string& text);

/// The same for what several threads may ask for: each waits for its turn, without Python's lock.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& flag) : flag_(flag) {
    while (flag_.exchange(true)) flag_.wait(true);
  }
  ~Turn() { flag_ = false, flag_.notify_one(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& flag_;
};

/// Parameters that Python may read and write, while what owns them rests.
struct PyParameters {
  std::shared_ptr<Parameters> parameters;
  std::shared_ptr<std::atomic<bool>> busy;
  std::shared_ptr<bool> written = std::make_shared<bool>(false);
};

/// The initial values of a model's parameters. @throws UserError as Model::make_parameters.
PyParameters initial_parameters(const PyModel& model);

// Arrays (arrays.cc).

/// @throws UserError for a masked array of NumPy, or a list with one, that has masked numbers: arrays are read without
/// their masks.
void check_mask(const std::string& what, nb::handle object);
/// Integers of a one-dimensional array of any integer type, in order. @throws UserError naming `what` for another
/// number of dimensions or type, or a number that does not fit.
std::vector<std::int32_t> int32_from(const std::string& what, nb::handle array);
std::vector<std::int64_t> int64_from(const std::string& what, nb::handle array);
/// Floats of an array of float32 or float64 (rounded). `shape` gets its sizes. @throws UserError for another type.
std::vector<float> floats_from(const std::string& what, nb::handle array, std::vector<std::int64_t>& shape);

/// The array, or a NumPy array with the numbers of one that lies in a GPU's memory, as DLPack or
/// __cuda_array_interface__ say (device_arrays.cc). @throws UserError naming `what` for memory with gaps
nb::object on_host(const std::string& what, nb::handle array);

/// A NumPy array that owns its values.
template <typename T>
nb::object to_numpy(std::vector<T> values, const std::vector<std::size_t>& shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  owned.release();
  return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner).cast(nb::rv_policy::reference);
}

/// A NumPy array of memory that `owner` keeps: without a copy, valid as long as it is held. Read-only for a const T.
template <typename T, typename Owner>
nb::object view_of(T* data, const std::vector<std::size_t>& shape, const std::shared_ptr<Owner>& owner) {
  auto kept = std::make_unique<std::shared_ptr<Owner>>(owner);
  nb::capsule capsule(kept.get(), [](void* p) noexcept { delete static_cast<std::shared_ptr<Owner>*>(p); });
  kept.release();
  return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), capsule).cast(nb::rv_policy::reference);
}

/// The graphs that the model evaluates: of a network those of its vertex functions, else the given ones.
std::shared_ptr<const GraphSet> graphs_for(const Model& model, const std::string& graph_builder,
                                           const std::shared_ptr<const GraphSet>& graphs);

/// Python would answer == and != by identity, and another model would be declared than the one that was meant.
/// @param message  what to write in their place
template <typename T>
void refuse_comparison(nb::class_<T>& type, const char* message) {
  for (const std::string name : {"__eq__", "__ne__"})
    type.def(
        name.c_str(), [message](const T&, nb::handle) -> bool { user_error("{}", message); },
        nb::sig(("def " + name + "(self, other: object, /) -> NoReturn").c_str()));
  type.attr("__hash__") = nb::module_::import_("builtins").attr("object").attr("__hash__");
}

/// Why there is no such parameter, and which there are.
inline std::string no_parameter(const std::vector<ParameterInfo>& infos, const std::string& name) {
  std::vector<std::string_view> known;
  for (const ParameterInfo& info : infos) known.push_back(info.name);
  return "no parameter '" + name + "'; " + suggest(name, known);
}

}  // namespace cavs::python
