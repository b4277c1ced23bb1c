#include "cuda/standin/device_model.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

namespace cavs::cuda {
namespace {

constexpr unsigned char kGuardByte = 0xA5, kUnwritten = 0xFF, kNotYet = 0xDB;

thread_local DeviceModel* of_thread = nullptr;  // the device whose context is current on this thread

std::uint64_t hash_of(const void* bytes, std::size_t count) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001B3U;
  return hash;
}

const void* key(const void* p) { return p; }

/// Returns the host's time in milliseconds; 0 if no time passes (kernel_ns is 0).
double now() {
  if (StandIn::of_environment().kernel_ns == 0) return 0;
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

/// Returns the properties in CAVS_STANDIN, which is parsed again if its text has changed. Every call of the driver
/// calls this function.
StandIn StandIn::of_environment() {
  thread_local std::string before;
  thread_local StandIn s;
  const char* const given = std::getenv("CAVS_STANDIN");
  const char* const text = given == nullptr ? "" : given;
  if (before == text) return s;
  before = text;
  s = {};
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const long long value = std::stoll(word.substr(equals + 1));
    const std::map<std::string, int*> numbers{
        {"processors", &s.processors}, {"threads", &s.threads},         {"shared", &s.shared},
        {"compute", &s.compute},       {"cooperative", &s.cooperative}, {"devices", &s.devices},
        {"registers", &s.registers},   {"fail_launch", &s.fail_launch}, {"fail_with", &s.fail_with},
        {"kernels", &s.kernels},       {"kernel_ns", &s.kernel_ns},     {"call_ns", &s.call_ns},
        {"lose_wait", &s.ignored_wait}};
    if (name == "memory")
      s.memory = value;
    else
      *numbers.at(name) = static_cast<int>(value);
  }
  return s;
}

DeviceModel& DeviceModel::of(int number) {
  static DeviceModel models[kMost];
  return models[number];
}

DeviceModel& DeviceModel::current() { return of_thread == nullptr ? of(0) : *of_thread; }

std::string DeviceModel::take_faults() {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const std::string& fault : faults_) text += fault + "\n";
  faults_.clear();
  racing_.clear();
  return text;
}

Status DeviceModel::fault(const std::string& text) {
  const std::lock_guard lock(mutex_);
  std::fprintf(stderr, "stand-in for a GPU: %s\n", text.c_str());
  faults_.push_back(text);
  return 1;  // CUDA_ERROR_INVALID_VALUE
}

Status DeviceModel::retain() {
  const std::lock_guard lock(mutex_);
  ++contexts_;
  return kSuccess;
}

/// The program must free everything before it releases the last context, unless a kernel has failed: then it cannot.
Status DeviceModel::release() {
  const std::lock_guard lock(mutex_);
  if (contexts_ == 0) return fault("a context is released that nobody has");
  if (--contexts_ > 0) return kSuccess;
  if (broken_ == kSuccess && (!device_.empty() || !host_.empty() || !streams_.empty() || !events_.empty() ||
                              !modules_.empty() || !graphs_.empty() || !graph_execs_.empty()))
    fault("the context goes with " + std::to_string(device_.size()) + " pieces of device memory, " +
          std::to_string(host_.size()) + " of host memory, " + std::to_string(streams_.size()) + " streams, " +
          std::to_string(events_.size()) + " events, " + std::to_string(modules_.size()) + " modules, " +
          std::to_string(graphs_.size() + graph_execs_.size()) + " graphs");
  device_.clear();
  host_.clear();
  streams_.clear();
  events_.clear();
  functions_.clear();
  modules_.clear();
  lent_.clear();
  graphs_.clear();
  graph_execs_.clear();
  races_ = {};
  is_watched_ = false;
  broken_ = kSuccess;
  if (of_thread == this) of_thread = nullptr;
  return kSuccess;
}

Status DeviceModel::make_current() {
  const std::lock_guard lock(mutex_);
  if (contexts_ == 0) return fault("a context is made current that was released");
  of_thread = this;
  return kSuccess;
}

Status DeviceModel::make_none_current() {
  of_thread = nullptr;
  return kSuccess;
}

bool DeviceModel::is_current() const { return of_thread == this && contexts_ > 0; }

bool DeviceModel::Memory::is_whole() const {
  const auto is_guard = [](const char* p) {
    return std::all_of(p, p + kGuard, [](char c) { return static_cast<unsigned char>(c) == kGuardByte; });
  };
  return is_guard(bytes.get()) && is_guard(begin() + size);
}

std::int64_t DeviceModel::free_memory() const {
  std::int64_t used = 0;
  for (const auto& [at, memory] : device_) used += static_cast<std::int64_t>(memory.size);
  return StandIn::of_environment().memory - used;
}

Status DeviceModel::allocate(DevicePointer* at, std::size_t bytes) {
  if (bytes == 0) return fault("an allocation of device memory has 0 bytes");
  if (static_cast<std::int64_t>(bytes) > free_memory()) return kOutOfMemory;
  Memory memory{std::make_unique_for_overwrite<char[]>(bytes + 2 * kGuard), bytes};
  std::memset(memory.bytes.get(), kGuardByte, bytes + 2 * kGuard);
  std::memset(memory.begin(), kUnwritten, bytes);  // NaN as floats
  char* const begin = memory.begin();
  *at = reinterpret_cast<DevicePointer>(begin);
  device_.emplace(begin, std::move(memory));
  return kSuccess;
}

Status DeviceModel::free(DevicePointer at) {
  const auto found = device_.find(reinterpret_cast<char*>(at));
  if (found == device_.end()) return fault("device memory is freed that was not allocated, or was freed before");
  if (is_in_use(key(found->first))) return fault("device memory is freed that work under way uses");
  if (!found->second.is_whole()) fault("something was written beside device memory");
  device_.erase(found);
  return kSuccess;
}

/// Registers memory of a framework. Merges overlapping pieces, which may be views of each other, or freed memory.
void DeviceModel::lend(void* at, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  char *begin = static_cast<char*>(at), *end = begin + bytes;
  for (auto next = lent_.begin(); next != lent_.end();) {
    char *const first = next->first, *const last = first + next->second.size;
    if (last <= begin || end <= first) {
      ++next;
      continue;
    }
    begin = std::min(begin, first);
    end = std::max(end, last);
    next = lent_.erase(next);
  }
  Memory memory;
  memory.lent = begin;
  memory.size = static_cast<std::size_t>(end - begin);
  lent_.emplace(begin, std::move(memory));
}

Status DeviceModel::allocate_host(void** at, std::size_t bytes) {
  if (bytes == 0) return fault("an allocation of host memory has 0 bytes");
  Memory memory{std::make_unique_for_overwrite<char[]>(bytes + 2 * kGuard), bytes};
  std::memset(memory.bytes.get(), kGuardByte, bytes + 2 * kGuard);
  std::memset(memory.begin(), kUnwritten, bytes);
  *at = memory.begin();
  host_.emplace(memory.begin(), std::move(memory));
  return kSuccess;
}

Status DeviceModel::free_host(void* at) {
  const auto found = host_.find(static_cast<char*>(at));
  if (found == host_.end()) return fault("host memory is freed that was not allocated, or was freed before");
  if (is_in_use(key(found->first))) return fault("host memory is freed that work under way uses");
  if (!found->second.is_whole()) fault("something was written beside host memory");
  host_.erase(found);
  return kSuccess;
}

/// Returns the piece of memory that contains all of these bytes, or nullptr. @param after  gets the number of bytes
/// from `at` to the end of the piece
const DeviceModel::Memory* DeviceModel::find_device(DevicePointer at, std::size_t bytes, std::size_t* after) const {
  char* const p = reinterpret_cast<char*>(at);
  for (const auto* const pieces : {&device_, &lent_}) {
    const auto next = pieces->upper_bound(p);
    if (next == pieces->begin()) continue;
    const Memory& memory = std::prev(next)->second;
    const auto offset = static_cast<std::size_t>(p - memory.begin());
    if (offset > memory.size || bytes > memory.size - offset) continue;
    if (after != nullptr) *after = memory.size - offset;
    return &memory;
  }
  return nullptr;
}

const DeviceModel::Memory* DeviceModel::find_host(const void* at, std::size_t bytes) const {
  auto* const p = static_cast<char*>(const_cast<void*>(at));
  auto next = host_.upper_bound(p);
  if (next == host_.begin()) return nullptr;
  const Memory& memory = std::prev(next)->second;
  const auto offset = static_cast<std::size_t>(p - memory.begin());
  return offset >= memory.size || bytes > memory.size - offset ? nullptr : &memory;
}

bool DeviceModel::is_in_use(const void* what) const {
  return std::ranges::any_of(streams_, [&](const auto& stream) {
    return std::ranges::any_of(stream.first->pending, [&](const Pending& o) { return o.uses.contains(what); });
  });
}

bool DeviceModel::is_launched() const {
  return std::ranges::any_of(streams_, [](const auto& stream) {
    return std::ranges::any_of(stream.first->pending, [](const Pending& o) { return o.what == Pending::kLaunch; });
  });
}

Status DeviceModel::enqueue(StreamOf* stream, Pending operation) {
  if (!is_stream(stream)) return fault(std::string(operation.what) + " on a stream that is not there");
  if (stream->captured != nullptr) {
    if (operation.what != Pending::kLaunch) return fault(std::string(operation.what) + " while launches are captured");
    stream->captured->launches.push_back(std::move(operation));
    return kSuccess;
  }
  operation.asked = now();
  operation.known = races_.host();
  stream->pending.push_back(std::move(operation));
  return stream == &default_stream_ ? finish(stream) : kSuccess;
}

Status DeviceModel::upload(DevicePointer to, const void* from, std::size_t bytes, StreamOf* stream) {
  const Memory* const memory = find_device(to, bytes);
  if (memory == nullptr) return fault("a copy to the device leaves its memory");
  char* const at = reinterpret_cast<char*>(to);
  const Memory* const pinned = find_host(from, bytes);
  if (is_launched()) ++uploads_beside_launches_;
  copied_bytes_ += static_cast<std::int64_t>(bytes);
  if (pinned == nullptr) {  // the driver copies the data before the call returns
    auto copy =
        std::make_shared<std::vector<char>>(static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
    return enqueue(stream, {"an upload", {key(memory->begin())}, [=, this] {
                              look(to, bytes, true);
                              std::ranges::copy(*copy, at);
                              return kSuccess;
                            }});
  }
  const bool is_watched = now() == 0;  // accesses are not checked if time passes: checks would take time
  return enqueue(stream, {"an upload",
                          {key(memory->begin()), key(pinned->begin())},
                          [=, this, hash = is_watched ? hash_of(from, bytes) : 0] {
                            if (is_watched && hash_of(from, bytes) != hash)
                              return fault("host memory was changed before it was copied to the device");
                            look(to, bytes, true);
                            std::memcpy(at, from, bytes);
                            return kSuccess;
                          }});
}

Status DeviceModel::download(void* to, DevicePointer from, std::size_t bytes, StreamOf* stream) {
  const Memory* const memory = find_device(from, bytes);
  if (memory == nullptr) return fault("a copy from the device leaves its memory");
  const Memory* const pinned = find_host(to, bytes);
  copied_bytes_ += static_cast<std::int64_t>(bytes);
  std::set<const void*> uses{key(memory->begin())};
  if (pinned != nullptr) {
    uses.insert(key(pinned->begin()));
    std::memset(to, kNotYet, bytes);
  }
  const Status status = enqueue(stream, {"a download", uses, [=, this] {
                                           look(from, bytes, false);
                                           std::memcpy(to, reinterpret_cast<const char*>(from), bytes);
                                           return kSuccess;
                                         }});
  return status != kSuccess || pinned != nullptr ? status : synchronise(stream);
}

Status DeviceModel::copy(DevicePointer to, DevicePointer from, std::size_t bytes, StreamOf* stream) {
  const Memory *const target = find_device(to, bytes), *const source = find_device(from, bytes);
  if (target == nullptr || source == nullptr) return fault("a copy in the device leaves its memory");
  return enqueue(stream, {"a copy", {key(target->begin()), key(source->begin())}, [=, this] {
                            look(from, bytes, false);
                            look(to, bytes, true);
                            std::memcpy(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), bytes);
                            return kSuccess;
                          }});
}

Status DeviceModel::fill(DevicePointer to, unsigned value, std::size_t count, StreamOf* stream) {
  const Memory* const memory = find_device(to, 4 * count);
  if (memory == nullptr) return fault("a fill leaves its memory");
  return enqueue(stream, {"a fill", {key(memory->begin())}, [=, this] {
                            look(to, 4 * count, true);
                            std::fill_n(reinterpret_cast<unsigned*>(to), count, value);
                            return kSuccess;
                          }});
}

void DeviceModel::pass_call() { wait_until(now() + StandIn::of_environment().call_ns * 1e-6); }

void DeviceModel::wait_until(double time) {
  for (double left = now(); left > 0 && left < time;) left = now();
}

}  // namespace cavs::cuda
