#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/cuda/batched/kernel_source.h"
#include "backend/cuda/batched/launch.h"
#include "backend/cuda/batched/tile_choice.h"
#include "plan/plan.h"
#include "script/script.h"

namespace cavs::cuda {

/// A launch of a script, or a graph of launches.
struct LaunchItem {
  int kernel = 0;          // for a graph, the kind of its levels: a number in LaunchLister::levels()
  int entry = 0;           // for a graph, its first entry
  int tile = 0;            // see Launch::tile
  int levels = 0;          // number of levels of a graph; 0 for a launch
  TileUse use{};           // tiles of the product; not set for other launches
  bool joins = false;      // true if it waits for earlier launches on the branch
  bool on_branch = false;  // true on the branch: runs after earlier launches, at the same time as later ones
};

/// The launches of a script, in order.
struct LaunchList {
  std::vector<LaunchItem> items;
  std::vector<Stretch> stretches;    // stretches of the graphs, in order
  std::size_t backward = 0;          // number of the first item of ∂F
  std::size_t backward_stretch = 0;  // number of the first stretch of ∂F
};

/// Lists the launches of a program's scripts. An entry is one launch, a tile of logits is four, and a view is none.
/// Gradients of the weights of the last tile are at the beginning of ∂F. Consecutive tasks form a graph if their types
/// repeat. A level is a task or, if types alternate, up to kMostTasks tasks; all levels of a graph have the same
/// launches. The kinds of levels found so far are kept. Not thread-safe.
class LaunchLister {
 public:
  /// All arguments must outlive this object. @param graphs  true if tasks form graphs
  LaunchLister(const Program& program, const KernelTables& tables, const BatchedKernels& kernels,
               const TileCosts& costs, bool graphs)
      : program_(program), tables_(tables), kernels_(kernels), costs_(costs), graphs_(graphs) {}

  /// @param script  written by a ScriptWriter for launches (LaunchedChunks)
  /// Cost: linear in the number of entries. Allocates nothing once grown to the largest script.
  /// @param only  size of all tiles of products, for measurements
  void list(const Plan& plan, const Script& script, LaunchList& launches, std::optional<TileSize> only = std::nullopt);
  const TileCosts& costs() const { return costs_; }
  void set_costs(const TileCosts& costs) { costs_ = costs; }

  /// [entries of a level] number of the kernel; BatchedKernels::kNone for an entry without a kernel.
  using Level = std::vector<int>;
  const std::vector<Level>& levels() const { return levels_; }

 private:
  struct Task {
    std::int32_t type = 0;
    Stretch entries = {};
  };
  static constexpr std::size_t kMostTasks = 4;    // per level
  static constexpr std::size_t kMostLevels = 64;  // per graph

  int kernel_of(const ScriptEntry& entry, std::int64_t rows, TileUse& use) const;
  int choose(const KernelsBySize& kernels, std::int64_t rows, std::int64_t units, int gates, std::int64_t depth,
             TileSize last, TileUse& use) const;
  const Instruction& instruction_of(const ScriptEntry& entry) const;
  void begin_backward();
  bool has_branch() const;
  TileSize largest_of(const ScriptEntry& entry) const;
  void add(const ScriptEntry& entry);
  void add_entropies(const ScriptEntry& entry, int number, const Instruction& instruction);
  std::int64_t rows_of_levels(Stretch entries, std::int32_t of_level, std::int32_t number) const;
  void add_stretches();
  static std::size_t repeats(std::span<const Task> tasks, std::size_t period);
  void add_stretch(std::span<const Task> tasks, std::size_t period);
  static int graph_levels(std::size_t levels);

  const Program& program_;
  const KernelTables& tables_;
  const BatchedKernels& kernels_;
  TileCosts costs_;
  std::optional<TileSize> only_;
  const bool graphs_;
  std::vector<Level> levels_;
  Level level_;                       // the level of the current stretch
  std::vector<LaunchItem> deferred_;  // items of F that are left to ∂F
  std::vector<Task> tasks_;           // consecutive tasks that are in no stretch yet
  const Plan* plan_ = nullptr;
  const Script* script_ = nullptr;
  LaunchList* list_ = nullptr;
};

}  // namespace cavs::cuda
