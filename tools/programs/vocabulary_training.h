// Corpora -> tokenizer.json: the work of `datagen vocab` and `tokenize
// --train`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "tokenizer/training/bpe_training.h"
#include "tools/arguments/argument_group.h"
#include "tools/programs/corpus_options.h"
#include "tools/programs/document_chunks.h"
#include "tools/programs/input_files.h"

namespace penstock {

struct VocabularyOptions {
  std::vector<std::string> inputs;  // files, patterns or folders
  std::string output;               // the tokenizer.json
  Corpus corpus;
  BpeTrainingOptions training;
  std::string pattern = "gpt2";  // one of TrainingPatternNames()
  int threads = 0;               // 0 is one for each core
  // For the corpus' different words; more of them are kResourceExhausted.
  uint64_t memory_bytes = 4ull << 30;
  bool overwrite = false;
  bool quiet = false;  // no progress
};

struct VocabularyResult {
  uint64_t documents = 0;
  uint64_t text_bytes = 0;
  uint64_t words = 0;  // different pieces
  size_t tokens = 0;   // fewer than asked for where the corpus has no more
  InputFiles input;
  InputLosses losses;
};

// The same documents and options give the same file for any number of threads
// and any order of the documents. The file appears whole or not at all.
// Errors:  those of reading, TrainBpe and writing; kInvalidArgument for a
//          pattern that is not known; kAlreadyExists where the output is there
//          and overwrite is false; kFailedPrecondition where no document was
//          found.
StatusOr<VocabularyResult> TrainVocabulary(FileSystem& files,
                                           const VocabularyOptions& options);

// All options but inputs, output and what CorpusOptions has: --overwrite
// goes to `output`, the others to `training`, which may be the same group.
// `options` must outlive them.
void AddTrainingOptions(ArgumentGroup& training, ArgumentGroup& output,
                        VocabularyOptions& options);

// Trains, and prints to stdout what came out. The input "-" is standard input,
// which is text unless `corpus` says otherwise.
Status RunVocabularyTraining(VocabularyOptions options,
                             const CorpusOptions& corpus);

}  // namespace penstock
