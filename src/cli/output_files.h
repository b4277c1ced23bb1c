#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cavs/files.h"
#include "cli/options.h"

namespace cavs::cli {

/// --overwrite. Every command that writes a file has it.
void add_overwrite(CLI::App& app, Options& options);

/// The files that a command reads and those that it writes, to be declared and claimed before it does anything else. So
/// no output ever replaces an input, another output, or a file that the user has not said to replace.
class OutputFiles {
 public:
  /// The inputs that commands share are known: the files of --data, of --policy fsm:FILE and of --config.
  explicit OutputFiles(const Options& options) : options_(options) {}

  /// An empty path is no file.
  void reads(const std::string& option, const std::string& path);
  void writes(const std::string& option, const std::string& path);
  /// The output of a training, which may replace the checkpoint that it goes on from (or "": it does not).
  void saves(const std::string& option, const std::string& path, const std::string& resumed);

  /// A further output of a training, which may be there if the training is a resumed one: it then goes on with the
  /// file, and the caller checks that it is of that training.
  /// @param checkpoint  may replace the checkpoint that it goes on from, too
  void continues(const std::string& option, const std::string& path, const std::string& resumed, bool checkpoint);

  /// From now on until this object ends, no other process that claims its outputs writes to these.
  /// @throws UserError if an output is an input or another output (by what the file system says, whatever the names and
  /// links), is there already (unless it is the resumed one, or --overwrite was given), cannot be written, or belongs
  /// to another process.
  void claim();

 private:
  struct Input {
    std::string option, path;
  };
  struct Output {
    std::string option, path;
    std::optional<std::string> resumed;  // of a training
    bool continued = false;              // it may be there if one is resumed
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
