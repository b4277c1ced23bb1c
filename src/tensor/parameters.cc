#include "cavs/parameters.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "support/check.h"
#include "support/hash.h"
#include "support/large_pages.h"
#include "support/philox.h"
#include "support/suggest.h"
#include "tensor/check_parameters.h"
#include "tensor/parameters_access.h"

namespace cavs::inline v0_1 {
namespace {

void check_shape(const ParameterInfo& info) {
  std::int64_t size = 1;
  for (const std::int32_t dim : info.shape.dims) {
    user_check(dim > 0, "parameter '{}' has shape {}; every size must be positive", info.name, to_string(info.shape));
    size *= dim;
    user_check(size <= kMaxNumbers, "parameter '{}' of shape {} has more than {} numbers", info.name,
               to_string(info.shape), kMaxNumbers);
  }
  user_check(!info.table || info.shape.dims.size() == 2, "table '{}' has shape {}; expected [rows, d]", info.name,
             to_string(info.shape));
}

void check_initializer(const ParameterInfo& info) {
  const float scale = info.init.scale;
  const bool any_sign = info.init.kind == Initializer::Kind::kConstant;
  user_check(std::isfinite(scale) && (any_sign || scale >= 0),
             "the initializer of parameter '{}' has scale {}; expected a finite number{}", info.name, scale,
             any_sign ? "" : " that is not negative");
}

void check_infos(const std::vector<ParameterInfo>& infos) {
  std::unordered_set<std::string> names;
  for (std::size_t p = 0; p < infos.size(); ++p) {
    user_check(!infos[p].name.empty(), "parameter {} of {} has an empty name; every parameter needs one", p + 1,
               infos.size());
    user_check(names.insert(infos[p].name).second,
               "two parameters are named '{}'; use the first parameter again, or give the second another name",
               infos[p].name);
    check_shape(infos[p]);
    check_initializer(infos[p]);
  }
}

double fan_sum(const Shape& shape) {
  if (shape.dims.empty()) return 2;
  const auto out = static_cast<double>(shape.dims.back());
  return out + (shape.dims.size() == 1 ? out : static_cast<double>(shape.size()) / out);
}

void fill_uniform(std::span<float> values, float limit, Random random) {
  for (float& value : values) value = limit * (2 * random.uniform() - 1);
}

void fill_normal(std::span<float> values, float deviation, Random random) {
  for (float& value : values) value = deviation * random.normal();
}

void draw(const ParameterInfo& info, std::uint64_t seed, std::span<float> values) {
  const Random random(seed, RandomPurpose::kInitialise, fnv1a(info.name));
  const float scale = info.init.scale;
  switch (info.init.kind) {
    case Initializer::Kind::kZeros:
      return;
    case Initializer::Kind::kConstant:
      std::fill(values.begin(), values.end(), scale);
      return;
    case Initializer::Kind::kUniform:
      return fill_uniform(values, scale, random);
    case Initializer::Kind::kNormal:
      return fill_normal(values, scale, random);
    case Initializer::Kind::kXavierUniform:
      return fill_uniform(values, static_cast<float>(scale * std::sqrt(6.0 / fan_sum(info.shape))), random);
    case Initializer::Kind::kXavierNormal:
      return fill_normal(values, static_cast<float>(scale * std::sqrt(2.0 / fan_sum(info.shape))), random);
  }
}

}  // namespace

Parameters::Parameters(std::vector<ParameterInfo> infos, std::uint64_t seed)
    : infos_(std::make_shared<const std::vector<ParameterInfo>>(std::move(infos))) {
  check_infos(*infos_);
  for (const ParameterInfo& info : *infos_) {
    std::vector<float> values = zeros_in_large_pages(static_cast<std::size_t>(info.shape.size()));
    draw(info, seed, values);
    arrays_.push_back(std::make_unique<detail::Array>(std::move(values)));
  }
}

Parameters::Parameters(Parameters&&) noexcept = default;
Parameters::~Parameters() = default;

std::span<float> Parameters::values(int parameter) { return arrays_[parameter]->open(); }
std::span<const float> Parameters::values(int parameter) const { return arrays_[parameter]->read(); }
void Parameters::touch(int parameter) { arrays_[parameter]->touch(); }
std::uint64_t Parameters::version(int parameter) const { return arrays_[parameter]->version(); }

int Parameters::find(const std::string& name) const {
  for (int p = 0; p < size(); ++p)
    if (info(p).name == name) return p;
  std::vector<std::string_view> known;
  for (int p = 0; p < size(); ++p) known.push_back(info(p).name);
  user_error("there is no parameter '{}'; {}", name, suggest(name, known));
}

void Parameters::bind(int parameter, float* values) {
  user_check(parameter >= 0 && parameter < size(),
             "cannot bind memory to parameter {}; there are {} parameters, numbered from 0", parameter, size());
  user_check(values != nullptr, "cannot bind a null pointer to parameter '{}'; expected {} floats",
             info(parameter).name, info(parameter).shape.size());
  arrays_[parameter]->bind(values);
}

namespace {

std::int64_t aligned_size(const ParameterInfo& info) {
  return (info.shape.size() + Gradients::kAlignment - 1) / Gradients::kAlignment * Gradients::kAlignment;
}

}  // namespace

std::int64_t Gradients::flat_size(const Parameters& of) {
  std::int64_t size = 0;
  for (int p = 0; p < of.size(); ++p) size += aligned_size(of.info(p));
  return size;
}

namespace {

std::unique_ptr<detail::Array> array_in(std::span<float> memory, const Parameters& of) {
  user_check(std::ssize(memory) == Gradients::flat_size(of),
             "the memory for gradients has {} floats; expected {} (Gradients::flat_size)", memory.size(),
             Gradients::flat_size(of));
  std::ranges::fill(memory, 0.0F);
  return std::make_unique<detail::Array>(memory);
}

std::vector<std::int64_t> offsets_of(const Parameters& of) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t p = 0, next = 0; p < of.size(); ++p) {
    offsets.push_back(next);
    next += aligned_size(of.info(static_cast<int>(p)));
  }
  return offsets;
}

}  // namespace

Gradients::Gradients(const Parameters& of, std::span<float> memory)
    : table_rows(of.size()),
      deferred(of.size()),
      list_(of.list()),
      offsets_(offsets_of(of)),
      flat_(array_in(memory, of)) {}

Gradients::Gradients(const Parameters& of)
    : table_rows(of.size()),
      deferred(of.size()),
      list_(of.list()),
      offsets_(offsets_of(of)),
      flat_(std::make_unique<detail::Array>(zeros_in_large_pages(static_cast<std::size_t>(flat_size(of))))) {}

Gradients::Gradients() = default;
Gradients::Gradients(Gradients&&) noexcept = default;
Gradients::~Gradients() = default;

/// Copies gradients. If their memory is the caller's, the copy uses the same memory.
Gradients::Gradients(const Gradients& other)
    : table_rows(other.table_rows),
      deferred(other.deferred),
      deferred_by(other.deferred_by),
      list_(other.list_),
      offsets_(other.offsets_) {
  if (other.flat_ == nullptr) return;
  const std::span<float> values = other.flat_->open();
  flat_ = other.flat_->is_owned() ? std::make_unique<detail::Array>(std::vector<float>(values.begin(), values.end()))
                                  : std::make_unique<detail::Array>(values);
}

Gradients& Gradients::operator=(Gradients other) noexcept {
  table_rows.swap(other.table_rows);
  deferred.swap(other.deferred);
  list_.swap(other.list_);
  offsets_.swap(other.offsets_);
  flat_.swap(other.flat_);
  std::swap(deferred_by, other.deferred_by);
  return *this;
}

std::span<float> Gradients::flat() { return flat_ == nullptr ? std::span<float>() : flat_->open(); }
std::span<const float> Gradients::flat() const { return flat_ == nullptr ? std::span<const float>() : flat_->read(); }

std::span<float> Gradients::values(std::size_t parameter) {
  return flat().subspan(offsets_[parameter], (*list_)[parameter].shape.size());
}
std::span<const float> Gradients::values(std::size_t parameter) const {
  return flat().subspan(offsets_[parameter], (*list_)[parameter].shape.size());
}

}  // namespace cavs::inline v0_1
