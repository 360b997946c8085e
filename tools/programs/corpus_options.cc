#include "tools/programs/corpus_options.h"

#include <map>
#include <string>

#include "formats/streams/file_kind.h"

namespace penstock {

void AddCorpusOptions(CLI::App& app, OpenOptions& open) {
  app.add_option("--kind", open.kind, "What the input files are")
      ->transform(CLI::CheckedTransformer(std::map<std::string, FileKind>{
          {"tfrecord", FileKind::kTfRecord},
          {"text", FileKind::kText},
          {"jsonl", FileKind::kJsonl},
          {"csv", FileKind::kCsv},
          {"tsv", FileKind::kTsv},
          {"tar", FileKind::kTar},
          {"zip", FileKind::kZip},
          {"7z", FileKind::k7z},
          {"webdataset", FileKind::kWebDataset}}));
  app.add_option("--unit", open.text_unit,
                 "What one document of a text file is (default paragraph)")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, TextUnit>{{"line", TextUnit::kLine},
                                          {"paragraph", TextUnit::kParagraph},
                                          {"file", TextUnit::kFile}}));
  app.add_option("--field", open.json_field,
                 "JSONL field that holds the text; a.b looks inside a")
      ->capture_default_str();
  app.add_option("--column", open.csv_column,
                 "CSV or TSV column that holds the text: its name, or #2")
      ->capture_default_str();
  app.add_option("--sample-extension", open.sample_extension,
                 "WebDataset component that holds the text")
      ->capture_default_str();
  app.add_flag("--lenient-numbers", open.json_leniency.numbers,
               "JSONL: takes numbers outside 64 bits or a double's range, in "
               "other fields than the text");
  app.add_option("--invalid-unicode", open.json_leniency.unicode,
                 "JSONL: what lone surrogates and bytes that are not UTF-8 "
                 "are: fail, or replace by U+FFFD (default fail)")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, bool>{{"fail", false}, {"replace", true}}));
}

}  // namespace penstock
