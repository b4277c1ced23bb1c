#pragma once

#include <string>

namespace cavs::zoo {

/// A small data set for the model. `choice` is "generated", or "files" for files in the working directory.
std::string data_spec(const std::string& model, const std::string& choice);
/// The kind of the data set: its spec up to the first ':'.
std::string data_kind(const std::string& model);

/// A file of samples as a user would write them, for a model that was trained on data of this choice.
std::string raw_samples(const std::string& model, const std::string& choice);

/// Writes the files to the working directory.
void write_data_files();
/// Shell commands that write the files that other commands name.
std::string data_files_for(const std::string& commands);

}  // namespace cavs::zoo
