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

/// How a parameter's initial values are drawn. They depend on (seed, name), not on the order of declaration.
struct Initializer {
  enum class Kind { kZeros, kConstant, kUniform, kNormal, kXavierUniform, kXavierNormal };
  Kind kind = Kind::kXavierUniform;
  float scale = 1;  // kConstant: the value; kUniform: [-scale, scale]; kNormal: standard deviation; Xavier: gain
  bool operator==(const Initializer&) const = default;

  static Initializer zeros() { return {Kind::kZeros, 0}; }
  static Initializer constant(float value) { return {Kind::kConstant, value}; }
  static Initializer uniform(float limit) { return {Kind::kUniform, limit}; }
  static Initializer normal(float deviation) { return {Kind::kNormal, deviation}; }
  static Initializer xavier_uniform(float gain = 1) { return {Kind::kXavierUniform, gain}; }
  static Initializer xavier_normal(float gain = 1) { return {Kind::kXavierNormal, gain}; }
};

/// A parameter as declared. A table is read by lookup only: [rows, d].
struct ParameterInfo {
  std::string name;
  Shape shape;
  bool table = false;
  Initializer init;
  bool operator==(const ParameterInfo&) const = default;
};

/// The values of a model's parameters, row-major, owned here or by the caller (bind). While a session trains, the
/// newest values may be its own, packed or in the memory of a GPU: values() brings them back. Whoever writes values
/// calls touch() afterwards, so that sessions take them over. Any number of sessions may share parameters; to write
/// values while one of them runs is a data race.
class Parameters {
 public:
  /// Draws the initial values. Same seed and names, same values, whatever else is declared: each parameter has a
  /// stream of random numbers of its own (Philox), chosen by the seed and the hash of its name. Xavier takes fan_out =
  /// the last of dims and fan_in = the product of the others; for a vector both are its length.
  /// @throws UserError on an empty or repeated name, a size that is not positive or too large, a table that is not
  /// [rows, d], or a scale that is negative (but for constants) or not finite.
  Parameters(std::vector<ParameterInfo> infos, std::uint64_t seed);
  Parameters(Parameters&&) noexcept;
  /// Not assignable: sessions, gradients and optimisers refer to these parameters.
  Parameters& operator=(Parameters&&) = delete;
  ~Parameters();

  /// Names and shapes, in order. Gradients and optimisers share the list of the parameters that they are made for.
  using List = std::shared_ptr<const std::vector<ParameterInfo>>;
  const List& list() const { return infos_; }

  int size() const { return static_cast<int>(arrays_.size()); }  // number of parameters
  const ParameterInfo& info(int parameter) const { return (*infos_)[parameter]; }
  /// @throws UserError naming the known parameters if there is none of this name.
  int find(const std::string& name) const;

  /// The values of a parameter, row-major. The span is valid until the next update; ask again after it.
  std::span<float> values(int parameter);
  std::span<const float> values(int parameter) const;
  std::span<const float> values(const std::string& name) const { return values(find(name)); }

  /// Makes the caller's memory the master copy (info(p).shape.size() floats, row-major, kept alive by the caller) with
  /// the values that it has; ours is freed. Counts as a change. @throws UserError if there is no such parameter or
  /// memory.
  void bind(int parameter, float* values);
  void touch(int parameter);                   // says that values were written
  std::uint64_t version(int parameter) const;  // grows with touch(), bind() and every update

 private:
  friend struct detail::ParametersAccess;

  List infos_;
  std::vector<std::unique_ptr<detail::Array>> arrays_;
};

/// Gradients of a model's parameters, row-major like the values: one flat block of memory, in which each begins at a
/// multiple of kAlignment floats (the gaps are zero), so that it can be reduced among processes as one array. Of a
/// table only the rows in `table_rows` (each once) are meaningful; all others are zero. A deferred gradient
/// (Run::backward) has no values here; Session::update computes them. What a backward pass on a GPU has computed is
/// copied here when somebody asks for it.
struct Gradients {
  static constexpr std::int64_t kAlignment = 16;

  /// Owns its memory.
  explicit Gradients(const Parameters& of);
  /// In the caller's memory, which is set to zero and must outlive this and all copies of it.
  /// @throws UserError if it has not flat_size(of) floats.
  Gradients(const Parameters& of, std::span<float> memory);
  Gradients();
  Gradients(const Gradients& other);
  Gradients(Gradients&&) noexcept;
  Gradients& operator=(Gradients other) noexcept;
  ~Gradients();

  /// Floats of the flat block.
  static std::int64_t flat_size(const Parameters& of);
  /// All gradients.
  std::span<float> flat();
  std::span<const float> flat() const;
  /// Where a parameter's gradient begins in flat().
  std::int64_t offset(std::size_t parameter) const { return offsets_[parameter]; }
  /// The gradient of a parameter. The span is valid until the next backward pass on a GPU; ask again after it.
  std::span<float> values(std::size_t parameter);
  std::span<const float> values(std::size_t parameter) const;
  /// Number of parameters, and the list that they are gradients of.
  std::size_t size() const { return offsets_.size(); }
  const Parameters::List& list() const { return list_; }

  std::vector<std::vector<std::int32_t>> table_rows;  // [parameters]
  std::vector<char> deferred;                         // [parameters]; empty: none
  std::uint64_t deferred_by = 0;                      // number of the backward that deferred them; 0: none

  bool is_deferred(std::size_t parameter) const { return !deferred.empty() && deferred[parameter] != 0; }

 private:
  friend struct detail::ParametersAccess;

  Parameters::List list_;
  std::vector<std::int64_t> offsets_;  // [parameters]
  std::unique_ptr<detail::Array> flat_;
};

}  // namespace v0_1
}  // namespace cavs
