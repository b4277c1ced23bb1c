#include "cli/output_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <tuple>

#include "cavs/error.h"
#include "cli/policy_option.h"
#include "support/check.h"
#include "support/descriptor.h"

namespace cavs::cli {
namespace {

namespace fs = std::filesystem;

/// Identifies a file by device and inode. A file that does not exist yet is identified by its directory and its name.
using FileId = std::tuple<dev_t, ino_t, std::string>;

/// Returns the id of a file, or nullopt if its directory does not exist.
std::optional<FileId> id_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) return FileId{status.st_dev, status.st_ino, ""};
  const fs::path path = file;
  const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".";
  if (::stat(parent.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino, path.filename().string()};
}

bool same_file(const std::string& a, const std::string& b) {
  const auto id = id_of(a);
  return id && id == id_of(b);
}

/// Checks, before training, that saving can open enough files.
void check_descriptors() {
  constexpr int kSpare = 8, kEnough = 32;  // files that saving opens at once, with a reserve; advised limit
  std::array<Descriptor, kSpare> spare;
  for (Descriptor& each : spare) {
    each = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    user_check(
        each.get() >= 0 || errno != EMFILE,
        "too many open files: the limit is too low for the files to be read and written; raise it to {} (ulimit -n)",
        kEnough);
  }
}

/// Calls f. If f throws UserError, puts the option in front of the message.
template <typename F>
auto named(const std::string& option, F&& f) {
  try {
    return f();
  } catch (const UserError& error) {
    user_error("{} {}", option, error.what());
  }
}

}  // namespace

void add_overwrite(CLI::App& app, Options& options) {
  app.add_flag("--overwrite", options.overwrite, "Replace existing files")->group("Output");
}

void OutputFiles::reads(const std::string& option, const std::string& path) {
  if (!path.empty()) inputs_.push_back({option, path});
}

void OutputFiles::writes(const std::string& option, const std::string& path) { add({option, path, std::nullopt}); }

void OutputFiles::saves(const std::string& option, const std::string& path, const std::string& resumed) {
  reads("--resume", resumed);
  add({option, path, resumed});
}

void OutputFiles::continues(const std::string& option, const std::string& path, const std::string& resumed,
                            bool checkpoint) {
  add({option, path, checkpoint ? std::optional(resumed) : std::nullopt, !resumed.empty()});
}

void OutputFiles::add(Output output) {
  user_check(!output.path.starts_with("-"),
             "{} {}: expected the name of a file, found an option; write ./{} for a file of this name", output.option,
             output.path, output.path);
  if (!output.path.empty()) outputs_.push_back(std::move(output));
}

void OutputFiles::check_inputs(const Output& output) const {
  for (const Input& input : inputs_) {
    const bool resumed = input.option == "--resume" && output.option == "--save";
    user_check(resumed || !same_file(input.path, output.place.file),
               "{} {}: this is the file that {} reads; give another name", output.option, output.path, input.option);
    user_check(!same_file(input.path, output.place.temporary),
               "{} {}: its temporary file is {}, which {} reads; give another name", output.option, output.path,
               output.place.temporary, input.option);
  }
}

void OutputFiles::check_replaced(const Output& output) const {
  std::error_code ignored;
  if (options_.overwrite || output.continued || !fs::exists(output.place.file, ignored)) return;
  if (output.resumed && !output.resumed->empty() && same_file(*output.resumed, output.place.file)) return;
  user_error("{} {}: the file already exists; give another name{}, or --overwrite to replace it", output.option,
             output.path, output.resumed ? fmt::format(", --resume {} to continue its training", output.path) : "");
}

void OutputFiles::claim() {
  if (outputs_.empty()) return;
  check_descriptors();
  for (const std::string& file : data_files(data_spec(options_))) reads("--data", file);
  reads("--policy", policy_file(options_.policy));
  reads("--config", options_.config);
  for (Output& output : outputs_) {
    output.place = named(output.option, [&] { return output_path(output.path); });
    check_inputs(output);
  }
  for (auto a = outputs_.begin(); a != outputs_.end(); ++a)
    for (auto b = outputs_.begin(); b != a; ++b) {
      const bool apart = !same_file(a->place.file, b->place.file) && !same_file(a->place.file, b->place.temporary) &&
                         !same_file(a->place.temporary, b->place.file);
      user_check(apart, "{} {} and {} {} would overwrite each other; give each a name of its own", b->option, b->path,
                 a->option, a->path);
    }
  for (const Output& output : outputs_)
    locks_.push_back(named(output.option, [&] { return FileLock(output.path, output.place.lock); }));
  for (const Output& output : outputs_) check_replaced(output);
}

}  // namespace cavs::cli
