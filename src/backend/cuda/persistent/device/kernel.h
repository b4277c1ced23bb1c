if (load_fixed(a.words + kBackwardWord) < load_fixed(a.words + kEntryCountWord)) clear_gradients(a);
unsigned meetings = 0;
#pragma unroll 1
for (i32 e = 0; e < smaller(load_fixed(a.words + kUpdateWord), load_fixed(a.words + kEntryCountWord)); ++e) {
  if (e == load_fixed(a.words + kBackwardWord)) meet(a, meetings);  // gradients are cleared
  const Entry entry = entry_of(a, e);
  const i32 share = entry[kShareWord];
  if (share == kShareOne && entry[kOwnerWord] != processor()) continue;
  note(a, e, kBegun);
  find_operands(a, entry);
  note(a, e, kFound);
  wait(a, entry);
  sync();  // operands are found, and what the entry waits for is there
  if (share == kShareTogether) meet(a, meetings);
  note(a, e, kReady);
  const Work work = work_of(a, entry);
  switch (entry.is(kBlocks) ? kBlockProducts : entry[kOperationWord]) {
    case kNothing:
      break;
    case kProduct:
#pragma unroll 1
      for (i32 p = entry[kNumberWord]; p < entry_of(a, e).attribute(0); ++p) {
        const Panel& panel = kPanels[p];
        i32 done = 0;  // units before this one
#pragma unroll 1
        for (i32 memory = 0; memory < (kSharedWords > 0 ? 2 : 1); ++memory) {
          const i32 tile = memory == 0 ? panel.tile : panel.shared;
          if (!entry.is(kOwned) || tile < 0) continue;
          [[maybe_unused]] const UnitRange own = units_of(tile);
          // TILES
          done = units_of(tile).end;
        }
        const Entry rest = entry_of(a, e);
        const Work units = work_of(a, rest);
        multiply_streamed(a, units, panel, larger(done, units.column_begin), units.column_end);
        sync();  // the next panel may add to what this one has written
      }
      break;
    case kBlockProducts:
#pragma unroll 1
      for (i32 number = 0; describe_product(a, entry_of(a, e), number, meetings); ++number) multiply_blocks();
      break;
    case kSumRows:
      if constexpr (kHasOperation[kSumRows]) sum_rows(work, entry, operand(0), operand(1));
      break;
    case kLookupGradient:
      if constexpr (kHasOperation[kLookupGradient]) lookup_gradient(work, entry, operand(0), operand(1));
      break;
    default:
      run_rows(entry, work);
      break;
  }
  sync();
  note(a, e, kDone);
  const Entry over = entry_of(a, e);
  if (over[kShareWord] == kShareTogether) meet(a, meetings);
  if (over.is(kSignals)) tell(a, e);
  note(a, e, kTold);
}
update(a, meetings);
}
