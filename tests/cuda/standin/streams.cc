// Streams and events of the stand-in (a model of CUDA's driver), which order work.

#include <algorithm>
#include <utility>

#include "cuda/standin/device_model.h"

namespace cavs::cuda {
namespace {

constexpr std::size_t kMostRecords = 256;  // maximum number of records of an event that are kept for later waits

}  // namespace

StreamOf* DeviceModel::create_stream(int priority) {
  auto stream = std::make_unique<StreamOf>();
  stream->number = races_.begin_stream();
  stream->is_low = priority >= 0;
  is_watched_ = is_watched_ || stream->is_low;
  StreamOf* const handle = stream.get();
  streams_.emplace(handle, std::move(stream));
  return handle;
}

Status DeviceModel::destroy_stream(StreamOf* stream) {
  if (!is_stream(stream)) return fault("a stream is destroyed that is not there");
  if (!stream->pending.empty()) return fault("a stream is destroyed whose work is not done");
  races_.end_stream(stream->number);
  streams_.erase(stream);
  return kSuccess;
}

/// Records that the current operation reads or writes device memory.
void DeviceModel::look(DevicePointer at, std::size_t bytes, bool writes) {
  if (!is_watched_ || bytes == 0) return;
  const Memory* const memory = find_device(at, bytes);
  if (memory == nullptr) return;
  const auto byte = static_cast<std::size_t>(reinterpret_cast<char*>(at) - memory->begin());
  if (!races_.access(memory->touches, memory->size, byte, bytes, writes) || racing_ == doing_) return;
  racing_ = doing_;
  fault(racing_ + (writes ? " writes" : " reads") + " what another stream may use: no event orders them");
}

Status DeviceModel::execute_next(StreamOf* stream) {
  Pending next = std::move(stream->pending.front());
  stream->pending.pop_front();
  StreamOf* const before = std::exchange(executing_, stream);
  stream->clock = std::max(stream->clock, next.asked);
  doing_ = next.what;
  races_.begin(stream->number, next.known);
  const Status status = next.run();
  executing_ = before;
  return status;
}

Status DeviceModel::synchronise(StreamOf* stream) {
  if (!is_stream(stream)) return fault("somebody waits for a stream that is not there");
  ++waits_;
  if (const Status status = finish(stream); status != kSuccess) return status;
  races_.host_learns(races_.done(stream->number));
  return execute_low();
}

Status DeviceModel::finish(StreamOf* stream) {
  while (!stream->pending.empty())
    if (const Status status = execute_next(stream); status != kSuccess) return status;
  return kSuccess;
}

Status DeviceModel::execute_low() {
  for (auto& [stream, owner] : streams_)
    while (stream->is_low && !stream->pending.empty())
      if (const Status status = execute_next(stream); status != kSuccess) return status;
  return kSuccess;
}

EventOf* DeviceModel::create_event() {
  auto event = std::make_unique<EventOf>();
  EventOf* const handle = event.get();
  events_.emplace(handle, std::move(event));
  return handle;
}

Status DeviceModel::destroy_event(EventOf* event) {
  if (!events_.contains(event)) return fault("an event is destroyed that is not there");
  if (is_in_use(static_cast<const void*>(event)))
    return fault("an event is destroyed that work under way waits for, or records");
  events_.erase(event);
  return kSuccess;
}

Status DeviceModel::record(EventOf* event, StreamOf* stream) {
  if (!events_.contains(event)) return fault("an event is recorded that is not there");
  const std::int64_t number = ++records_;
  event->recorded = number;
  event->stream = stream;
  return enqueue(stream, {"a record", {static_cast<const void*>(event)}, [=, this] {
                            event->known[number] = races_.done(stream->number);
                            if (event->known.size() > kMostRecords) event->known.erase(event->known.begin());
                            event->done = number;
                            event->time = stream->clock;
                            return kSuccess;
                          }});
}

Status DeviceModel::execute_until(EventOf* event, StreamOf* stream, std::int64_t recorded) {
  while (event->done < recorded) {
    if (stream->pending.empty()) return fault("an event waits for itself");
    if (const Status status = execute_next(stream); status != kSuccess) return status;
  }
  return kSuccess;
}

Status DeviceModel::wait_event(StreamOf* stream, EventOf* event) {
  if (!events_.contains(event)) return fault("a stream waits for an event that is not there");
  if (++event_waits_ == StandIn::of_environment().ignored_wait) return kSuccess;
  return enqueue(stream, {"a wait",
                          {static_cast<const void*>(event)},
                          [this, stream, event, recording = event->stream, recorded = event->recorded] {
                            const Status status = execute_until(event, recording, recorded);
                            if (recorded > 0) races_.learn(stream->number, event->known[recorded]);
                            if (StandIn::of_environment().kernel_ns > 0)
                              stream->clock = std::max(stream->clock, event->time);
                            return status;
                          }});
}

Status DeviceModel::synchronise(EventOf* event) {
  if (!events_.contains(event)) return fault("somebody waits for an event that is not there");
  ++waits_;
  const Status status = execute_until(event, event->stream, event->recorded);
  if (status == kSuccess && event->recorded > 0) races_.host_learns(event->known[event->recorded]);
  return status == kSuccess ? execute_low() : status;
}

Status DeviceModel::query(EventOf* event) const { return event->done < event->recorded ? kNotReady : kSuccess; }

}  // namespace cavs::cuda
