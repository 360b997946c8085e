// Text to token ids and back, one line of ids for each document.

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/file.h"
#include "formats/status.h"
#include "tokenizer/encoding.h"
#include "tokenizer/load.h"
#include "tokenizer/tokenizer.h"
#include "tools/corpus_options.h"
#include "tools/program.h"
#include "tools/text_input.h"
#include "tools/token_output.h"
#include "tools/vocabulary_training.h"

namespace penstock {
namespace {

struct Flags {
  std::string tokenizer;
  std::string pattern;
  std::string pattern_regex;
  std::vector<std::string> special_tokens;
  std::vector<std::string> inputs = {"-"};
  bool null_separated = false;
  bool no_special_tokens = false;
  bool decode = false;
  bool offsets = false;
  bool json = false;
  bool pairs = false;
  size_t batch = 1;
  bool refuse_invalid_utf8 = false;
  std::string special = "allow";
  bool train = false;
  VocabularyOptions training;

  bool OnlyIds() const { return !offsets && !json && !pairs && batch == 1; }
};

constexpr char kExamples[] =
    "Examples:\n"
    "  echo -n 'hello world' | tokenize --tokenizer cl100k_base.tiktoken\n"
    "  tokenize --tokenizer gpt2.tokenizer.json book1.txt book2.txt\n"
    "  tokenize --tokenizer my.tiktoken --pattern cl100k_base book.txt\n"
    "  find . -name '*.txt' -exec sh -c 'cat \"$1\"; printf \"\\0\"' _ {} \\; "
    "|\n      tokenize --tokenizer bytes --null-separated\n"
    "  echo 15339 1917 | tokenize --tokenizer cl100k_base.tiktoken --decode\n"
    "  printf 'who?\\tme' | tokenize --tokenizer bert.tokenizer.json --pairs "
    "--json\n"
    "  tokenize --tokenizer t5.model --offsets book.txt\n"
    "  tokenize --tokenizer my.json --train --size 8192 books/ more.txt.gz\n"
    "\nExit codes: 0 done, 1 failure, 2 wrong usage.";

absl::Status WriteOut(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(
      fmt::format("cannot write the output: {}", std::strerror(errno)));
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

// "<|endoftext|>=100257".
absl::StatusOr<SpecialToken> ParseSpecialToken(const std::string& flag) {
  const size_t equals = flag.rfind('=');
  SpecialToken token;
  const char* const end = flag.data() + flag.size();
  if (equals != std::string::npos && equals > 0) {
    const auto [stop, error] =
        std::from_chars(flag.data() + equals + 1, end, token.id);
    token.text = flag.substr(0, equals);
    if (error == std::errc() && stop == end) return token;
  }
  return absl::InvalidArgumentError(
      fmt::format("--special-token {}: not TEXT=ID", flag));
}

SpecialText PolicyOf(std::string_view flag) {
  if (flag == "refuse") return SpecialText::kRefuse;
  return flag == "text" ? SpecialText::kAsText : SpecialText::kAllow;
}

EncodeOptions OptionsOf(const Flags& flags) {
  return {.special_text = PolicyOf(flags.special),
          .invalid_utf8 = flags.refuse_invalid_utf8 ? InvalidUtf8::kRefuse
                                                    : InvalidUtf8::kAsReference,
          .add_special_tokens = !flags.no_special_tokens};
}

absl::StatusOr<TextPair> PairOf(const Flags& flags, std::string_view text) {
  if (!flags.pairs) return TextPair{text};
  const size_t tab = text.find('\t');
  if (tab == std::string_view::npos) {
    return absl::InvalidArgumentError(
        "no tab between the two texts that --pairs asks for");
  }
  return TextPair{text.substr(0, tab), text.substr(tab + 1)};
}

absl::Status WriteIds(const Tokenizer& tokenizer, const Flags& flags,
                      std::string_view text) {
  std::vector<TokenId> ids;
  std::string line;
  PENSTOCK_RETURN_IF_ERROR(tokenizer.Encode(text, OptionsOf(flags), ids));
  AppendIds(ids, line);
  return WriteOut(line);
}

// Texts that are padded together.
class Batch {
 public:
  Batch(const Tokenizer& tokenizer, const Flags& flags)
      : tokenizer_(tokenizer), flags_(flags) {}

  absl::Status Add(std::string_view text) {
    texts_.emplace_back(text);
    return texts_.size() < flags_.batch ? absl::OkStatus() : Write();
  }

  absl::Status Write() {
    std::vector<TextPair> pairs;
    for (const std::string& text : texts_) {
      PENSTOCK_ASSIGN_OR_RETURN(const TextPair pair, PairOf(flags_, text));
      pairs.push_back(pair);
    }
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<Encoding> encodings,
                              EncodeFully(tokenizer_, pairs,
                                          {.encode = OptionsOf(flags_),
                                           .keep_overflow = flags_.json}));
    std::string lines;
    for (const Encoding& encoding : encodings) {
      if (flags_.json) {
        AppendJson(tokenizer_, encoding, lines);
      } else if (flags_.offsets) {
        AppendOrigins(encoding.ids, encoding.origins, lines);
      } else {
        AppendIds(encoding.ids, lines);
      }
    }
    texts_.clear();
    return WriteOut(lines);
  }

 private:
  const Tokenizer& tokenizer_;
  const Flags& flags_;
  std::vector<std::string> texts_;
};

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
  Batch batch(tokenizer, flags);
  const auto named = [&](absl::Status status) {
    if (status.ok()) return status;
    return Annotate(
        status, fmt::format("{}: {} {}", path == "-" ? "standard input" : path,
                            flags.decode ? "line" : "document", number));
  };
  const auto each = [&](std::string_view document) {
    ++number;
    if (flags.decode) return named(DecodeLine(tokenizer, flags, document));
    if (flags.OnlyIds()) return named(WriteIds(tokenizer, flags, document));
    return named(batch.Add(document));
  };
  if (flags.decode) return ReadSeparated(path, '\n', each);
  PENSTOCK_RETURN_IF_ERROR(flags.null_separated
                               ? ReadSeparated(path, '\0', each)
                               : ReadWhole(path, each));
  return named(batch.Write());
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
  LoadOptions load = {.pattern = flags.pattern,
                      .pattern_regex = flags.pattern_regex};
  for (const std::string& token : flags.special_tokens) {
    PENSTOCK_ASSIGN_OR_RETURN(SpecialToken parsed, ParseSpecialToken(token));
    load.special_tokens.push_back(std::move(parsed));
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      const auto tokenizer,
      LoadTokenizer(LocalFiles(), flags.tokenizer, std::move(load)));
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
  app.add_option("--pattern-regex", flags.pattern_regex,
                 "instead: the regular expression that cuts text");
  app.add_option("--special-token", flags.special_tokens,
                 "TEXT=ID, of a .tiktoken file; may be repeated, and replaces "
                 "the pattern's");
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
  app.add_flag("--json", flags.json,
               "write an object for each document: ids, tokens, offsets, "
               "words, types, masks, overflowing parts");
  app.add_flag("--pairs", flags.pairs,
               "a document is two texts with a tab between them");
  app.add_option("--batch", flags.batch,
                 "documents to pad to the longest of them, where the file says "
                 "that texts are padded so")
      ->check(CLI::Range(size_t{1}, size_t{1} << 20))
      ->capture_default_str();
  app.add_flag("--refuse-invalid-utf8", flags.refuse_invalid_utf8,
               "fail at bytes that are not UTF-8");
  app.add_flag("--decode", flags.decode, "lines of ids in, text out");
  app.add_option("--special", flags.special,
                 "what the text of a special token becomes: its id (allow), "
                 "an error (refuse) or plain text (text)")
      ->check(CLI::IsMember({"allow", "refuse", "text"}))
      ->capture_default_str();
  CLI::Option* train = app.add_flag(
      "--train", flags.train,
      "learn byte-level BPE from the inputs, which may be all that datagen "
      "reads, and write it to the tokenizer.json that --tokenizer names");
  for (const char* other : {"--decode", "--offsets", "--pattern"}) {
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
