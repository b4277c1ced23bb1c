#include "execute/cuda_persistent/device_parameters.h"

#include <algorithm>

#include "backend/cuda/persistent/kernel_source.h"
#include "tensor/parameters_access.h"
#include "update/optimizer_access.h"

namespace cavs::cuda {
namespace {

using detail::OptimizerAccess;
using detail::ParametersAccess;

constexpr std::int64_t kFloat = sizeof(float);

}  // namespace

DeviceParameters::DeviceParameters(const DeviceRef& device, const Program& program,
                                   std::shared_ptr<Parameters> parameters)
    : device_(device),
      program_(program),
      parameters_(std::move(parameters)),
      offsets_(parameter_offsets(program)),
      store_(std::make_shared<Store>(device)),
      versions_(program.parameters.size()),
      is_here_(program.parameters.size()) {
  store_->values.reserve(std::max<std::int64_t>(offsets_.back(), 1) * kFloat);
  if (program.options.training) store_->gradients.reserve(std::max<std::int64_t>(offsets_.back(), 1) * kFloat);
}

/// A GPU that failed has lost them: whoever asks for them is told so.
DeviceParameters::~DeviceParameters() {
  for (int p = 0; p < parameters_->size(); ++p) {
    if (!ParametersAccess::is_evicted(*parameters_, p)) continue;
    try {
      ParametersAccess::restore(*parameters_, p);
    } catch (const std::exception&) {
    }
  }
}

void DeviceParameters::begin(KernelArguments& arguments) {
  for (int p = 0; p < parameters_->size(); ++p) {
    const std::uint64_t version = parameters_->version(p);
    if (is_here_[p] != 0 && versions_[p] == version) continue;
    store_->stream.upload(store_->values.at(offsets_[p] * kFloat), parameters_->values(p).data(), size(p) * kFloat);
    versions_[p] = version, is_here_[p] = 1;
  }
  arguments.parameters = store_->values.as<float>();
  arguments.gradients = store_->gradients.as<float>();
}

void DeviceParameters::begin_update(Optimizer& optimizer, KernelArguments& arguments) {
  if (optimizer.slots() == 0) return;
  if (slots_ == nullptr || OptimizerAccess::kept_by(optimizer) != slots_.get()) send_state(optimizer);
  for (int s = 0; s < optimizer.slots(); ++s)
    arguments.slots[s] = slots_->memory.as<float>() + static_cast<std::size_t>(s) * offsets_.back();
}

/// Into memory of its own: another optimiser may have its state in what there is.
void DeviceParameters::send_state(const Optimizer& optimizer) {
  if (slots_ == nullptr || slots_.use_count() > 1) slots_ = std::make_shared<Slots>(store_, device_);
  slots_->memory.reserve(std::max<std::int64_t>(optimizer.slots() * offsets_.back(), 1) * kFloat);
  for (int s = 0; s < optimizer.slots(); ++s)
    for (int p = 0; p < parameters_->size(); ++p)
      store_->stream.upload(slots_->memory.at((s * offsets_.back() + offsets_[p]) * kFloat),
                            optimizer.slot(s, p).data(), size(p) * kFloat);
}

void DeviceParameters::end_update(Optimizer& optimizer) {
  if (optimizer.slots() > 0 && !OptimizerAccess::is_elsewhere(optimizer))
    OptimizerAccess::keep_elsewhere(
        optimizer, slots_, [kept = slots_, offsets = offsets_](OptimizerAccess::State& state) {
          for (std::size_t s = 0; s < state.size(); ++s)
            for (std::size_t p = 0; p < state[s].size(); ++p)
              kept->store->stream.download(
                  state[s][p].data(),
                  kept->memory.at((static_cast<std::int64_t>(s) * offsets.back() + offsets[p]) * kFloat),
                  std::ssize(state[s][p]) * kFloat);
          kept->store->stream.synchronise();
        });
  for (int p = 0; p < parameters_->size(); ++p)
    if (optimizer.frozen()[p] == 0) evict(p);
}

/// Memory that the caller has bound gets the new values at once.
void DeviceParameters::evict(int p) {
  const std::int64_t at = offsets_[p] * kFloat, bytes = size(p) * kFloat;
  const auto fetch = [store = store_, at, bytes](float* values) {
    store->stream.download(values, store->values.at(at), bytes);
    store->stream.synchronise();
  };
  if (!ParametersAccess::is_owned(*parameters_, p))
    fetch(parameters_->values(p).data());
  else if (!ParametersAccess::is_evicted(*parameters_, p))
    ParametersAccess::evict(*parameters_, p, fetch);
}

void DeviceParameters::mark_fresh() {
  for (int p = 0; p < parameters_->size(); ++p) versions_[p] = parameters_->version(p);
}

void DeviceParameters::read_gradients(const Plan& plan, Gradients& gradients) const {
  clear(*parameters_, gradients);
  gradients.deferred.assign(gradients.values.size(), 0), gradients.deferred_by = 0;
  std::vector<float> table;
  for (int p = 0; p < parameters_->size(); ++p) {
    const bool is_table = program_.parameters[p].table;
    if (is_table) table.resize(gradients.values[p].size());
    float* const to = is_table ? table.data() : gradients.values[p].data();
    store_->stream.download(to, store_->gradients.at(offsets_[p] * kFloat), size(p) * kFloat);
    if (!is_table) continue;
    store_->stream.synchronise();
    const std::int64_t width = program_.parameters[p].shape.dims[1];
    for (std::int32_t k = 0; k < plan.touched[p].count; ++k) {
      const std::int32_t row = plan.rows[plan.touched[p].begin + k];
      std::copy_n(table.begin() + row * width, width, gradients.values[p].begin() + row * width);
      gradients.table_rows[p].push_back(row);
    }
  }
  store_->stream.synchronise();
}

}  // namespace cavs::cuda
