#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cavs/shape.h"

namespace cavs {

/// How a parameter's first values are drawn: by (seed, name), never by the order of declaration.
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

/// The values of a model's parameters: one master copy each, row-major, owned here or by the caller (bind). A change is
/// announced by touch(), so that packs derived from the values are renewed. Shared by any number of sessions; writing
/// while a session runs is the caller's mistake.
class Parameters {
 public:
  /// Draws the initial values. Same seed and names, same values, whatever else is declared: element after element from
  /// the Philox stream (seed, initialise, FNV-1a of the name). Xavier takes fan_in = dims[0] and fan_out = the last of
  /// dims.
  /// @throws UserError on an empty or repeated name, a size that is not positive or too large, a table that is not
  /// [rows, d], or a scale that is negative (but for constants) or not finite.
  Parameters(std::vector<ParameterInfo> infos, std::uint64_t seed);
  Parameters(Parameters&&) noexcept = default;
  Parameters& operator=(Parameters&&) noexcept = default;

  int size() const { return static_cast<int>(infos_.size()); }
  const ParameterInfo& info(int parameter) const { return infos_[parameter]; }
  /// @throws UserError naming the known parameters if there is none of this name.
  int find(const std::string& name) const;

  std::span<float> values(int parameter) { return values_[parameter]; }
  std::span<const float> values(int parameter) const { return values_[parameter]; }
  std::span<const float> values(const std::string& name) const { return values_[find(name)]; }

  /// Makes the caller's memory the master copy (info(p).shape.size() floats, row-major, kept alive by the caller) with
  /// the values that it has; ours is freed. Counts as a change.
  void bind(int parameter, float* values);
  void touch(int parameter) { ++versions_[parameter]; }
  std::uint64_t version(int parameter) const { return versions_[parameter]; }

 private:
  std::vector<ParameterInfo> infos_;
  std::vector<std::vector<float>> owned_;
  std::vector<std::span<float>> values_;
  std::vector<std::uint64_t> versions_;
};

/// Gradients of a model's parameters, row-major like the values. Of a table only the rows in `table_rows` (each once)
/// are meaningful and all others are zero.
struct Gradients {
  std::vector<std::vector<float>> values;
  std::vector<std::vector<std::int32_t>> table_rows;

  explicit Gradients(const Parameters& parameters);
  Gradients() = default;
};

}  // namespace cavs
