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

/// Declarations that the files of the Python module share. Each file binds one area of the library.
namespace cavs::python {

namespace nb = nanobind;

// One function per file, in this order: a signature can name only types that are bound already.
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

/// The declaration of a vertex function. Operations refuse its symbols once the declaration has ended.
struct Scope {
  Vertex* vertex = nullptr;  // null after the declaration
  std::string function;

  /// Returns the vertex. @throws UserError naming the operation `what` if the declaration has ended.
  Vertex& open(const char* what) const;
};
using ScopePtr = std::shared_ptr<Scope>;

/// A Value, an IndexValue or a Vertex, as an object of Python.
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

/// Returns the declaration to which the operands of operation `what` belong. @throws UserError if no operand belongs to
/// an open declaration, or two operands belong to different ones.
ScopePtr scope_of(const char* what, const std::vector<nb::handle>& operands);
/// Returns a Value, an IndexValue, a Parameter or a number as a Value. @throws nb::type_error for anything else.
Value value_of(const char* what, const ScopePtr& scope, nb::handle operand);
/// Calls f with the operands as Values, and returns its result as a symbol. @throws as scope_of and value_of.
template <typename F>
Symbol with_values(const char* what, const std::vector<nb::handle>& operands, F f) {
  const ScopePtr scope = scope_of(what, operands);
  std::vector<Value> in;
  for (nb::handle operand : operands) in.push_back(value_of(what, scope, operand));
  return {f(in), scope};
}
/// Returns the shape of a value. @throws UserError as Scope::open.
Shape shape_of(const char* what, const Symbol& x);

/// Returns the text of a path, which is a str or os.PathLike. @throws nb::type_error for anything else, UserError for a
/// NUL character.
std::string path_from(nb::handle path);

/// Returns a shape that is given in Python as a tuple, a list or one integer.
Shape shape_from(nb::handle sizes);
nb::tuple to_tuple(const Shape& shape);

struct PyModel {
  Model model;
  bool declaring = false;
};

struct SharedNumbers;

/// Graphs in Python. They are immutable, so threads may share them.
struct PyGraphs {
  std::shared_ptr<const GraphSet> set;
  std::shared_ptr<const std::vector<SharedNumbers>> shared =
      nullptr;  // the caller's arrays that `set` reads in place; or null

  /// Call before each use. @throws UserError if a shared array has changed. Cost: reads all shared arrays once.
  void expect_unchanged() const;
  /// Checks only the rows of these samples; numbers that are no samples are ignored. Cost: reads these rows once.
  void expect_unchanged(std::span<const std::int32_t> samples) const;
};

/// A data set in Python. `data` holds everything, or everything but the samples, which are then in `train` and `dev`.
struct PyDataset {
  nb::object generator = {};  // Python object that makes the samples of a stream, and outlives the stream
  std::shared_ptr<const Dataset> data;
  std::string spec;
  PyGraphs train, dev;
  std::string graph_builder = {};  // name of the builder that made the graphs; empty without one, and for a network
};
PyDataset dataset_of(Dataset data, const std::string& spec, std::string graph_builder = {});

/// Guards an object that serves one call at a time. A second call, from another thread or a callback, raises an error.
class Busy {
 public:
  /// @throws UserError that says that `what` is in use.
  explicit Busy(std::atomic<bool>& flag, const char* what);
  ~Busy() {
    flag_ = false;
    flag_.notify_one();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<bool>& flag_;
};

/// Issues a UserWarning in Python. @throws nb::python_error where warnings are errors.
void warn(const std::string& text);

/// Guards an object that several threads may use: each thread waits for its turn, without holding the GIL.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& flag) : flag_(flag) {
    while (flag_.exchange(true)) flag_.wait(true);
  }
  ~Turn() {
    flag_ = false;
    flag_.notify_one();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& flag_;
};

/// Parameters that Python may read and write while their owner (a trainer, a session) is not running.
struct PyParameters {
  std::shared_ptr<Parameters> parameters;
  std::shared_ptr<std::atomic<bool>> busy;
  std::shared_ptr<bool> written = std::make_shared<bool>(false);
};

/// Returns the initial values of a model's parameters. @throws UserError as Model::make_parameters.
PyParameters initial_parameters(const PyModel& model);

// Conversions of arrays (arrays.cc).

/// @throws UserError for a NumPy masked array, or a list that contains one, with masked numbers: other functions here
/// ignore masks.
void check_mask(const std::string& what, nb::handle object);
/// Returns the integers of a one-dimensional array of any integer type. @throws UserError naming `what` if the array
/// has another number of dimensions or another type, or a number does not fit.
std::vector<std::int32_t> int32_from(const std::string& what, nb::handle array);
std::vector<std::int64_t> int64_from(const std::string& what, nb::handle array);
/// Returns the numbers of a float32 array, or of a float64 array, rounded. Sets `shape`. @throws UserError for others.
std::vector<float> floats_from(const std::string& what, nb::handle array, std::vector<std::int64_t>& shape);

/// Returns the array, or a NumPy copy if DLPack or __cuda_array_interface__ says that it is in GPU memory
/// (device_arrays.cc). @throws UserError naming `what` for memory with gaps.
nb::object on_host(const std::string& what, nb::handle array);

/// Returns a NumPy array that owns the values.
template <typename T>
nb::object to_numpy(std::vector<T> values, const std::vector<std::size_t>& shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  owned.release();
  return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner).cast(nb::rv_policy::reference);
}

/// Returns a NumPy array over memory of `owner`, which the array keeps alive. It is read-only for a const T.
template <typename T, typename Owner>
nb::object view_of(T* data, const std::vector<std::size_t>& shape, const std::shared_ptr<Owner>& owner) {
  auto kept = std::make_unique<std::shared_ptr<Owner>>(owner);
  nb::capsule capsule(kept.get(), [](void* p) noexcept { delete static_cast<std::shared_ptr<Owner>*>(p); });
  kept.release();
  return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), capsule).cast(nb::rv_policy::reference);
}

/// Returns the graphs that the model evaluates: the given graphs or, for a network, graphs of its vertex functions.
std::shared_ptr<const GraphSet> graphs_for(const Model& model, const std::string& graph_builder,
                                           const std::shared_ptr<const GraphSet>& graphs);

/// Makes == and != raise an error. Python would compare identities, and silently declare another model than was meant.
/// @param message  the error, which says what to write instead
template <typename T>
void refuse_comparison(nb::class_<T>& type, const char* message) {
  for (const std::string name : {"__eq__", "__ne__"})
    type.def(
        name.c_str(), [message](const T&, nb::handle) -> bool { user_error("{}", message); },
        nb::sig(("def " + name + "(self, other: object, /) -> NoReturn").c_str()));
  type.attr("__hash__") = nb::module_::import_("builtins").attr("object").attr("__hash__");
}

/// Returns the message for an unknown parameter, with similar or all known names.
inline std::string no_parameter(const std::vector<ParameterInfo>& infos, const std::string& name) {
  std::vector<std::string_view> known;
  for (const ParameterInfo& info : infos) known.push_back(info.name);
  return "no parameter '" + name + "'; " + suggest(name, known);
}

}  // namespace cavs::python
