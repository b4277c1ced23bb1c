#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace cavs::testing {

/// How a mistake ended: the exit code of the command, or -1 for a UserError of the library; and its message, without
/// what every message of the command begins and ends with.
struct Outcome {
  int code = 0;
  std::string message;
};
inline constexpr int kUserError = -1;

/// A mistake, and how it must end.
struct BadInput {
  std::string what;   // the mistake
  std::string says;   // the message; "<...>" in it stands for any text
  std::string shown;  // how it was made
  int code;
  std::function<Outcome()> make;
};

struct Section {
  std::string title;
  std::vector<BadInput> cases;
};

/// A folder with the files that the cases refer to; the command runs in it.
class Workplace {
 public:
  /// @param variables  of the environment, as a shell has them before a command
  Outcome run(const std::string& arguments, const std::string& input = "", const std::string& variables = "") const;
  void write(const std::string& name, const std::string& bytes) const;
  std::string read(const std::string& name) const;
  std::string path(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

Section wrong_options(const Workplace& place);
Section bad_config(const Workplace& place);
Section bad_data(const Workplace& place);
Section bad_samples(const Workplace& place);
Section bad_checkpoints(const Workplace& place);
Section bad_training(const Workplace& place);
Section bad_devices(const Workplace& place);
Section bad_declarations();

}  // namespace cavs::testing
