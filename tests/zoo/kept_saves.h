#pragma once

#include <string>
#include <vector>

namespace cavs::zoo {

/// While an object of this class exists, keeps a copy of each file that this process saves, as a kill right after the
/// save would leave the file.
class KeptSaves {
 public:
  KeptSaves();
  ~KeptSaves();
  KeptSaves(const KeptSaves&) = delete;
  KeptSaves& operator=(const KeptSaves&) = delete;

  struct Save {
    std::string file, bytes;
  };
  const std::vector<Save>& all() const { return saves_; }
  void add(const char* file, const char* temporary);

 private:
  std::vector<Save> saves_;
};

std::string read_bytes(const std::string& file);
void write_bytes(const std::string& file, const std::string& bytes);

}  // namespace cavs::zoo
