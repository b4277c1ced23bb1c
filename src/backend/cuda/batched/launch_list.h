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

/// A launch, or a graph of launches, of a script.
struct LaunchItem {
  int kernel = 0;          // of a graph: which level it has, LaunchLister::levels()
  int entry = 0;           // of a graph: its first
  int tile = 0;            // of logits
  int levels = 0;          // of a graph; 0: it is a launch
  TileUse use{};           // of a launch
  bool joins = false;      // needs those on the branch that come before
  bool on_branch = false;  // beside those that follow and are not; needs all that come before
};

/// What carries out a script, in order.
struct LaunchList {
  std::vector<LaunchItem> items;
  std::vector<Stretch> stretches;  // of the graphs, in order
  std::size_t backward = 0;        // the first item of ∂F
  std::size_t backward_stretch = 0;
};

/// Says what launches carry out a program's scripts: one per entry, four per tile of logits, none for a view. Gradients
/// of weights of the last tile come at the beginning of ∂F. Tasks
/// that follow each other make a graph where their types repeat: a level has one task or, where those of several types
/// alternate, up to four, so all of its levels have the same launches. Keeps the kinds of levels that it has seen. One
/// thread at a time.
class LaunchLister {
 public:
  /// All outlive it. @param graphs  whether tasks make graphs
  LaunchLister(const Program& program, const KernelTables& tables, const BatchedKernels& kernels,
               const TileCosts& costs, bool graphs)
      : program_(program), tables_(tables), kernels_(kernels), costs_(costs), graphs_(graphs) {}

  /// @param script  a ScriptWriter's for launches
  /// Cost: linear in the entries. Allocates nothing once grown.
  /// @param only  the size of tiles that all products have, to be measured
  void list(const Plan& plan, const Script& script, LaunchList& launches, std::optional<TileSize> only = std::nullopt);
  const TileCosts& costs() const { return costs_; }
  void set_costs(const TileCosts& costs) { costs_ = costs; }

  /// The kernels of a level by entry; BatchedKernels::kNone: it has none.
  using Level = std::vector<int>;
  const std::vector<Level>& levels() const { return levels_; }

 private:
  struct Task {
    std::int32_t type = 0;
    Stretch entries = {};
  };
  static constexpr std::size_t kMostTasks = 4;    // of a level
  static constexpr std::size_t kMostLevels = 64;  // of a graph

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
  Level level_;                       // of the stretch at hand
  std::vector<LaunchItem> deferred_;  // from F to ∂F
  std::vector<Task> tasks_;           // one after the other, that have no stretch yet
  const Plan* plan_ = nullptr;
  const Script* script_ = nullptr;
  LaunchList* list_ = nullptr;
};

}  // namespace cavs::cuda
