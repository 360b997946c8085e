// datagen: corpora -> sharded TFRecords, indexes and a manifest.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "formats/files/atomic_file.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "tokenizer/load.h"
#include "tools/datagen/conversion.h"
#include "tools/datagen/conversion_json.h"
#include "tools/datagen/vocab.h"
#include "tools/programs/corpus_options.h"
#include "tools/programs/losses_report.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/programs/record_choices.h"
#include "tools/programs/running_options.h"
#include "tools/programs/skipped_report.h"
#include "tools/programs/stop_signals.h"
#include "tools/programs/tokenizer_options.h"

namespace penstock {
namespace {

constexpr char kExamples[] = R"(
  datagen --input books/ --output data --name books
  datagen --input 'crawl/*.jsonl.gz' --field text --output data --name crawl \
          --tokenizer cl100k_base.tiktoken --max-tokens 2048 --shards 64
  datagen --input crawl/ --tokenizer gpt2.tiktoken --token-encoding uint16 \
          --output data --name small
  datagen --input dump.tar.zst --output data --name dump
  datagen --input site --include '**/*.md' --exclude drafts --output data \
          --name site --on-bad-input skip --max-skipped-share 0.001
  zcat a.jsonl.gz | datagen --input jsonl:- --output data --name piped
  datagen vocab crawl/ --size 32768 --output tokenizer.json
  datagen --input notes.txt --unit line --tokenizer bytes --output data \
          --name notes --compression gzip)";

constexpr char kNotes[] = R"(
A dataset is its shards (NAME-SPLIT.tfrecord-00000-of-00064 ...), an index
beside each shard that is not zlib, and NAME-SPLIT.manifest.json. All of them
are written into the folder .NAME-SPLIT.new and put in place when they are
whole; one run at a time writes a dataset, as the file .NAME-SPLIT.lock tells
others. A run that was killed is cleared away or finished by the next one of
that name. Read it as data/NAME-SPLIT.tfrecord@64. TensorFlow Datasets reads
the folder by its dataset_info.json: tfds.builder_from_directory("data").

A file counts once, whatever links and patterns lead to it. Of archives what is
no text inside is left out, and told. TFRecords of tf.train.Example give their
feature "text"; --feature names another.

What is bad ends the run, and nothing is kept. --on-bad-input skip leaves out the
line, row, document, member or file, from the bad place on; --on-corruption goes
on behind damage in TFRecords, and leaves out JSONL lines that are no JSON. The
first 100 places are named on stderr, the first 16 in the manifest, with how many
there were; --max-skipped and --max-skipped-share say how many are too many.

`datagen vocab` learns a tokenizer from a corpus; see `datagen vocab --help`.)";

class Datagen final : public Program {
 public:
  Datagen() : Program("datagen", "Converts corpora to sharded TFRecords.") {
    AddInput();
    AddTokens();
    AddOutput();
    ArgumentGroup& running = Group("Running");
    AddThreads(running, options_.threads, "That read and write side by side");
    AddQuiet(running, options_.quiet);
    Examples(kExamples);
    Notes(kNotes);
    Add(VocabCommand());
  }

  Status Run() override;

 private:
  void AddInput();
  void AddTokens();
  void AddOutput();
  Status LoadTokens();
  void PrintResult(const ConversionResult& result) const;

  ConversionOptions options_;
  TokenizerOptions tokenizer_;
  std::string end_token_;
  std::string json_;
  bool special_tokens_ = true;
  CorpusOptions corpus_;
};

void Datagen::AddInput() {
  ArgumentGroup& input = Group("Input");
  input
      .Option("-i,--input", options_.inputs, "PATH",
              "Files, patterns (also **) or folders to read (.txt .md .rst "
              ".pod .jsonl .csv .tsv .tfrecord .tar .zip .7z ..., each also "
              ".gz .zst .xz .bz2), KIND:PATH, or \"-\", standard input, which "
              "is not compressed")
      .Required();
  corpus_.AddTo(input, Group("Text"));
  input.Flag("--allow-own-output", options_.allow_own_output,
             "Also reads files that were found in the output folder, and "
             "shards that datagen has written");
}

void Datagen::AddTokens() {
  ArgumentGroup& tokens = Group("Tokens");
  tokenizer_.AddTo(tokens, "without it the text itself is written");
  tokens
      .Number("--max-tokens", options_.max_tokens, "N",
              "Cuts longer documents into records of at most this many tokens; "
              "0 leaves them whole")
      .Needs("--tokenizer");
  tokens
      .Choice("--token-encoding", options_.token_encoding,
              TokenEncodingChoices(),
              "How ids lie in a record: int64, or as an array of uint16 or "
              "uint32 in one bytes value, which is read faster")
      .Needs("--tokenizer");
  tokens
      .Option("--end-token", end_token_, "TOKEN",
              "Token put after each document, such as '<|endoftext|>'")
      .Needs("--tokenizer");
  tokens
      .NoFlag("--no-special-tokens", special_tokens_,
              "Leaves out what the tokenizer file adds around a text")
      .Needs("--tokenizer");
}

void Datagen::AddOutput() {
  ArgumentGroup& output = Group("Output");
  output
      .Option("-o,--output", options_.output, "FOLDER", "Folder to write into")
      .Required();
  output.Option("-n,--name", options_.name, "NAME", "Name of the dataset")
      .Required()
      .MustBe("letters, digits and '_' alone", [](std::string_view name) {
        return !name.empty() && name.find_first_not_of(
                                    "abcdefghijklmnopqrstuvwxyz"
                                    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789_") == std::string_view::npos;
      });
  output
      .Option("--split", options_.split, "NAME", "Split of the dataset")
      // What names the shards again is a pattern.
      .MustBe("a name without any of /,*?@", [](std::string_view split) {
        return !split.empty() &&
               split.find_first_of("/,*?@") == std::string_view::npos;
      });
  output
      .Number("--shards", options_.shards, "N",
              "How many files; 0 is one for each --shard-size of input")
      .AtMost(99999);
  output
      .Bytes("--shard-size", options_.shard_bytes,
             "Input bytes for each shard, such as 256MiB")
      .AtLeast(1);
  output.Choice("--compression", options_.compression, CompressionChoices(),
                "gzip is slower to read by record number, zlib is read in "
                "sequence only");
  output.NoFlag("--no-tfds", options_.tfds,
                "Leaves out the dataset_info.json and features.json that "
                "TensorFlow Datasets reads");
  output.Flag("--allow-empty", options_.allow_empty,
              "Makes a dataset even where no document was found");
  output.Flag("--overwrite", options_.overwrite,
              "Replaces a dataset of the same name, when the new one is whole");
  output.Option("--json", json_, "FILE", "Writes the report as JSON");
}

Status Datagen::LoadTokens() {
  if (!tokenizer_.path.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(options_.tokenizer, tokenizer_.Load());
    options_.encode.special_text = SpecialText::kAsText;
    options_.encode.add_special_tokens = special_tokens_;
  }
  if (end_token_.empty()) return OkStatus();
  if (options_.tokenizer == nullptr) {
    return InvalidArgumentError("--end-token: --tokenizer names none");
  }
  options_.end_token = options_.tokenizer->IdOf(end_token_);
  if (options_.end_token.has_value()) return OkStatus();
  return InvalidArgumentError(
      fmt::format("--end-token: the vocabulary of {} has no token '{}'",
                  tokenizer_.path, end_token_));
}

Status Datagen::Run() {
  PENSTOCK_ASSIGN_OR_RETURN(const auto signals, StopSignals::Create());
  options_.stop = signals->token();
  PENSTOCK_RETURN_IF_ERROR(LoadTokens());
  SkippedReport skipped("datagen");
  options_.on_notice = [](std::string_view what) {
    PrintError("datagen: {}\n", what);
  };
  PENSTOCK_ASSIGN_OR_RETURN(options_.corpus, corpus_.ToCorpus(skipped));
  options_.corpus.choices.stop = signals->token();
  if (!options_.quiet) {
    options_.on_found = [this](const InputFiles& input) {
      PrintFound("datagen", input, options_.corpus);
    };
  }
  PENSTOCK_ASSIGN_OR_RETURN(const ConversionResult result,
                            ConvertCorpus(LocalFiles(), options_));
  skipped.Finish();
  PrintLosses("datagen", result.input, result.losses);
  PrintResult(result);
  if (json_.empty()) return OkStatus();
  return WriteFileAtomically(LocalFiles(), json_,
                             ConversionJson(options_, result));
}

void Datagen::PrintResult(const ConversionResult& result) const {
  const std::string unit = UnitText(result.input, options_.corpus);
  Print("{} documents{}, {} of text -> {} records",
        WithCommas(result.documents),
        unit.empty() ? "" : fmt::format(" (--unit {})", unit),
        HumanBytes(static_cast<double>(result.text_bytes)),
        WithCommas(result.records));
  if (options_.tokenizer != nullptr) {
    Print(", {} tokens", WithCommas(result.tokens));
  }
  if (result.losses.places > 0) {
    Print(", {} bad places left out", WithCommas(result.losses.places));
  }
  Print("\ndataset  {}\nmanifest {}\n", result.pattern, result.manifest);
  if (result.no_tfds.empty()) {
    Print("tfds     {}/dataset_info.json\n", options_.output);
  } else {
    Print("tfds     no dataset_info.json: {}\n", result.no_tfds);
  }
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  penstock::Datagen datagen;
  return penstock::RunProgram(datagen, argc, argv);
}
