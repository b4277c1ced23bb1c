#pragma once

#include <string>

namespace cavs::zoo {

/// A little data of the kind that the model was made for. `choice`: "generated", or "files": of the working directory.
std::string data_spec(const std::string& model, const std::string& choice);
/// The kind of data, up to the first ':'.
std::string data_kind(const std::string& model);

/// The file of samples as a user would write them, for a model that was trained on that choice of data.
std::string raw_samples(const std::string& model, const std::string& choice);

/// Writes the files to the working directory.
void write_data_files();
/// Commands of a shell that write those files that other commands name.
std::string data_files_for(const std::string& commands);

}  // namespace cavs::zoo
