#include "pipeline/run/step_trace.h"

#include "pipeline/run/job.h"

namespace penstock {

StepTrace TraceOf(const Step& step, const Locate& locate) {
  const Assignment& assignment = step.assignment;
  StepTrace trace = {.step = step.after.step - 1,
                     .epoch = step.epoch,
                     .shape = assignment.shape,
                     .rows = assignment.row_offsets.size() - 1,
                     .pieces = {}};
  for (uint64_t row = 0; row < trace.rows; ++row) {
    for (const Piece& piece : PiecesOf(assignment, row)) {
      trace.pieces.push_back({.row = row,
                              .record = piece.record,
                              .where = locate(piece.record),
                              .begin = piece.begin,
                              .length = piece.length,
                              .place = piece.place});
    }
  }
  return trace;
}

}  // namespace penstock
