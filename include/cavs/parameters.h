#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cavs/shape.h"
#include "cavs/version.h"

namespace cavs::inline v0_1 {
namespace detail {
class Array;
struct ParametersAccess;
}  // namespace detail
}  // namespace cavs::inline v0_1

namespace cavs {
inline namespace CAVS_API v0_1 {

/// The distribution of a parameter's initial values. They depend on the seed and the parameter's name, but not on the
/// order of declaration.
struct Initializer {
  enum class Kind { kZeros, kConstant, kUniform, kNormal, kXavierUniform, kXavierNormal };
  Kind kind = Kind::kXavierUniform;
  float scale = 1;  // the value (kConstant), limit (kUniform), standard deviation (kNormal) or gain (Xavier)
  bool operator==(const Initializer&) const = default;

  static Initializer zeros() { return {Kind::kZeros, 0}; }
  static Initializer constant(float value) { return {Kind::kConstant, value}; }
  static Initializer uniform(float limit) { return {Kind::kUniform, limit}; }
  static Initializer normal(float deviation) { return {Kind::kNormal, deviation}; }
  static Initializer xavier_uniform(float gain = 1) { return {Kind::kXavierUniform, gain}; }
  static Initializer xavier_normal(float gain = 1) { return {Kind::kXavierNormal, gain}; }
};

/// A parameter as declared. A table, [rows, d], is read only by lookup.
struct ParameterInfo {
  std::string name;
  Shape shape;
  bool table = false;  // true if declared by Model::lookup
  Initializer init;
  bool operator==(const ParameterInfo&) const = default;
};

/// The values of a model's parameters, row-major, owned by this object or by the caller (bind). While a session trains,
/// the newest values may be in packed form (for matrix products) or in a GPU's memory; values() copies them back. After
/// writing values, call touch(), so that sessions use the new values. Any number of sessions may share parameters;
/// writing values while one of them runs is a data race.
class Parameters {
 public:
  /// Draws the initial values. Each parameter has its own stream of random numbers (Philox), selected by the seed and
  /// the hash of the name, so values do not depend on other parameters. For Xavier, fan_out is the last dimension of
  /// the shape and fan_in the product of the others; for a vector both are its length.
  /// @throws UserError for an empty or duplicate name, a size that is not positive or too large, a table that is not
  /// [rows, d], or a scale that is not finite, or negative (except for constants).
  Parameters(std::vector<ParameterInfo> infos, std::uint64_t seed);
  Parameters(Parameters&&) noexcept;
  /// Not assignable: sessions, gradients and optimisers refer to these parameters.
  Parameters& operator=(Parameters&&) = delete;
  ~Parameters();

  /// Names and shapes, in order. Gradients and optimisers share the list of their parameters.
  using List = std::shared_ptr<const std::vector<ParameterInfo>>;
  const List& list() const { return infos_; }

  int size() const { return static_cast<int>(arrays_.size()); }  // number of parameters
  const ParameterInfo& info(int parameter) const { return (*infos_)[parameter]; }
  /// The number of the parameter of this name. @throws UserError naming the known parameters if there is none.
  int find(const std::string& name) const;

  /// The values of a parameter, row-major. The span is valid until the next update; call again after it.
  std::span<float> values(int parameter);
  std::span<const float> values(int parameter) const;
  std::span<const float> values(const std::string& name) const { return values(find(name)); }

  /// Makes the caller's memory (info(p).shape.size() floats, row-major, kept alive by the caller) the master copy, with
  /// the values that it contains, and frees the previous memory. Counts as a change. @throws UserError for a parameter
  /// out of range or a null pointer.
  void bind(int parameter, float* values);
  void touch(int parameter);                   // reports that values were written
  std::uint64_t version(int parameter) const;  // grows with touch(), bind() and every update

 private:
  friend struct detail::ParametersAccess;

  List infos_;
  std::vector<std::unique_ptr<detail::Array>> arrays_;
};

/// Gradients of a model's parameters, row-major like the values. All gradients are in one flat block, which can be
/// reduced among processes as one array. Each gradient begins at a multiple of kAlignment floats, and gaps are zero.
/// For a table, only the rows in `table_rows` (each listed once) can be nonzero. A deferred gradient (Run::backward)
/// has no values here; Session::update computes it. Gradients that a GPU has computed are copied here on first access.
struct Gradients {
  static constexpr std::int64_t kAlignment = 16;

  /// Allocates and owns the memory.
  explicit Gradients(const Parameters& of);
  /// Uses the caller's memory, which is set to zero and must outlive this object and its copies.
  /// @throws UserError unless `memory` has flat_size(of) floats.
  Gradients(const Parameters& of, std::span<float> memory);
  Gradients();
  Gradients(const Gradients& other);
  Gradients(Gradients&&) noexcept;
  Gradients& operator=(Gradients other) noexcept;
  ~Gradients();

  /// Number of floats in the flat block.
  static std::int64_t flat_size(const Parameters& of);
  /// The flat block of all gradients.
  std::span<float> flat();
  std::span<const float> flat() const;
  /// Offset of a parameter's gradient in flat().
  std::int64_t offset(std::size_t parameter) const { return offsets_[parameter]; }
  /// The gradient of a parameter. The span is valid until the next backward pass on a GPU; call again after it.
  std::span<float> values(std::size_t parameter);
  std::span<const float> values(std::size_t parameter) const;
  /// Number of parameters, and their list.
  std::size_t size() const { return offsets_.size(); }
  const Parameters::List& list() const { return list_; }

  std::vector<std::vector<std::int32_t>> table_rows;  // [parameters]: rows of a table's gradient that can be nonzero
  std::vector<char> deferred;                         // [parameters]: 1 if deferred; empty if none is
  std::uint64_t deferred_by = 0;                      // number of the backward pass that deferred gradients; 0: none

  bool is_deferred(std::size_t parameter) const { return !deferred.empty() && deferred[parameter] != 0; }

 private:
  friend struct detail::ParametersAccess;

  Parameters::List list_;
  std::vector<std::int64_t> offsets_;  // [parameters]: see offset()
  std::unique_ptr<detail::Array> flat_;
};

}  // namespace v0_1
}  // namespace cavs
