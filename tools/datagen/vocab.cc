#include "tools/datagen/vocab.h"

#include "tools/programs/corpus_options.h"
#include "tools/programs/running_options.h"
#include "tools/programs/vocabulary_training.h"

namespace penstock {
namespace {

constexpr char kExamples[] = R"(
  datagen vocab books/ --size 8192 --output tokenizer.json
  datagen vocab 'crawl/*.jsonl.gz' --field text --size 65536 --words o200k \
          --special-token '<|endoftext|>' --output crawl.json
  datagen --input books/ --output data --name books --tokenizer tokenizer.json)";

constexpr char kNotes[] = R"(
The file is a tokenizer.json as Hugging Face tokenizers writes it: byte-level
BPE. The same corpus gives the same file, whatever the threads and the order of
the files.)";

class Vocab final : public Command {
 public:
  Vocab()
      : Command("vocab", "Learns a byte-level BPE tokenizer from a corpus") {
    ArgumentGroup& input = Group("Input");
    input
        .Positional("CORPUS", options_.inputs,
                    "Files, patterns or folders, as of datagen's --input; "
                    "\"-\", standard input, is text unless --kind says "
                    "otherwise")
        .Required();
    corpus_.AddTo(input, Group("Text"));
    ArgumentGroup& training = Group("Training");
    ArgumentGroup& output = Group("Output");
    output
        .Option("-o,--output", options_.output, "FILE",
                "The tokenizer.json to write")
        .Required();
    AddTrainingOptions(training, output, options_);
    ArgumentGroup& running = Group("Running");
    AddThreads(running, options_.threads, "That count words side by side");
    AddQuiet(running, options_.quiet);
    Examples(kExamples);
    Notes(kNotes);
  }

  Status Run() override { return RunVocabularyTraining(options_, corpus_); }

 private:
  CorpusOptions corpus_;
  VocabularyOptions options_;
};

}  // namespace

std::unique_ptr<Command> VocabCommand() { return std::make_unique<Vocab>(); }

}  // namespace penstock
