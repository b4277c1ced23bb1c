#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "cavs/shape.h"

namespace cavs {

namespace detail {
struct ParametersAccess;
}

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

/// The values of a model's parameters: one master copy each, row-major, owned here or by the caller (bind). While a
/// session trains, its packed weights are the master copy, and values() restores the values from there. Whoever writes
/// values calls touch() afterwards, so that sessions pack their weights again. Any number of sessions may share
/// parameters; to write values while one of them runs is a data race.
class Parameters {
 public:
  /// Draws the initial values. Same seed and names, same values, whatever else is declared: each parameter has a
  /// stream of random numbers of its own (Philox), chosen by the seed and the hash of its name. Xavier takes fan_out =
  /// the last of dims and fan_in = the product of the others; for a vector both are its length.
  /// @throws UserError on an empty or repeated name, a size that is not positive or too large, a table that is not
  /// [rows, d], or a scale that is negative (but for constants) or not finite.
  Parameters(std::vector<ParameterInfo> infos, std::uint64_t seed);
  Parameters(Parameters&&) noexcept = default;
  /// Not assignable: sessions, gradients and optimisers refer to these parameters.
  Parameters& operator=(Parameters&&) = delete;

  /// Names and shapes, in order. Gradients and optimisers share the list of the parameters that they are made for.
  using List = std::shared_ptr<const std::vector<ParameterInfo>>;
  const List& list() const { return infos_; }

  int size() const { return static_cast<int>(values_.size()); }  // number of parameters
  const ParameterInfo& info(int parameter) const { return (*infos_)[parameter]; }
  /// @throws UserError naming the known parameters if there is none of this name.
  int find(const std::string& name) const;

  /// The values of a parameter, row-major. The span is valid until the next update; ask again after it.
  std::span<float> values(int parameter) { return restore(parameter), values_[parameter]; }
  std::span<const float> values(int parameter) const { return restore(parameter), values_[parameter]; }
  std::span<const float> values(const std::string& name) const { return values(find(name)); }

  /// Makes the caller's memory the master copy (info(p).shape.size() floats, row-major, kept alive by the caller) with
  /// the values that it has; ours is freed. Counts as a change. @throws UserError if there is no such parameter or
  /// memory.
  void bind(int parameter, float* values);
  void touch(int parameter) { ++versions_[parameter]; }                        // says that values were written
  std::uint64_t version(int parameter) const { return versions_[parameter]; }  // grows by 1 with touch() or bind()

 private:
  friend struct detail::ParametersAccess;
  void restore(int parameter) const {
    if (evicted_[parameter].load(std::memory_order_acquire)) fetch(parameter);
  }
  void fetch(int parameter) const;

  List infos_;
  std::vector<std::vector<float>> owned_;
  std::vector<std::span<float>> values_;
  std::vector<std::uint64_t> versions_;
  std::unique_ptr<std::atomic<bool>[]> evicted_;
  std::unique_ptr<std::mutex> mutex_;                       // of fetch_
  mutable std::vector<std::function<void(float*)>> fetch_;  // of evicted values
};

/// Gradients of a model's parameters, row-major like the values: one flat block of memory, in which each begins at a
/// multiple of kAlignment floats (the gaps are zero), so that it can be reduced among processes as one array. Of a
/// table only the rows in `table_rows` (each once) are meaningful; all others are zero. A deferred gradient
/// (Run::backward) has no values here; Session::update computes them.
struct Gradients {
  static constexpr std::int64_t kAlignment = 16;

  /// Owns its memory.
  explicit Gradients(const Parameters& of);
  /// In the caller's memory, which is set to zero and must outlive this and all copies of it.
  /// @throws UserError if it has not flat_size(of) floats.
  Gradients(const Parameters& of, std::span<float> memory);
  Gradients() = default;
  Gradients(const Gradients& other);
  Gradients(Gradients&&) noexcept = default;
  Gradients& operator=(Gradients other) noexcept;
  ~Gradients() = default;

  /// Floats of the flat block.
  static std::int64_t flat_size(const Parameters& of);
  /// All gradients.
  std::span<float> flat() { return flat_; }
  std::span<const float> flat() const { return flat_; }
  /// Where a parameter's gradient begins in flat().
  std::int64_t offset(int parameter) const { return values[parameter].data() - flat_.data(); }

  std::vector<std::span<float>> values;               // [parameters], in flat()
  std::vector<std::vector<std::int32_t>> table_rows;  // [parameters]
  std::vector<char> deferred;                         // [parameters]; empty: none
  std::uint64_t deferred_by = 0;                      // number of the backward that deferred them; 0: none
  Parameters::List parameters;                        // that they are gradients of

  bool is_deferred(std::size_t parameter) const { return !deferred.empty() && deferred[parameter] != 0; }

 private:
  std::vector<float> owned_;
  std::span<float> flat_;
};

}  // namespace cavs
