#pragma once

#include <optional>
#include <vector>

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Decides which memory holds each value of a function.
class Storage {
 public:
  Storage(Program& program, std::int32_t type);

  /// Returns the operand through which node `id` reads its input number `i`. Constants have no memory.
  Operand read(ValueId id, int i);
  /// Returns the operand to which a computed value is written. Do not call it for a value that only its own fused loop
  /// reads: such a value has no memory.
  const Operand& written(ValueId id) { return place(id); }
  bool has_place(ValueId id) const { return places_[id].has_value(); }

  /// Adds memory for a tile of at most `max_rows` rows that holds no value of the function.
  Operand new_tile(std::string name, std::int32_t width, std::int32_t max_rows);

  DomainId domain_id(const Domain& domain);
  std::int32_t index_slot(IndexRequest request);
  std::int32_t parameter(const std::string& name) const;

 private:
  void place_outputs();
  void place_concat(ValueId id);
  void place_in_parts();
  std::int32_t gather_slot(std::int32_t child);
  DomainId gathered_rows(const attr::Children& children);
  Operand new_tensor(ValueId id);
  Operand place_source(ValueId id);
  const Operand& place(ValueId id);
  std::int32_t state(const std::string& name) const;
  std::int32_t float_port(const Node& node);
  std::optional<IndexRequest> broadcast_index(const Domain& from, const Domain& to);

  Program& program_;
  TypeProgram& type_;
  std::int32_t type_number_;
  const Function& f_;
  std::vector<std::optional<Operand>> places_;
};

}  // namespace cavs::inline v0_1
