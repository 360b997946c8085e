// The options that name a tokenizer, the same in all programs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/load.h"
#include "tools/arguments/argument_group.h"

namespace penstock {

struct TokenizerOptions {
  std::string path;  // empty where none is named
  LoadOptions load = {.compiled = {.use = true}};

  // --tokenizer and what else says how to read it; `use` ends the help of the
  // first, as in "without it the text itself is written". This must outlive
  // `tokens`. Returns --tokenizer.
  Argument& AddTo(ArgumentGroup& tokens, std::string_view use);

  // Loads it; what the file says and is not so goes to standard error.
  // Errors:  those of LoadTokenizer.
  StatusOr<std::shared_ptr<const Tokenizer>> Load() const;
};

}  // namespace penstock
