#include "execute/cuda/device_batch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/cuda/entries/packed_script.h"

namespace cavs::cuda {
namespace {

constexpr std::int64_t kWord = sizeof(std::int32_t), kFloat = sizeof(float), kPointer = sizeof(const float*);
constexpr std::int64_t kLine = 256;  // alignment in bytes of the pieces of a buffer

std::int64_t aligned(std::int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

}  // namespace

DeviceBatch::DeviceBatch(const DeviceRef& device, const Program& program, const Stream& uploads)
    : program_(program),
      uploads_(uploads),
      pulls_(program),
      staged_(device),
      sent_(device),
      staged_header_(device),
      run_pulls_(device),
      sent_event_(device) {
  staged_header_.reserve(kHeaderWords * kWord);
}

/// Waits first, because the copy of a minibatch that was prepared and then dropped may still be in progress.
DeviceBatch::~DeviceBatch() {
  try {
    sent_event_.synchronise();
  } catch (const std::exception&) {  // the GPU has failed, which another call has already reported
  }
}

const Plan& DeviceBatch::begin(const PreparedBatch& batch) {
  sent_event_.synchronise();  // the copy of a dropped minibatch may still be in progress
  return pulls_.collect(batch.minibatch, batch.plan);
}

void DeviceBatch::send(const PreparedBatch& batch) {
  const std::vector<float*>& kept = batch.inputs.kept.states;
  const auto ports = static_cast<std::int64_t>(program_.float_ports.size());
  ports_at_ = aligned(std::ssize(words_) * kWord);
  const std::int64_t rows_at = ports_at_ + aligned((ports + std::ssize(kept)) * kPointer),
                     bytes = rows_at + pulls_.floats() * kFloat;
  staged_.reserve(bytes);
  sent_.reserve(bytes);
  auto* const to = staged_.as<char>();
  std::memcpy(to, words_.data(), words_.size() * kWord);
  for (std::int64_t port = 0; port < ports; ++port) {
    const DevicePointer at = sent_.at(rows_at + pulls_.begin(static_cast<std::size_t>(port)) * kFloat);
    std::memcpy(to + ports_at_ + port * kPointer, &at, kPointer);
  }
  std::ranges::copy(kept, reinterpret_cast<float**>(to + ports_at_) + ports);
  pulls_.copy(batch.minibatch, reinterpret_cast<float*>(to + rows_at));
  uploads_.upload(sent_.at(), to, bytes);
  uploads_.record(sent_event_);
}

void DeviceBatch::bring(const Stream& stream, const PreparedBatch& batch, float loss_gradient, std::int32_t entries) {
  stream.wait_for(sent_event_);
  send_run_pulls(stream, batch);
  std::int32_t header[kHeaderWords];
  std::copy_n(words_.begin(), kHeaderWords, header);
  header[kLossGradientWord] = std::bit_cast<std::int32_t>(loss_gradient);
  header[kEntryCountWord] = entries;
  if (std::equal(header, header + kHeaderWords, words_.begin())) return;
  auto* const to = staged_header_.as<std::int32_t>();
  std::copy_n(header, kHeaderWords, to);
  std::copy_n(header, kHeaderWords, words_.begin());
  stream.upload(sent_.at(), to, kHeaderWords * kWord);
}

void DeviceBatch::set(KernelArguments& arguments) const {
  arguments.pulls = reinterpret_cast<const float* const*>(sent_.at(ports_at_));
  arguments.words = sent_.as<int>();
}

/// Copies the rows of ports that the caller supplies for this run, in the order of the packed vertices.
void DeviceBatch::send_run_pulls(const Stream& stream, const PreparedBatch& batch) {
  const std::vector<const float*>& pulls = batch.inputs.pulls;
  const auto& ports = program_.float_ports;
  const std::int64_t vertices = batch.minibatch.vertices();
  std::int64_t floats = 0;
  for (std::size_t p = 0; p < ports.size(); ++p)
    if (pulls[p] != nullptr) floats += vertices * ports[p].width;
  if (floats == 0) return;
  run_pulls_.reserve(floats * kFloat);
  std::int64_t at = 0;
  for (std::size_t p = 0; p < ports.size(); ++p) {
    if (pulls[p] == nullptr) continue;
    const std::int64_t count = vertices * ports[p].width;
    const DevicePointer pointer = run_pulls_.at(at * kFloat);
    stream.upload(pointer, pulls[p], count * kFloat);
    stream.upload(sent_.at(ports_at_ + static_cast<std::int64_t>(p) * kPointer), &pointer, kPointer);
    at += count;
  }
}

}  // namespace cavs::cuda
