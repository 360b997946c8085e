#include "tools/programs/corpus_options.h"

#include "formats/streams/file_kind.h"

namespace penstock {

void AddCorpusOptions(ArgumentGroup& input, ArgumentGroup& text,
                      OpenOptions& open) {
  input
      .Choice("--kind", open.kind,
              {{"tfrecord", FileKind::kTfRecord},
               {"text", FileKind::kText},
               {"jsonl", FileKind::kJsonl},
               {"csv", FileKind::kCsv},
               {"tsv", FileKind::kTsv},
               {"tar", FileKind::kTar},
               {"zip", FileKind::kZip},
               {"7z", FileKind::k7z},
               {"webdataset", FileKind::kWebDataset}},
              "What the input files are")
      .DefaultsTo("by their names");
  text.Choice("--unit", open.text_unit,
              {{"line", TextUnit::kLine},
               {"paragraph", TextUnit::kParagraph},
               {"file", TextUnit::kFile}},
              "What one document of a text file is");
  text.Option("--field", open.json_field, "NAME",
              "JSONL field that holds the text; a.b looks inside a");
  text.Option("--column", open.csv_column, "NAME",
              "CSV or TSV column that holds the text: its name, or #2");
  text.Option("--sample-extension", open.sample_extension, "EXTENSION",
              "WebDataset component that holds the text");
  text.Flag("--lenient-numbers", open.json_leniency.numbers,
            "JSONL: takes numbers outside 64 bits or a double's range, in "
            "other fields than the text");
  text.Bytes("--max-json-line", open.max_json_line_bytes,
             "JSONL: a longer line is an error; it takes up to 14 times its "
             "size to parse")
      .AtLeast(1);
  text.Choice("--invalid-unicode", open.json_leniency.unicode,
              {{"fail", false}, {"replace", true}},
              "JSONL: what lone surrogates and bytes that are not UTF-8 are: "
              "fail, or replace by U+FFFD");
}

}  // namespace penstock
