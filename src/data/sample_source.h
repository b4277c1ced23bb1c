#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cavs/data.h"
#include "cavs/readers.h"

namespace cavs::inline v0_1 {

/// Samples for prediction, a few at a time.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// The next samples, `most` or a few more; fewer at the end, none after it. @throws UserError as SampleReader does.
  virtual Samples next(std::int64_t most) = 0;
  /// How much has been read, from 0 to 1.
  virtual double share() const = 0;
};

/// The samples of a part ("dev", where the data have one, or "train") of the data that a spec names. Files that a
/// SampleReader can read are read as samples are asked for; other data are in memory. Sentences of generated words and
/// lattices get them as tokens.
/// @throws UserError as load_data does, or where the data do not fit the model.
std::unique_ptr<SampleSource> open_samples(const std::string& spec, const std::string& part, SampleOptions reading,
                                           const DataOptions& loading);

}  // namespace cavs::inline v0_1
