#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace cavs::testing {

/// The result of a mistake: the exit code of the command, or -1 for a UserError of the library, and the message without
/// the prefix and suffix that all messages of the command have.
struct Outcome {
  int code = 0;
  std::string message;
};
inline constexpr int kUserError = -1;

/// A mistake, and its expected result.
struct BadInput {
  std::string what;   // description of the mistake
  std::string says;   // expected message; "<...>" matches any text
  std::string shown;  // the command or code that makes the mistake
  int code;
  std::function<Outcome()> make;
};

struct Section {
  std::string title;
  std::vector<BadInput> cases;
};

/// A folder with the files of the cases, in which the command runs.
class Workplace {
 public:
  /// @param variables  environment variables, as a shell takes them before a command
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
