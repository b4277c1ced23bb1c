#include "execute/cuda_batched/launcher.h"

#include <fmt/format.h>

#include "cavs/error.h"

namespace cavs::cuda {

Launcher::Launcher(const DeviceRef& device, const LoadedKernels& kernels, LaunchForm form)
    : device_(device), kernels_(kernels), pass_(device), form_(form) {
  pass_.reserve(sizeof(Pass));
}

const Graph& Launcher::graph(const LaunchItem& item, const LaunchLister::Level& level) {
  std::unique_ptr<Graph>& made = graphs_[{item.kernel, item.levels}];
  if (made == nullptr)
    made = std::make_unique<Graph>(device_, [&](const Stream& stream) {
      Launch launch{.pass = pass_.as<Pass>(), .entry = 0, .tile = 0, .of_stretch = 1};
      kernels_.launch(stream, kBeginStretch, launch, false);
      for (int k = 0; k < item.levels; ++k)
        for (const int kernel : level) {
          if (kernel != BatchedKernels::kNone) kernels_.launch(stream, kernel, launch, form_ == LaunchForm::kEarly);
          ++launch.entry;
        }
    });
  return *made;
}

void Launcher::launch_one(const Stream& stream, const LaunchItem& item, const EntryText& text_of) const {
  try {
    kernels_.launch(stream, item.kernel,
                    {.pass = pass_.as<Pass>(), .entry = item.entry, .tile = item.tile, .of_stretch = 0}, false);
    if (form_ == LaunchForm::kWaited) stream.synchronise();
  } catch (const UserError& error) {
    if (form_ != LaunchForm::kWaited) throw;
    throw UserError(fmt::format("kernel {} failed{}: {}",
                                kernels_.kernels().names[static_cast<std::size_t>(item.kernel)],
                                text_of == nullptr ? "" : " (" + text_of(item.entry) + ")", error.what()));
  }
}

void Launcher::launch(const Stream& stream, std::span<const LaunchItem> items,
                      const std::vector<LaunchLister::Level>& levels, const EntryText& text_of) {
  for (const LaunchItem& item : items)
    if (item.levels > 0)
      graph(item, levels[static_cast<std::size_t>(item.kernel)]).launch(stream);
    else
      launch_one(stream, item, text_of);
}

}  // namespace cavs::cuda
