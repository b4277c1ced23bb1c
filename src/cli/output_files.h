#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cavs/files.h"
#include "cli/options.h"

namespace cavs::cli {

/// Adds --overwrite. Every command that writes a file has it.
void add_overwrite(CLI::App& app, Options& options);

/// The input and output files of a command. A command declares its files and claims them before it does anything else,
/// so that no output replaces an input, another output or, without --overwrite, an existing file.
class OutputFiles {
 public:
  /// Declares the files of --data, --policy fsm:FILE and --config as inputs.
  explicit OutputFiles(const Options& options) : options_(options) {}

  /// Declares an input. An empty path means no file.
  void reads(const std::string& option, const std::string& path);
  void writes(const std::string& option, const std::string& path);
  /// Declares the checkpoint that training writes. It may replace `resumed`, the checkpoint that training
  /// continues; "" for new training.
  void saves(const std::string& option, const std::string& path, const std::string& resumed);

  /// Declares another output of training. If training is resumed, the file may exist and is continued; the caller must
  /// check that the file belongs to that training.
  /// @param checkpoint  true if the output may also replace `resumed`
  void continues(const std::string& option, const std::string& path, const std::string& resumed, bool checkpoint);

  /// Locks the outputs until this object is destroyed, so that no other process that claims its outputs writes to them.
  /// @throws UserError if an output is an input or another output (compared by inode, so links do not matter), already
  /// exists (unless training resumes from it, or --overwrite was given), cannot be written, or is locked by another
  /// process.
  void claim();

 private:
  struct Input {
    std::string option, path;
  };
  struct Output {
    std::string option, path;
    std::optional<std::string> resumed;  // path of the checkpoint that training resumes from
    bool continued = false;              // true if resumed training continues an existing file
    OutputPath place{};
  };
  void add(Output output);
  void check_inputs(const Output& output) const;
  void check_replaced(const Output& output) const;

  const Options& options_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<FileLock> locks_;
};

}  // namespace cavs::cli
