#include "execute/cuda/device_parameters.h"

#include <algorithm>
#include <utility>

#include "execute/cuda/caller_memory.h"
#include "tensor/parameters_access.h"
#include "update/optimizer_access.h"

namespace cavs::cuda {
namespace {

using detail::OptimizerAccess;
using detail::ParametersAccess;

constexpr std::int64_t kFloat = sizeof(float);

/// Returns the caller's memory if it is on this GPU, else nullptr.
const CallerMemory* home_on(const Device& device, const detail::Array& array) {
  const auto* const home = dynamic_cast<const CallerMemory*>(array.home().get());
  return home != nullptr && home->device().is_same(device) ? home : nullptr;
}

}  // namespace

/// A pending copy of one array from a block to the host: one part, or a part per gradient. In a table only the listed
/// rows are copied; the other rows are zero on the host.
class DeviceParameters::Copy final : public detail::Array::Copy {
 public:
  struct Part {
    std::int64_t begin = 0, size = 0;     // first float in the block, and number of floats
    std::int64_t to = 0;                  // first float in the host's memory
    std::int64_t width = 0;               // columns of a table of gradients; 0 for other parts
    std::vector<std::int32_t> rows = {};  // rows of the table to copy
  };
  Copy(std::shared_ptr<const Block> block, std::vector<Part> parts)
      : block_(std::move(block)), parts_(std::move(parts)) {}
  const std::shared_ptr<const Block>& block() const { return block_; }
  /// Copies the parts to `values`. @throws UserError if the GPU has failed
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
      values_(make_arrays()) {
  if (program.options.training) static_cast<void>(gradients());
}

/// Copies parameters to the host. If the GPU has failed, values are lost, and a later read of them throws an error.
DeviceParameters::~DeviceParameters() {
  for (int p = 0; p < parameters_->size(); ++p) {
    const detail::Array& values = ParametersAccess::array(*parameters_, p);
    try {
      if (values.is_left_to(*values_.copies[p])) values.read();
    } catch (const std::exception&) {
    }
  }
}

/// Makes a block with memory for one array per parameter.
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
  ++arrays.changes;
}

bool DeviceParameters::leave(Arrays& arrays, int p, detail::Array& to) const {
  arrays.versions[p] = to.version();
  ++arrays.changes;
  const CallerMemory* const home = home_on(*device_, to);
  if (home == nullptr) {
    to.mark_copy_newest(arrays.copies[p]);
    return false;
  }
  stream_->copy(home->at(), arrays.block->memory.at(offsets_[p] * kFloat),
                static_cast<std::int64_t>(to.size()) * kFloat);
  to.mark_device_memory_newest();
  return true;
}

float* DeviceParameters::values() {
  for (int p = 0; p < parameters_->size(); ++p) bring(values_, p, ParametersAccess::array(*parameters_, p));
  return values_.block->begin();
}

template <typename ArrayOf>
float* DeviceParameters::bring_all(Arrays& arrays, ArrayOf array_of) const {
  bool is_here = arrays.block != nullptr;
  for (int p = 0; is_here && p < parameters_->size(); ++p) is_here = arrays.versions[p] == array_of(p).version();
  const auto is_wanted = [](const auto& copy) { return copy.use_count() > 1; };
  if (arrays.block == nullptr || (!is_here && std::ranges::any_of(arrays.copies, is_wanted))) arrays = make_arrays();
  for (int p = 0; p < parameters_->size(); ++p) bring(arrays, p, array_of(p));
  return arrays.block->begin();
}

std::vector<float*> DeviceParameters::slots(const Optimizer& optimizer) {
  slots_.resize(static_cast<std::size_t>(optimizer.slots()));
  std::vector<float*> begins;
  begins.reserve(slots_.size());
  for (int s = 0; s < optimizer.slots(); ++s)
    begins.push_back(bring_all(
        slots_[s], [&](int p) -> auto& { return OptimizerAccess::array(optimizer, s, p); }));
  return begins;
}

float* DeviceParameters::averages(const Parameters& averages) {
  return bring_all(
      averages_, [&](int p) -> auto& { return ParametersAccess::array(averages, p); });
}

float* DeviceParameters::gradients() {
  gradients_ = nullptr;
  const auto is_free = [](const std::shared_ptr<Block>& block) { return block.use_count() == 1; };
  const auto found = std::ranges::find_if(gradient_blocks_, is_free);
  gradients_ = found != gradient_blocks_.end() ? *found : gradient_blocks_.emplace_back(make_block());
  return gradients_->begin();
}

float* DeviceParameters::find(const Gradients& gradients) const {
  const auto copy = std::dynamic_pointer_cast<const Copy>(ParametersAccess::array(gradients).newest());
  return copy != nullptr && copy->block()->stream == stream_ ? copy->block()->begin() : nullptr;
}

void DeviceParameters::mark_update_on_device(Optimizer& optimizer) {
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

void DeviceParameters::leave_averages(Parameters& averages) {
  bool is_copied = false;
  for (int p = 0; p < parameters_->size(); ++p) {
    detail::Array& array = ParametersAccess::array(averages, p);
    array.touch();
    is_copied |= leave(averages_, p, array);
  }
  if (is_copied) stream_->synchronise();
}

void DeviceParameters::bring_gradients(Gradients& from) {
  static_cast<void>(gradients());
  for (int p = 0; p < parameters_->size(); ++p) {
    const std::span<const float> values = std::as_const(from).values(p);
    stream_->upload(gradients_->memory.at(offsets_[p] * kFloat), values.data(), std::ssize(values) * kFloat);
  }
  stream_->synchronise();
  std::vector<std::vector<std::int32_t>> rows = from.table_rows;
  mark_gradients_on_device(gradients_, std::move(rows), from);
}

void DeviceParameters::mark_gradients_on_device(const Plan& plan, Gradients& gradients) const {
  std::vector<std::vector<std::int32_t>> rows;
  for (const Slice touched : plan.touched) {
    const auto begin = plan.rows.begin() + touched.begin;
    rows.emplace_back(begin, begin + touched.count);
  }
  mark_gradients_on_device(gradients_, std::move(rows), gradients);
}

void DeviceParameters::mark_gradients_on_device(std::shared_ptr<Block> block,
                                                std::vector<std::vector<std::int32_t>> rows,
                                                Gradients& gradients) const {
  if (find(gradients) != nullptr)  // nobody has read the last gradients, so the host's tables are still zero
    for (std::vector<std::int32_t>& of_table : gradients.table_rows) of_table.clear();
  else
    clear(*parameters_, gradients);
  gradients.deferred.assign(gradients.size(), 0);
  gradients.deferred_by = 0;
  std::vector<Copy::Part> parts;
  for (int p = 0; p < parameters_->size(); ++p) {
    const ParameterInfo& info = program_.parameters[p];
    Copy::Part part{.begin = offsets_[p], .size = info.shape.size(), .to = gradients.offset(p)};
    if (info.table) {
      part.width = info.shape.dims[1];
      part.rows = gradients.table_rows[p] = std::move(rows[p]);
    }
    parts.push_back(std::move(part));
  }
  ParametersAccess::array(gradients).mark_copy_newest(std::make_shared<const Copy>(std::move(block), std::move(parts)));
}

}  // namespace cavs::cuda
