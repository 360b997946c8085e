#include "tools/programs/losses_report.h"

#include <fmt/format.h>

#include "tools/programs/output.h"
#include "tools/programs/program.h"

namespace penstock {

std::string UnitText(const InputFiles& input, const Corpus& corpus) {
  if (!input.HasTexts()) return "";
  switch (corpus.open.text_unit.value_or(input.text_unit)) {
    case TextUnit::kLine:
      return "line";
    case TextUnit::kParagraph:
      return "paragraph";
    case TextUnit::kFile:
      break;
  }
  return "file";
}

Status NoDocument(const InputFiles& input, const InputLosses& losses,
                  std::string_view what_to_do) {
  std::string instead;
  for (const auto& [what, kind] : losses.left_out) {
    instead += fmt::format("; {} times {} in archives (first: {})",
                           WithCommas(kind.count), what, kind.first);
  }
  if (losses.places > 0) {
    instead += fmt::format("; {} places skipped (first: {})",
                           WithCommas(losses.places), losses.named.front());
  }
  return FailedPreconditionError(
      fmt::format("no document was found in {} files{}{}",
                  WithCommas(input.paths.size()), instead, what_to_do));
}

void PrintFound(const std::string& program, const InputFiles& input,
                const Corpus& corpus) {
  const std::string unit = UnitText(input, corpus);
  PrintError("{}: {} files, {}{}\n", program, WithCommas(input.paths.size()),
             HumanBytes(static_cast<double>(input.size_bytes)),
             unit.empty()
                 ? ""
                 : fmt::format("; a document of text is a {} (--unit)", unit));
}

void PrintLosses(const std::string& program, const InputFiles& input,
                 const InputLosses& losses) {
  if (!input.skipped.empty()) {
    PrintError(
        "{}: {} files were left out, as their names say no kind (first: {}); "
        "--kind reads all files\n",
        program, WithCommas(input.skipped.size()), input.skipped.front());
  }
  if (!input.pipes.empty()) {
    PrintError(
        "{}: {} pipes or devices in folders were left out (first: {}); name "
        "one to read it\n",
        program, WithCommas(input.pipes.size()), input.pipes.front());
  }
  if (input.repeated > 0) {
    PrintError(
        "{}: {} files or folders were met again, by links or by name, and "
        "count once (first: {})\n",
        program, WithCommas(input.repeated), input.first_repeated);
  }
  for (const auto& [what, kind] : losses.left_out) {
    PrintError("{}: left out of archives: {} times {} (first: {})\n", program,
               WithCommas(kind.count), what, kind.first);
  }
  if (losses.repeated_fields.count > 0) {
    PrintError(
        "{}: in {} lines the field comes twice, and the last one was taken "
        "(first: {})\n",
        program, WithCommas(losses.repeated_fields.count),
        losses.repeated_fields.first);
  }
  if (losses.empty_files > 0) {
    PrintError("{}: {} files hold no document (first: {})\n", program,
               WithCommas(losses.empty_files), losses.first_empty);
  }
}

}  // namespace penstock
