#include "execute/cuda_batched/launcher.h"

#include <fmt/format.h>

#include "cavs/error.h"
#include "execute/cuda_batched/kernel_times.h"
#include "execute/cuda_batched/kernel_work.h"

namespace cavs::cuda {

Launcher::Launcher(const DeviceRef& device, const LoadedKernels& kernels, LaunchForm form)
    : device_(device),
      kernels_(kernels),
      pass_(device),
      captured_(device),
      form_(form),
      begun_(device),
      joined_(device) {
  pass_.reserve(sizeof(Pass));
}

const Launcher::Levels& Launcher::graph(const LaunchItem& item, const LaunchLister::Level& level) {
  Levels& made = graphs_[{item.kernel, item.levels}];
  if (made.graph == nullptr)
    made.graph = std::make_unique<Graph>(device_, captured_, [&] {
      Launch launch{.pass = pass_.as<Pass>(), .entry = 0, .tile = 0, .of_stretch = 1};
      made.nodes = 1;
      kernels_.launch(captured_, kBeginStretch, launch, false);
      for (int k = 0; k < item.levels; ++k)
        for (const int kernel : level) {
          if (kernel != BatchedKernels::kNone) {
            ++made.nodes;
            kernels_.launch(captured_, kernel, launch, form_ == LaunchForm::kEarly);
          }
          ++launch.entry;
        }
    });
  return made;
}

void Launcher::launch_one(const Stream& stream, const LaunchItem& item, const EntryText& text_of,
                          LaunchCounts& counts) const {
  ++counts.launches;
  try {
    kernels_.launch(stream, item.kernel,
                    {.pass = pass_.as<Pass>(), .entry = item.entry, .tile = item.tile, .of_stretch = 0}, false);
    if (counts.times != nullptr) counts.times->add(stream, kind_of(kernels_.kernels(), item.kernel), item.use);
    if (form_ == LaunchForm::kWaited) stream.synchronise();
  } catch (const UserError& error) {
    if (form_ != LaunchForm::kWaited) throw;
    throw UserError(fmt::format("kernel {} failed{}: {}",
                                kernels_.kernels().kernels[static_cast<std::size_t>(item.kernel)].name,
                                text_of == nullptr ? "" : " (" + text_of(item.entry) + ")", error.what()));
  }
}

void Launcher::launch(const Stream& stream, std::span<const LaunchItem> items,
                      const std::vector<LaunchLister::Level>& levels, const EntryText& text_of, LaunchCounts& counts) {
  bool is_behind = true, has_branch = false;  // the branch must wait for launches; has launches
  for (const LaunchItem& item : items) {
    if (item.on_branch) {
      if (!branch_) branch_.emplace(device_, Priority::kLow);
      if (is_behind) order(stream, begun_, *branch_);
      launch_one(*branch_, item, text_of, counts);
      is_behind = false;
      has_branch = true;
      continue;
    }
    is_behind = true;
    if (item.joins && has_branch) {
      order(*branch_, joined_, stream);
      has_branch = false;
    }
    if (item.levels > 0) {
      const Levels& made = graph(item, levels[static_cast<std::size_t>(item.kernel)]);
      made.graph->launch(stream);
      ++counts.graphs;
      counts.nodes += made.nodes;
    } else {
      launch_one(stream, item, text_of, counts);
    }
  }
  if (has_branch) order(*branch_, joined_, stream);
}

void Launcher::order(const Stream& before, const Event& event, const Stream& after) {
  before.record(event);
  after.wait_for(event);
}

}  // namespace cavs::cuda
