// Text to token ids and back, one line of ids for each document.

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/file.h"
#include "formats/status.h"
#include "tokenizer/load.h"
#include "tokenizer/sampling.h"
#include "tokenizer/tokenizer.h"
#include "tools/corpus_options.h"
#include "tools/program.h"
#include "tools/vocabulary_training.h"

namespace penstock {
namespace {

constexpr size_t kReadBytes = 1 << 20;

struct Flags {
  std::string tokenizer;
  std::string pattern;
  std::vector<std::string> inputs = {"-"};
  bool null_separated = false;
  bool no_special_tokens = false;
  bool decode = false;
  bool offsets = false;
  std::string special = "allow";
  size_t best = 0;
  std::optional<uint64_t> sample;
  std::optional<double> alpha;
  bool train = false;
  VocabularyOptions training;
};

constexpr char kExamples[] =
    "Examples:\n"
    "  echo -n 'hello world' | tokenize --tokenizer cl100k_base.tiktoken\n"
    "  tokenize --tokenizer gpt2.tokenizer.json book1.txt book2.txt\n"
    "  tokenize --tokenizer my.tiktoken --pattern cl100k_base book.txt\n"
    "  find . -name '*.txt' -exec sh -c 'cat \"$1\"; printf \"\\0\"' _ {} \\; "
    "|\n      tokenize --tokenizer bytes --null-separated\n"
    "  tokenize --tokenizer spm.model --sample 17 --alpha 0.2 book.txt\n"
    "  echo 15339 1917 | tokenize --tokenizer cl100k_base.tiktoken --decode\n"
    "  tokenize --tokenizer my.json --train --size 8192 books/ more.txt.gz\n"
    "\nExit codes: 0 done, 1 failure, 2 wrong usage.";

using Document = std::function<absl::Status(std::string_view)>;

// Calls `each` with every piece of a file or, for "-", of standard input.
absl::Status ReadPieces(const std::string& path, const Document& each) {
  std::string buffer(kReadBytes, '\0');
  if (path == "-") {
    while (const size_t got =
               std::fread(buffer.data(), 1, buffer.size(), stdin)) {
      PENSTOCK_RETURN_IF_ERROR(each({buffer.data(), got}));
    }
    if (std::ferror(stdin) == 0) return absl::OkStatus();
    return absl::UnavailableError("cannot read the standard input");
  }
  PENSTOCK_ASSIGN_OR_RETURN(const auto file, LocalFiles().OpenForRead(path));
  for (uint64_t offset = 0;;) {
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got, file->ReadAt(offset, buffer));
    if (got == 0) return absl::OkStatus();
    PENSTOCK_RETURN_IF_ERROR(each({buffer.data(), got}));
    offset += got;
  }
}

// Calls `each` with what stands before each `separator`, and with the rest
// unless that is empty. Holds one document at a time.
absl::Status ReadSeparated(const std::string& path, char separator,
                           const Document& each) {
  std::string kept;
  PENSTOCK_RETURN_IF_ERROR(ReadPieces(path, [&](std::string_view piece) {
    while (true) {
      const size_t end = piece.find(separator);
      kept.append(piece.substr(0, end));
      if (end == std::string_view::npos) return absl::OkStatus();
      PENSTOCK_RETURN_IF_ERROR(each(kept));
      kept.clear();
      piece.remove_prefix(end + 1);
    }
  }));
  return kept.empty() ? absl::OkStatus() : each(kept);
}

absl::Status ReadWhole(const std::string& path, const Document& each) {
  std::string whole;
  PENSTOCK_RETURN_IF_ERROR(ReadPieces(path, [&](std::string_view piece) {
    whole.append(piece);
    return absl::OkStatus();
  }));
  return each(whole);
}

absl::Status WriteOut(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(
      fmt::format("cannot write the output: {}", std::strerror(errno)));
}

void AppendIds(const std::vector<TokenId>& ids, std::string& line) {
  for (size_t i = 0; i < ids.size(); ++i) {
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, ids[i]).ptr;
    if (i > 0) line.push_back(' ');
    line.append(digits, end);
  }
  line.push_back('\n');
}

// id:begin:end:word, where begin and end count characters.
void AppendOrigins(const std::vector<TokenId>& ids,
                   const std::vector<TokenOrigin>& origins, std::string& line) {
  for (size_t i = 0; i < ids.size(); ++i) {
    const TokenOrigin& origin = origins[i];
    fmt::format_to(std::back_inserter(line), "{}{}:{}:{}:{}", i > 0 ? " " : "",
                   ids[i], origin.begin_char, origin.end_char,
                   origin.word == TokenOrigin::kNoWord
                       ? -1
                       : static_cast<int64_t>(origin.word));
  }
  line.push_back('\n');
}

absl::StatusOr<std::vector<TokenId>> ParseIds(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<TokenId> ids;
  for (size_t pos = line.find_first_not_of(kBlanks);
       pos != std::string_view::npos;
       pos = line.find_first_not_of(kBlanks, pos)) {
    const std::string_view word =
        line.substr(pos, line.find_first_of(kBlanks, pos) - pos);
    TokenId id = 0;
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size()) {
      return absl::InvalidArgumentError(
          fmt::format("expected token ids, found \"{}\"", word.substr(0, 40)));
    }
    ids.push_back(id);
    pos += word.size();
  }
  return ids;
}

SpecialText PolicyOf(std::string_view flag) {
  if (flag == "refuse") return SpecialText::kRefuse;
  return flag == "text" ? SpecialText::kAsText : SpecialText::kAllow;
}

absl::Status EncodeDocument(const Tokenizer& tokenizer, const Flags& flags,
                            std::string_view text) {
  const EncodeOptions options = {
      .special_text = PolicyOf(flags.special),
      .add_special_tokens = !flags.no_special_tokens};
  std::vector<TokenId> ids;
  std::string line;
  if (flags.sample) {
    PENSTOCK_RETURN_IF_ERROR(tokenizer.EncodeSampled(
        text, options,
        {.seed = *flags.sample, .alpha = flags.alpha, .best = flags.best},
        ids));
    AppendIds(ids, line);
  } else if (flags.best > 0) {
    std::vector<ScoredIds> best;
    PENSTOCK_RETURN_IF_ERROR(
        tokenizer.EncodeBest(text, options, flags.best, best));
    for (const ScoredIds& way : best) {
      fmt::format_to(std::back_inserter(line), "{}\t", way.score);
      AppendIds(way.ids, line);
    }
  } else if (flags.offsets) {
    std::vector<TokenOrigin> origins;
    PENSTOCK_RETURN_IF_ERROR(
        tokenizer.EncodeWithOrigins(text, options, ids, origins));
    AppendOrigins(ids, origins, line);
  } else {
    PENSTOCK_RETURN_IF_ERROR(tokenizer.Encode(text, options, ids));
    AppendIds(ids, line);
  }
  return WriteOut(line);
}

absl::Status DecodeLine(const Tokenizer& tokenizer, const Flags& flags,
                        std::string_view line) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<TokenId> ids, ParseIds(line));
  std::string text;
  PENSTOCK_RETURN_IF_ERROR(tokenizer.Decode(
      ids, {.skip_special_tokens = flags.no_special_tokens}, text));
  if (flags.null_separated) text.push_back('\0');
  return WriteOut(text);
}

absl::Status RunOn(const Tokenizer& tokenizer, const Flags& flags,
                   const std::string& path) {
  size_t number = 0;
  const auto each = [&](std::string_view document) {
    const absl::Status status =
        flags.decode ? DecodeLine(tokenizer, flags, document)
                     : EncodeDocument(tokenizer, flags, document);
    ++number;
    if (status.ok()) return status;
    return Annotate(
        status, fmt::format("{}: {} {}", path == "-" ? "standard input" : path,
                            flags.decode ? "line" : "document", number));
  };
  if (flags.decode) return ReadSeparated(path, '\n', each);
  if (flags.null_separated) return ReadSeparated(path, '\0', each);
  return ReadWhole(path, each);
}

absl::Status Train(const Flags& flags) {
  VocabularyOptions options = flags.training;
  options.inputs = flags.inputs;
  options.output = flags.tokenizer;
  if (options.inputs == Flags().inputs) {
    return absl::InvalidArgumentError(
        "--train reads files, patterns or folders, not standard input; name "
        "some");
  }
  return RunVocabularyTraining(options);
}

absl::Status Run(const Flags& flags) {
  if (flags.train) return Train(flags);
  PENSTOCK_ASSIGN_OR_RETURN(
      const auto tokenizer,
      LoadTokenizer(LocalFiles(), flags.tokenizer, {.pattern = flags.pattern}));
  for (const std::string& path : flags.inputs) {
    PENSTOCK_RETURN_IF_ERROR(RunOn(*tokenizer, flags, path));
  }
  if (std::fflush(stdout) == 0) return absl::OkStatus();
  return absl::UnavailableError("cannot write the output");
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app("Turns text into token ids, one line for each document.",
               "tokenize");
  app.set_version_flag("--version", PENSTOCK_VERSION);
  app.add_option("--tokenizer", flags.tokenizer,
                 "tokenizer.json, .tiktoken or SentencePiece .model file, "
                 "vocab.txt, vocab.json, or \"bytes\"")
      ->required();
  app.add_option("--pattern", flags.pattern,
                 "the encoding of a .tiktoken file whose name does not tell, "
                 "e.g. cl100k_base");
  app.add_option("inputs", flags.inputs,
                 "files, each one document; \"-\" or none: standard input");
  app.add_flag("--null-separated", flags.null_separated,
               "documents end with NUL: in the input, or with --decode in the "
               "output");
  app.add_flag("--no-special-tokens", flags.no_special_tokens,
               "add none around documents; with --decode, leave them out");
  app.add_flag("--offsets", flags.offsets,
               "write id:begin:end:word for each token: the characters it "
               "came from and the number of its word");
  app.add_flag("--decode", flags.decode, "lines of ids in, text out");
  app.add_option("--special", flags.special,
                 "what the text of a special token becomes: its id (allow), "
                 "an error (refuse) or plain text (text)")
      ->check(CLI::IsMember({"allow", "refuse", "text"}))
      ->capture_default_str();
  CLI::Option* best =
      app.add_option("--nbest", flags.best,
                     "write the score and the ids of so many of the best ways "
                     "to segment a document, a line each (SentencePiece "
                     "unigram)")
          ->check(CLI::Range(1, 512));
  CLI::Option* sample = app.add_option(
      "--sample", flags.sample,
      "a seed: draw one way to segment, BPE by dropout, SentencePiece unigram "
      "by score; with --nbest, from those");
  app.add_option("--alpha", flags.alpha,
                 "for --sample: the chance of a merge to be left out, or what "
                 "scores are multiplied with (default the file's, else 0.1)")
      ->needs(sample);
  for (CLI::Option* option : {best, sample}) {
    option->excludes(app.get_option("--decode"));
    option->excludes(app.get_option("--offsets"));
  }
  CLI::Option* train = app.add_flag(
      "--train", flags.train,
      "learn byte-level BPE from the inputs, which may be all that datagen "
      "reads, and write it to the tokenizer.json that --tokenizer names");
  for (const char* other :
       {"--decode", "--offsets", "--pattern", "--nbest", "--sample"}) {
    train->excludes(app.get_option(other));
  }
  CLI::Option_group* training = AddTrainingOptions(app, flags.training);
  AddCorpusOptions(*training, flags.training.open);
  training->needs(train);
  app.footer(kExamples);
  return RunProgram(app, argc, argv, [&] { return Run(flags); });
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) { return penstock::Main(argc, argv); }
