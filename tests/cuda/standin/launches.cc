// Launches of kernels in the stand-in (a model of CUDA's driver), one by one or as captured graphs.

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/cuda/entries/packed_script.h"
#include "cuda/fibers/fibers.h"
#include "cuda/standin/device_model.h"

namespace cavs::cuda {

Status DeviceModel::launch(FunctionOf* function, unsigned blocks, unsigned threads, unsigned shared_bytes,
                           const void* argument, StreamOf* stream) {
  if (!is_known(function)) return fault("a kernel is launched that was unloaded");
  const bool has_kernel = function->runs();
  if (static_cast<int>(shared_bytes) > function->most_shared)
    return fault("a launch gives more shared memory than its kernel was allowed");
  if (has_kernel && static_cast<int>(threads) != function->module->trailer.threads)
    return fault("a block of " + std::to_string(threads) + " threads is launched of a kernel for " +
                 std::to_string(function->module->trailer.threads));
  std::set<const void*> uses{static_cast<const void*>(function->module)};
  if (const auto* const kernel = std::get_if<void (*)(Launch)>(&function->kernel)) {
    const Launch given = *static_cast<const Launch*>(argument);
    const Memory* const pass = find_device(reinterpret_cast<DevicePointer>(given.pass), sizeof(Pass));
    if (pass == nullptr) return fault("a launch without memory of what launches share");
    uses.insert(static_cast<const void*>(pass->begin()));
    return enqueue(stream, {Pending::kLaunch, uses, [=, this] {
                              return run_kernel(*function, static_cast<int>(blocks), static_cast<int>(shared_bytes),
                                                given.pass->arguments, [=] { (*kernel)(given); });
                            }});
  }
  if (static_cast<int>(blocks) > StandIn::of_environment().processors) return kLaunchTooLarge;
  const KernelArguments arguments = *static_cast<const KernelArguments*>(argument);
  for (const auto& [at, memory] : device_)
    for (const void* const p :
         {static_cast<const void*>(arguments.arena), static_cast<const void*>(arguments.parameters),
          static_cast<const void*>(arguments.gradients), static_cast<const void*>(arguments.slots[0]),
          static_cast<const void*>(arguments.slots[1]), static_cast<const void*>(arguments.pulls),
          static_cast<const void*>(arguments.words), static_cast<const void*>(arguments.progress),
          static_cast<const void*>(arguments.squares), static_cast<const void*>(arguments.result)})
      if (p >= at && p < at + memory.size) uses.insert(static_cast<const void*>(at));
  return enqueue(stream,
                 {Pending::kLaunch, uses, [=, this] {
                    if (const Status status = check_launch(arguments, static_cast<int>(blocks)); status != kSuccess)
                      return status;
                    return run_kernel(*function, static_cast<int>(blocks), static_cast<int>(shared_bytes), arguments,
                                      [=] { std::get<void (*)(KernelArguments)>(function->kernel)(arguments); });
                  }});
}

/// Checks that every pointer refers to existing memory, and that the memory is large enough where its size is known.
Status DeviceModel::check_launch(const KernelArguments& a, int blocks) {
  if (const Status status = check_arguments(a); status != kSuccess) return status;
  const std::size_t counters = (static_cast<std::size_t>(blocks) + 1) * kCounterStride;
  if (find_device(reinterpret_cast<DevicePointer>(a.progress), counters * 4) == nullptr)
    return fault("a launch with too few counters");
  if (std::any_of(a.progress, a.progress + counters, [](unsigned count) { return count != 0; }))
    return fault("a launch with counters that are not 0");
  return kSuccess;
}

Status DeviceModel::check_arguments(const KernelArguments& a) {
  const auto has = [&](const void* p, std::size_t bytes) {
    return find_device(reinterpret_cast<DevicePointer>(p), bytes) != nullptr;
  };
  const bool adds = has(a.gradients, 4) && has(a.addend, 4), averages = has(a.parameters, 4) && has(a.averages, 4);
  const bool keeps = has(a.copies.rows, sizeof(RowCopy)) && has(a.copies.widths, 4) && has(a.copies.finite, 4);
  const bool searches = has(a.search.logits, sizeof(float*)) && has(a.search.forced, 4) && has(a.search.best, 8);
  if (a.words == nullptr && (adds || averages || keeps || searches)) return kSuccess;
  if (!has(a.words, kHeaderWords * 4)) return fault("a launch without a script");
  if (a.words[kMagicWord] != kMagic) return fault("a launch before its script is there");
  if (a.words[kSizeWord] < kHeaderWords || !has(a.words, static_cast<std::size_t>(a.words[kSizeWord]) * 4))
    return fault("a launch with a script that is longer than its memory");
  const bool has_parameters = a.weights == nullptr ? has(a.parameters, 4) : has(a.weights, 8) && has(a.callers, 8);
  const bool has_values = a.words[kEntryCountWord] == 0 || has(a.arena, 4);
  if (!has_parameters || !has_values || !has(a.steps, sizeof(ParameterStep)))
    return fault("a launch without memory of its parameters, values or steps");
  const bool goes_back = a.words[kBackwardWord] < a.words[kEntryCountWord],
             updates = a.words[kUpdateWord] < a.words[kEntryCountWord];
  if (goes_back && !has(a.gradients, 4)) return fault("a launch without memory of its gradients");
  if (updates && (!has(a.squares, 8) || !has(a.result, sizeof(StepResult))))
    return fault("a launch without memory of its result");
  const bool takes_one = a.rule != UpdateRule::kSgd,
             takes_two = a.rule == UpdateRule::kAdam || a.rule == UpdateRule::kAdamW;
  if (updates && ((takes_one && !has(a.slots[0], 4)) || (takes_two && !has(a.slots[1], 4))))
    return fault("a launch without memory of the optimiser's state");
  return kSuccess;
}

Status DeviceModel::run_kernel(const FunctionOf& function, int blocks, int shared_bytes,
                               const KernelArguments& arguments, const std::function<void()>& kernel) {
  if (const Status status = check_arguments(arguments); status != kSuccess) return status;
  const StandIn like = StandIn::of_environment();
  if (++launches_ == like.fail_launch) {
    failed_kernel_ = function.name;
    return broken_ = like.fail_with;
  }
  executing_->clock += like.kernel_ns > 0
                           ? like.kernel_ns * 1e-6
                           : 1 + 0.01 * (255 - function.module->trailer.registers);  // faster with more registers
  if (!function.runs()) {
    std::size_t values = 0;
    const Memory* const arena = find_device(reinterpret_cast<DevicePointer>(arguments.arena), 0, &values);
    if (arguments.weights != nullptr)  // memory of the caller, who may have other data behind the arena
      values = static_cast<std::size_t>(reinterpret_cast<const char*>(arguments.pulls) -
                                        reinterpret_cast<const char*>(arguments.arena));
    if (!std::exchange(arena->is_clear, true)) std::memset(arguments.arena, 0, values);
    if (arguments.result != nullptr) *arguments.result = {.loss = 0, .norm = 0, .updated = 1, .unused = 0};
    return kSuccess;
  }
  doing_ = function.name.c_str();
  const AccessWatcher watcher{[](void* model, const void* at, int bytes, bool writes) {
                                static_cast<DeviceModel*>(model)->look(reinterpret_cast<DevicePointer>(at),
                                                                       static_cast<std::size_t>(bytes), writes);
                              },
                              this};
  launch_on_fibers(blocks, function.module->trailer.threads, static_cast<std::uint64_t>(launches_), kernel,
                   shared_bytes, is_watched_ ? &watcher : nullptr);
  for (const auto& [at, memory] : device_)
    if (!memory.is_whole()) return fault("a kernel has written beside its memory");
  return kSuccess;
}

Status DeviceModel::begin_capture(StreamOf* stream) {
  if (!is_stream(stream) || stream->captured != nullptr)
    return fault("a capture begins on a stream that has one, or is none");
  stream->captured = std::make_unique<GraphOf>();
  return kSuccess;
}

Status DeviceModel::end_capture(StreamOf* stream, GraphOf** graph) {
  if (!is_stream(stream) || stream->captured == nullptr) return fault("a capture ends that has not begun");
  *graph = stream->captured.get();
  graphs_.emplace(*graph, std::move(stream->captured));
  return kSuccess;
}

Status DeviceModel::instantiate(GraphExecOf** exec, GraphOf* graph) {
  if (!graphs_.contains(graph)) return fault("a graph is instantiated that is not there");
  auto made = std::make_unique<GraphExecOf>();
  for (const Pending& launch : graph->launches) made->uses.insert(launch.uses.begin(), launch.uses.end());
  made->launches = std::make_shared<const std::vector<Pending>>(graph->launches);
  *exec = made.get();
  graph_execs_.emplace(*exec, std::move(made));
  return kSuccess;
}

Status DeviceModel::launch(GraphExecOf* exec, StreamOf* stream) {
  if (!graph_execs_.contains(exec)) return fault("a graph is launched that is not there");
  ++graph_launches_;
  return enqueue(stream, {Pending::kLaunch, exec->uses, [launches = exec->launches] {
                            for (const Pending& launch : *launches)
                              if (const Status status = launch.run(); status != kSuccess) return status;
                            return kSuccess;
                          }});
}

Status DeviceModel::destroy(GraphOf* graph) {
  return graphs_.erase(graph) == 1 ? kSuccess : fault("a graph is destroyed that is not there");
}

Status DeviceModel::destroy(GraphExecOf* exec) {
  return graph_execs_.erase(exec) == 1 ? kSuccess : fault("a graph is destroyed that is not there");
}

}  // namespace cavs::cuda
