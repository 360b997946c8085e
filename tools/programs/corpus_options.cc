#include "tools/programs/corpus_options.h"

#include <string_view>

#include "formats/files/status_or.h"
#include "tools/programs/record_choices.h"

namespace penstock {

void CorpusOptions::AddTo(ArgumentGroup& input, ArgumentGroup& text) {
  OpenOptions& open = corpus_.open;
  InputChoices& choices = corpus_.choices;
  input
      .Choice("--kind", choices.kind, FileKindChoices(),
              "What the input files are; for one of them as in csv:PATH")
      .DefaultsTo("by their names");
  input
      .Choice("--member-kind", open.member_kind,
              {{"text", FileKind::kText},
               {"jsonl", FileKind::kJsonl},
               {"csv", FileKind::kCsv},
               {"tsv", FileKind::kTsv}},
              "What the members of archives are")
      .DefaultsTo("by their names");
  input
      .Option("--include", choices.include, "PATTERN",
              "Reads only files of folders and members of archives whose name, "
              "or path where the pattern has a /, matches; ** is any folders")
      .OneEach();
  input
      .Option("--exclude", choices.exclude, "PATTERN",
              "Leaves those out, and what is in such folders")
      .OneEach();
  recovery_.AddTo(input, "all inputs", /*bad_input=*/true);
  AddLimits(input);
  AddText(text);
}

void CorpusOptions::AddText(ArgumentGroup& text) {
  OpenOptions& open = corpus_.open;
  text.Choice("--unit", open.text_unit,
              {{"line", TextUnit::kLine},
               {"paragraph", TextUnit::kParagraph},
               {"file", TextUnit::kFile}},
              "What one document of a text file is: the file, unless it is all "
              "there is to read, which is cut into paragraphs")
      .DefaultsTo("by the inputs");
  text.Option("--feature", open.example_feature, "NAME",
              "TFRecords: the feature of their Examples that holds the text; "
              "\"-\" takes records as they are stored. By default text, where "
              "the first record is an Example")
      .DefaultsTo("by looking");
  text.Option("--field", open.json_field, "NAME",
              "JSONL field that holds the text; a.b looks inside a");
  text.Option("--column", open.csv_column, "NAME",
              "CSV or TSV column that holds the text: its name, or #2");
  text.Option(
          "--csv-delimiter", csv_delimiter_, "BYTE",
          "What stands between fields: one byte, or \\t; by default a comma "
          "in CSV, a tab in TSV")
      .MustBe("one byte, or \\t",
              [](std::string_view word) {
                return word.size() == 1 || word == "\\t";
              })
      .DefaultsTo("by the kind");
  text.Choice("--csv-quotes", open.csv_quotes,
              {{"rfc4180", CsvQuotes::kRfc4180}, {"none", CsvQuotes::kNone}},
              "Whether quotes stand around fields, or are bytes as any other");
  text.Choice("--csv-header", open.csv_header,
              {{"first-row", CsvHeader::kFirstRow}, {"none", CsvHeader::kNone}},
              "Whether the first row names the columns");
  text.Option("--sample-extension", open.sample_extension, "EXTENSION",
              "WebDataset component that holds the text");
  text.Flag("--lenient-numbers", open.json_leniency.numbers,
            "JSONL: takes numbers outside 64 bits or a double's range, in "
            "other fields than the text");
  text.Bytes("--max-json-line", open.max_json_line_bytes,
             "JSONL: a longer line is an error; it takes up to 14 times its "
             "size to parse")
      .AtLeast(1);
  text.Choice("--invalid-unicode", open.invalid_utf8,
              {{"fail", NotUtf8::kFail},
               {"replace", NotUtf8::kReplace},
               {"keep", NotUtf8::kKeep}},
              "What bytes that are not UTF-8, and lone surrogates of JSONL, "
              "are: fail, replace by U+FFFD, or keep, which JSONL cannot");
}

void CorpusOptions::AddLimits(ArgumentGroup& input) {
  OpenOptions& open = corpus_.open;
  input
      .Bytes("--max-record-bytes", open.max_record_bytes,
             "A longer line, row, paragraph, file of text or record is bad")
      .AtLeast(1);
  input
      .Bytes("--max-member-bytes", open.archive_limits.max_member_bytes,
             "So is a longer member of an archive")
      .AtLeast(1);
  input
      .Bytes("--max-total-bytes", open.unpack.max_total_bytes,
             "So is a compressed file that unpacks to more")
      .AtLeast(1);
  input
      .Number("--max-ratio", open.unpack.max_ratio, "N",
              "So is one that unpacks to more than this times its size")
      .AtLeast(1);
  input.Choice("--tar-end", open.tar_end,
               {{"required", TarEnd::kRequired},
                {"may-be-missing", TarEnd::kMayBeMissing}},
               "Whether a tar without the zeros that end it is cut off");
}

StatusOr<Corpus> CorpusOptions::ToCorpus(SkippedReport& report) const {
  PENSTOCK_RETURN_IF_ERROR(recovery_.Check());
  Corpus corpus = corpus_;
  if (!csv_delimiter_.empty()) {
    corpus.open.csv_delimiter =
        csv_delimiter_ == "\\t" ? '\t' : csv_delimiter_[0];
  }
  corpus.open.recovery = recovery_.ToOptions(report);
  corpus.choices.leave_out_bad = recovery_.leave_out_bad_input;
  corpus.bad_input = {
      .leave_out = recovery_.leave_out_bad_input,
      .max_share = recovery_.max_skipped_share,
      .on_left_out = [&report](BadPart part, const Status& why) {
        report.AddPart(part, why);
      }};
  return corpus;
}

}  // namespace penstock
