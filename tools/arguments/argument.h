// One argument of a program: what it is called, what it takes, and where that
// goes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tools/arguments/numbers.h"

namespace penstock {

// A value as it was given, and what it means; the argument's kind says which
// field that is.
struct ArgumentValue {
  std::string text;
  uint64_t bits = 0;  // a negative number in two's complement
  double real = 0;
};

enum class ArgumentKind {
  kFlag,     // bits: 1 where the flag is given
  kText,     // text
  kInteger,  // bits
  kReal,     // real
  kBytes,    // bits: 262144, 256KiB, 64MiB, 1GiB
  kChoice,   // text: a word; bits: what it stands for
};

struct ArgumentChoice {
  std::string word;
  uint64_t bits = 0;
};

// Groups make arguments (argument_group.h). What else is so of one is said by
// the calls behind that:
//
//   group.Number(...).Between(1, 512).Needs("--tokenizer");
struct Argument {
  // The line is wrong without it.
  Argument& Required();
  // The same where `other`, named as in "--mix", is not given.
  Argument& RequiredUnless(std::string_view other);
  // The range of a kInteger, a kReal or a kBytes; its ends belong to it.
  template <typename Number>
  Argument& AtLeast(Number limit);
  template <typename Number>
  Argument& AtMost(Number limit);
  template <typename Least, typename Most>
  Argument& Between(Least at_least, Most at_most) {
    return AtLeast(at_least).AtMost(at_most);
  }
  // Where it is given, `other` has to be given, too; or none of `others`. They
  // are named as in "--tokenizer", and belong to the same command.
  Argument& Needs(std::string_view other);
  Argument& Excludes(std::initializer_list<std::string_view> others);
  // What the help says of the value that holds where none is given, instead of
  // what the variable holds.
  Argument& DefaultsTo(std::string_view words);
  // Of a list: each value has the option's name before it.
  Argument& OneEach();
  // Of a kText: only what `is_good` says yes to, which `expected` describes.
  Argument& MustBe(std::string_view expected,
                   bool (*is_good)(std::string_view));

  // "--input", or the name of a positional argument's value.
  std::string name;
  std::string short_name;  // "-i"; mostly empty
  std::string value_name;  // "PATH"; empty for flags and choices
  std::string help;
  ArgumentKind kind = ArgumentKind::kFlag;
  bool is_positional = false;
  bool is_list = false;
  bool is_one_each = false;
  bool is_required = false;
  std::string unless;  // this is given; mostly empty

  WholeRange range;      // of a kInteger and a kBytes
  RealRange real_range;  // of a kReal
  std::vector<ArgumentChoice> choices;
  bool holds_word = false;  // of a kChoice: the variable is the word itself
  std::string expected;
  bool (*is_good)(std::string_view) = nullptr;
  std::vector<std::string> needs;
  std::vector<std::string> excludes;

  std::string default_words;
  std::vector<ArgumentValue> defaults;  // what the variable held
  // Puts values, at least one, into the variable.
  void (*store)(void* variable,
                const std::vector<ArgumentValue>& values) = nullptr;
  void* variable = nullptr;
};

template <typename Number>
Argument& Argument::AtLeast(Number limit) {
  if constexpr (std::is_integral_v<Number>) {
    range.least = static_cast<int64_t>(limit);
  }
  real_range.least = static_cast<double>(limit);
  return *this;
}

template <typename Number>
Argument& Argument::AtMost(Number limit) {
  if constexpr (std::is_integral_v<Number>) {
    range.most = static_cast<uint64_t>(limit);
  }
  real_range.most = static_cast<double>(limit);
  return *this;
}

}  // namespace penstock
