if (load_fixed(a.words + kBackwardWord) < load_fixed(a.words + kEntryCountWord)) clear_gradients(a);
const i32* const entries = a.words + load_fixed(a.words + kEntriesWord);
unsigned meetings = 0;
float scale = 1;
#pragma unroll 1
for (i32 e = 0; e < load_fixed(a.words + kEntryCountWord); ++e) {
  // Gradients are cleared; gradients are there.
  if (e == load_fixed(a.words + kBackwardWord) || e == load_fixed(a.words + kUpdateWord)) meet(a, meetings);
  const Entry entry{a.words, entries + e * kEntryWords};
  const i32 share = entry[kShareWord];
  if (share == kShareOne && entry[kOwnerWord] != processor()) continue;
  wait(a, entry);
  if (share == kShareTogether) meet(a, meetings);
  const Work work = work_of(a, entry);
  switch (entry[kOperationWord]) {
    case kNothing:
      break;
    case kLoop:
      run_loop(a, entry, work);
      break;
    case kProduct:
#pragma unroll 1
      for (i32 p = entry[kNumberWord]; p < entry.attribute(0); ++p) {
        const Panel& panel = kPanels[p];
        i32 begin = work.column_begin;
        switch (entry.is(kOwned) ? p : -1) {
            // TILES
          default:
            break;
        }
        multiply_streamed(a, entry, work, panel, begin, work.column_end);
        sync();  // the next panel may add to what this one has written
      }
      break;
    case kWeightGradient:
      weight_gradient(work, entry, operand(a, entry, 0), operand(a, entry, 1), operand(a, entry, 2));
      break;
    case kSumRows:
      sum_rows(work, entry, operand(a, entry, 0), operand(a, entry, 1));
      break;
    case kLookupGradient:
      lookup_gradient(work, entry, operand(a, entry, 0), operand(a, entry, 1));
      break;
    case kLinearCrossEntropy:
      linear_cross_entropy(a, entry, meetings);
      break;
    case kLoss:
      sum_losses(a);
      break;
    case kSquares:
      sum_squares(a, work, entry[kNumberWord]);
      break;
    case kScale:
      scale = find_scale(a);
      if (scale < 0) return;
      break;
    case kUpdate:
      update_parameter(a, work, entry[kNumberWord], scale);
      break;
    default:
      run_rows(a, entry, work);
      break;
  }
  sync();
  if (share == kShareTogether) meet(a, meetings);
  if (entry.is(kSignals)) tell(a, e);
}
}
