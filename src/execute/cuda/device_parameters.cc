#include "execute/cuda/device_parameters.h"

#include <algorithm>

#include "execute/cuda/caller_memory.h"
#include "tensor/parameters_access.h"
#include "update/optimizer_access.h"

namespace cavs::cuda {
namespace {

using detail::OptimizerAccess;
using detail::ParametersAccess;

constexpr std::int64_t kFloat = sizeof(float);

/// The caller's memory on this GPU; nullptr where there is none.
const CallerMemory* home_on(const Device& device, const detail::Array& array) {
  const auto* const home = dynamic_cast<const CallerMemory*>(array.home().get());
  return home != nullptr && home->device().is_same(device) ? home : nullptr;
}

}  // namespace

/// Parts of a block: one, or all gradients, of which the host's memory is zero where this does not write: of a table,
/// rows that are not listed.
class DeviceParameters::Copy final : public detail::Array::Copy {
 public:
  struct Part {
    std::int64_t begin = 0, size = 0;     // in the block
    std::int64_t to = 0;                  // in the host's memory
    std::int64_t width = 0;               // of a table of gradients
    std::vector<std::int32_t> rows = {};  // of a table
  };
  Copy(std::shared_ptr<const Block> block, std::vector<Part> parts)
      : block_(std::move(block)), parts_(std::move(parts)) {}
  /// @throws UserError where the GPU has failed
  void read(std::span<float> values) const override {
    std::vector<float> table;
    for (const Part& part : parts_) {
      if (part.width > 0) table.resize(static_cast<std::size_t>(part.size));
      float* const to = part.width > 0 ? table.data() : values.data() + part.to;
      block_->stream->download(to, block_->memory.at(part.begin * kFloat), part.size * kFloat);
      if (part.width == 0) continue;
      block_->stream->synchronise();
      for (const std::int32_t row : part.rows)
        std::copy_n(table.begin() + row * part.width, part.width, values.begin() + part.to + row * part.width);
    }
    block_->stream->synchronise();
  }

 private:
  const std::shared_ptr<const Block> block_;
  const std::vector<Part> parts_;
};

DeviceParameters::DeviceParameters(const DeviceRef& device, const Program& program,
                                   std::shared_ptr<Parameters> parameters, std::vector<std::int64_t> offsets)
    : device_(device),
      program_(program),
      parameters_(std::move(parameters)),
      offsets_(std::move(offsets)),
      stream_(std::make_shared<const Stream>(device)),
      values_(make_arrays()),
      gradients_(program.options.training ? make_block() : nullptr) {}

/// After a failure of the GPU they are lost, which an error tells whoever asks for them.
DeviceParameters::~DeviceParameters() {
  for (int p = 0; p < parameters_->size(); ++p) {
    const detail::Array& values = ParametersAccess::array(*parameters_, p);
    try {
      if (values.is_left_to(*values_.copies[p])) values.read();
    } catch (const std::exception&) {
    }
  }
}

/// For an array of each parameter.
std::shared_ptr<DeviceParameters::Block> DeviceParameters::make_block() const {
  auto block = std::make_shared<Block>(device_, stream_);
  block->memory.reserve(std::max<std::int64_t>(offsets_.back(), 1) * kFloat);
  return block;
}

DeviceParameters::Arrays DeviceParameters::make_arrays() const {
  Arrays arrays;
  arrays.block = make_block();
  for (int p = 0; p < parameters_->size(); ++p)
    arrays.copies.push_back(std::make_shared<const Copy>(
        arrays.block, std::vector<Copy::Part>{{.begin = offsets_[p], .size = program_.parameters[p].shape.size()}}));
  arrays.versions.resize(arrays.copies.size());
  return arrays;
}

void DeviceParameters::bring(Arrays& arrays, int p, const detail::Array& from) const {
  if (arrays.versions[p] == from.version()) return;
  const DevicePointer to = arrays.block->memory.at(offsets_[p] * kFloat);
  const std::int64_t bytes = static_cast<std::int64_t>(from.size()) * kFloat;
  if (const CallerMemory* const home = home_on(*device_, from))
    stream_->copy(to, home->at(), bytes);
  else
    stream_->upload(to, from.read().data(), bytes);
  arrays.versions[p] = from.version();
}

bool DeviceParameters::leave(Arrays& arrays, int p, detail::Array& to) const {
  arrays.versions[p] = to.version();
  const CallerMemory* const home = home_on(*device_, to);
  if (home == nullptr) return to.leave_to(arrays.copies[p]), false;
  stream_->copy(home->at(), arrays.block->memory.at(offsets_[p] * kFloat),
                static_cast<std::int64_t>(to.size()) * kFloat);
  return to.left_home(), true;
}

float* DeviceParameters::values() {
  for (int p = 0; p < parameters_->size(); ++p) bring(values_, p, ParametersAccess::array(*parameters_, p));
  return values_.begin();
}

/// In other memory where somebody has not yet read the last ones.
float* DeviceParameters::gradients() {
  if (left_.use_count() > 1) gradients_ = make_block();
  left_ = nullptr;
  return gradients_->memory.as<float>();
}

/// In memory of its own: another optimiser may have its state in what there is.
std::vector<float*> DeviceParameters::slots(const Optimizer& optimizer) {
  const auto is_wanted = [](const Arrays& arrays) {
    return std::ranges::any_of(arrays.copies, [](const auto& copy) { return copy.use_count() > 1; });
  };
  const auto is_here = [&](std::size_t s) {
    for (int p = 0; p < parameters_->size(); ++p)
      if (slots_[s].versions[p] != OptimizerAccess::array(optimizer, static_cast<int>(s), p).version()) return false;
    return true;
  };
  slots_.resize(static_cast<std::size_t>(optimizer.slots()));
  std::vector<float*> begins;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (slots_[s].block == nullptr || (!is_here(s) && is_wanted(slots_[s]))) slots_[s] = make_arrays();
    for (int p = 0; p < parameters_->size(); ++p)
      bring(slots_[s], p, OptimizerAccess::array(optimizer, static_cast<int>(s), p));
    begins.push_back(slots_[s].begin());
  }
  return begins;
}

void DeviceParameters::leave_update(Optimizer& optimizer) {
  OptimizerAccess::end_step(optimizer, *parameters_);
  bool is_copied = false;
  for (int p = 0; p < parameters_->size(); ++p) {
    if (optimizer.frozen()[p] != 0) continue;
    is_copied |= leave(values_, p, ParametersAccess::array(*parameters_, p));
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      detail::Array& state = OptimizerAccess::array(optimizer, static_cast<int>(s), p);
      state.touch();
      leave(slots_[s], p, state);
    }
  }
  if (is_copied) stream_->synchronise();
}

void DeviceParameters::leave_gradients(const Plan& plan, Gradients& gradients) {
  clear(*parameters_, gradients);
  gradients.deferred.assign(gradients.size(), 0);
  gradients.deferred_by = 0;
  std::vector<Copy::Part> parts;
  for (int p = 0; p < parameters_->size(); ++p) {
    const ParameterInfo& info = program_.parameters[p];
    Copy::Part part{.begin = offsets_[p], .size = info.shape.size(), .to = gradients.offset(p)};
    if (info.table) {
      const Slice touched = plan.touched[p];
      part.width = info.shape.dims[1];
      part.rows.assign(plan.rows.begin() + touched.begin, plan.rows.begin() + touched.begin + touched.count);
      gradients.table_rows[p] = part.rows;
    }
    parts.push_back(std::move(part));
  }
  left_ = std::make_shared<const Copy>(gradients_, std::move(parts));
  ParametersAccess::array(gradients).leave_to(left_);
}

}  // namespace cavs::cuda
