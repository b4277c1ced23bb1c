#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/cuda/entries/kernel_options.h"
#include "backend/cuda/entries/kernel_tables.h"
#include "backend/cuda/entries/packed_script.h"
#include "compile/program.h"
#include "plan/plan.h"
#include "script/script.h"

namespace cavs::cuda {

/// Numbers that a run adds to the script and the plan.
struct RunNumbers {
  float loss_gradient = 1;  // 1 / samples
  std::uint64_t seed = 0;   // for dropout
  std::uint32_t epoch = 0;
};

/// A copy between rows of the caller and rows of an operand, which has one row per vertex of a type. If the type is -1,
/// the caller's rows are copied to a float port, which has one row per vertex.
struct CallerCopy {
  std::int32_t type = -1;
  const cavs::Operand* operand = nullptr;
  std::int32_t port = 0, width = 0;  // used if the type is -1
  CopyKind kind = kToCaller;
  std::size_t caller = 0;  // index in KernelArguments::callers
};

/// Packs a script and its plan into one array of words (packed_script.h), which is copied to the GPU as a whole. Keeps
/// no data of a minibatch. Not thread-safe.
class ScriptPacker {
 public:
  /// Program and placement must outlive this object.
  /// @throws UserError for the reasons of persistent_kernel_source()
  ScriptPacker(const Program& program, const WeightPlacement& placement, const KernelOptions& options = {});

  /// @param script  a script with operands, for the placement's number of processors
  /// @param words   is overwritten, and grows to the largest minibatch
  /// @throws UserError if there are more than 2^31 - 1 words
  /// Cost: linear in the script and the plan.
  void pack(const Plan& plan, const Script& script, const RunNumbers& numbers, std::vector<std::int32_t>& words);

  /// Appends copies to the words that pack() has just written.
  /// @param by_row, by_vertex  the caller's row or -1, for each row of all types (Schedule::vertex), or vertex
  void pack_copies(std::span<const CallerCopy> copies, std::span<const std::int32_t> by_row,
                   std::span<const std::int32_t> by_vertex, std::vector<std::int32_t>& words);

 private:
  using Words = std::vector<std::int32_t>;

  void begin(const Plan& plan, const Script& script, Words& words);
  std::int32_t position() const { return static_cast<std::int32_t>(words_->size()); }
  void push(std::int64_t word) { words_->push_back(static_cast<std::int32_t>(word)); }
  void push_long(std::int64_t number);
  /// Appends `more` words. @return the address of the first one
  std::int32_t* extend(std::size_t more);
  /// Returns the position in the words of a list that begins at `begin` in Plan::rows.
  std::int32_t list(std::int32_t begin) const { return rows_ + begin; }
  void pack_losses();
  void pack_touched();
  void pack_unwritten();
  void pack_entry(std::size_t number);
  void pack_waits(const ScriptEntry& entry, std::int32_t* words);
  std::int32_t pack_owners(const ScriptEntry& entry);
  void pack_operands(const ScriptEntry& entry, std::int32_t* words);
  void pack_operand(const ScriptOperand& operand, std::int32_t* words) const;
  std::int32_t pack_attributes(const ScriptEntry& entry, const Instruction& instruction, const Code& code);
  void pack_row_attributes(const Step& step, const Instruction& i, const RowOp& row);
  void pack_entropy(const Step& step, const Instruction& instruction, const LinearCrossEntropy& entropy);
  bool is_owned(const ScriptEntry& entry, const Instruction& instruction, Stage stage) const;

  const Program& program_;
  const WeightPlacement& placement_;
  const KernelTables tables_;
  const Plan* plan_ = nullptr;
  const Script* script_ = nullptr;
  Words* words_ = nullptr;
  std::int32_t rows_ = 0;  // position of Plan::rows in the words
  std::vector<std::int32_t>
      owners_;  // [Script::parts] position of the packed parts of an entry whose parts begin here; 0 if not packed yet
};

}  // namespace cavs::cuda
