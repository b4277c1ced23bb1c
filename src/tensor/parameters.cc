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

namespace cavs {
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
               "two parameters are named '{}'; use the first one again, or give this one another name", infos[p].name);
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
      return std::fill(values.begin(), values.end(), scale), void();
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
    owned_.push_back(zeros_in_large_pages(static_cast<std::size_t>(info.shape.size())));
    draw(info, seed, owned_.back());
    values_.emplace_back(owned_.back());
  }
  versions_.resize(infos_->size());
  evicted_ = std::make_unique<std::atomic<bool>[]>(infos_->size());
  mutex_ = std::make_unique<std::mutex>();
  fetch_.resize(infos_->size());
}

int Parameters::find(const std::string& name) const {
  for (int p = 0; p < size(); ++p)
    if (info(p).name == name) return p;
  std::vector<std::string_view> known;
  for (int p = 0; p < size(); ++p) known.push_back(info(p).name);
  user_error("there is no parameter '{}'; {}", name, suggest(name, known));
}

void Parameters::bind(int parameter, float* values) {
  user_check(parameter >= 0 && parameter < size(), "binding memory to parameter {}; there are {}, from 0", parameter,
             size());
  user_check(values != nullptr, "binding no memory to parameter '{}'; expected {} floats", info(parameter).name,
             info(parameter).shape.size());
  evicted_[parameter] = false;
  values_[parameter] = {values, values_[parameter].size()};
  owned_[parameter] = {};
  touch(parameter);
}

void Parameters::fetch(int parameter) const {
  const std::lock_guard lock(*mutex_);
  if (!evicted_[parameter].load(std::memory_order_acquire)) return;  // another thread was faster
  fetch_[parameter](values_[parameter].data());
  evicted_[parameter].store(false, std::memory_order_release);
}

void detail::ParametersAccess::evict(Parameters& parameters, int parameter, std::function<void(float*)> fetch) {
  if (!is_owned(parameters, parameter)) return;
  const std::lock_guard lock(*parameters.mutex_);
  parameters.fetch_[parameter] = std::move(fetch);
  parameters.evicted_[parameter].store(true, std::memory_order_release);
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

Gradients::Gradients(const Parameters& of, std::span<float> memory)
    : table_rows(of.size()), deferred(of.size()), parameters(of.list()), flat_(memory) {
  user_check(std::ssize(memory) == flat_size(of),
             "the memory for gradients has {} floats; expected {} (Gradients::flat_size)", memory.size(),
             flat_size(of));
  std::ranges::fill(memory, 0.0F);
  std::size_t offset = 0;
  for (int p = 0; p < of.size(); ++p) {
    values.push_back(memory.subspan(offset, of.info(p).shape.size()));
    offset += aligned_size(of.info(p));
  }
}

Gradients::Gradients(const Parameters& of) {
  std::vector<float> memory = zeros_in_large_pages(static_cast<std::size_t>(flat_size(of)));
  *this = Gradients(of, memory);
  owned_ = std::move(memory);  // its elements stay where they are
}

Gradients::Gradients(const Gradients& other)
    : values(other.values),
      table_rows(other.table_rows),
      deferred(other.deferred),
      deferred_by(other.deferred_by),
      parameters(other.parameters),
      owned_(other.owned_),
      flat_(other.flat_) {
  if (owned_.empty()) return;
  for (std::size_t p = 0; p < values.size(); ++p)
    values[p] = {owned_.data() + other.offset(static_cast<int>(p)), values[p].size()};
  flat_ = owned_;
}

Gradients& Gradients::operator=(Gradients other) noexcept {
  values.swap(other.values), table_rows.swap(other.table_rows), deferred.swap(other.deferred);
  owned_.swap(other.owned_), parameters.swap(other.parameters);
  std::swap(deferred_by, other.deferred_by), std::swap(flat_, other.flat_);
  return *this;
}

}  // namespace cavs
