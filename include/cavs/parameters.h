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

/// How a parameter's initial values are drawn. They depend on (seed, name), not on the order of declaration.
struct Initializer {
  enum class Kind { kZeros, kConstant, kUniform, kNormal, kXavierUniform, kXavierNormal };
  Kind kind = Kind::kXavierUniform;
  float scale = 1;  // kConstant: the value; kUniform: [-scale, scale]; kNormal: deviation; Xavier: gain

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
};

class Parameters;

/// Access to rows of a matrix during an update: open, modify in place, close. Workers take disjoint multiples of kRows
/// rows, each row once an update; a worker has at most kRows rows open at a time.
class ParameterRows {
 public:
  static constexpr std::int32_t kRows = 16;
  virtual ~ParameterRows() = default;
  /// Rows [begin, end), row-major, until the worker's next open.
  virtual float* open(int worker, int parameter, std::int32_t begin, std::int32_t end) = 0;
  virtual void close(int parameter, std::int32_t begin, std::int32_t end, const float* rows) = 0;
  /// Rows [begin, end) of a gradient that is deferred, any number of them, until the worker's next gradient(). Cheapest
  /// by multiples of kGradientRows. @throws UserError if it is not deferred.
  static constexpr std::int32_t kGradientRows = 3 * kRows;
  virtual const float* gradient(int worker, int parameter, std::int32_t begin, std::int32_t end) = 0;
  /// The parameters whose rows these are; nullptr: whichever the update is given.
  virtual const Parameters* owner() const { return nullptr; }
};

/// The values of a model's parameters: one master copy each, row-major, owned here or by the caller (bind); while a
/// session trains, its packed weights are the master copy, and values() restores the values from there. touch()
/// announces a change, so that weights packed from the values are packed again. Shared by any number of sessions;
/// writing while a session runs is the caller's mistake.
class Parameters {
 public:
  /// Draws the initial values. Same seed and names, same values, whatever else is declared: element after element from
  /// the Philox stream (seed, initialise, FNV-1a of the name). Xavier takes fan_out = the last of dims and fan_in =
  /// the product of the others (of a vector, the same).
  /// @throws UserError on an empty or repeated name, a size that is not positive or too large, a table that is not
  /// [rows, d], or a scale that is negative (but for constants) or not finite.
  Parameters(std::vector<ParameterInfo> infos, std::uint64_t seed);
  Parameters(Parameters&&) noexcept = default;
  /// Others in the place of these would be strange to whatever refers to them.
  Parameters& operator=(Parameters&&) = delete;

  /// Names, shapes and order: what gradients and optimisers of these parameters have in common with them.
  using List = std::shared_ptr<const std::vector<ParameterInfo>>;
  const List& list() const { return infos_; }

  int size() const { return static_cast<int>(values_.size()); }
  const ParameterInfo& info(int parameter) const { return (*infos_)[parameter]; }
  /// @throws UserError naming the known parameters if there is none of this name.
  int find(const std::string& name) const;

  /// Valid until the next update: ask again after it.
  std::span<float> values(int parameter) { return bring_back(parameter), values_[parameter]; }
  std::span<const float> values(int parameter) const { return bring_back(parameter), values_[parameter]; }
  std::span<const float> values(const std::string& name) const { return values(find(name)); }

  /// Makes the caller's memory the master copy (info(p).shape.size() floats, row-major, kept alive by the caller) with
  /// the values that it has; ours is freed. Counts as a change. @throws UserError if there is no such parameter or
  /// memory.
  void bind(int parameter, float* values);
  /// Evicts the values: they are stored elsewhere from now on. When they are needed, `fetch` writes them, row-major,
  /// and they are here again. Values that the caller owns are not evicted.
  void move_away(int parameter, std::function<void(float*)> fetch);
  void bring_back(int parameter) const {
    if (is_away(parameter)) fetch(parameter);
  }
  bool is_away(int parameter) const { return away_[parameter].load(std::memory_order_acquire); }
  bool is_owned(int parameter) const { return !owned_[parameter].empty(); }
  void touch(int parameter) { ++versions_[parameter]; }
  std::uint64_t version(int parameter) const { return versions_[parameter]; }

 private:
  void fetch(int parameter) const;

  List infos_;
  std::vector<std::vector<float>> owned_;
  std::vector<std::span<float>> values_;
  std::vector<std::uint64_t> versions_;
  std::unique_ptr<std::atomic<bool>[]> away_;
  std::unique_ptr<std::mutex> mutex_;                       // of fetch_
  mutable std::vector<std::function<void(float*)>> fetch_;  // of evicted values
};

/// Gradients of a model's parameters, row-major like the values. Of a table only the rows in `table_rows` (each once)
/// are meaningful; all others are zero. The values of a deferred gradient are computed by the update:
/// ParameterRows::gradient.
struct Gradients {
  std::vector<std::vector<float>> values;
  std::vector<std::vector<std::int32_t>> table_rows;
  std::vector<char> deferred;     // [parameters]; empty: none
  std::uint64_t deferred_by = 0;  // number of the backward that deferred them; 0: none
  Parameters::List parameters;    // that they are gradients of; none where they are filled by hand

  explicit Gradients(const Parameters& of);
  Gradients() = default;
  bool is_deferred(std::size_t parameter) const { return !deferred.empty() && deferred[parameter] != 0; }
};

}  // namespace cavs
