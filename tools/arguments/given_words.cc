// The one place that knows the library that reads command lines.

#include "tools/arguments/given_words.h"

#include <CLI/CLI.hpp>
#include <cctype>
#include <string_view>
#include <utility>

namespace penstock {
namespace {

// The library takes an empty value for none and [a,b] for two values. A mark
// before such a word keeps it whole.
constexpr char kMark = '\x01';

// Where in the word its value begins.
size_t ValueBegin(std::string_view word) {
  const size_t equals = word.find('=');
  return word.starts_with("--") && equals != std::string_view::npos ? equals + 1
                                                                    : 0;
}

std::string Marked(std::string word) {
  const size_t begin = ValueBegin(word);
  const bool is_empty = begin > 0 && begin == word.size();
  if (is_empty || word[begin] == '[' || word[begin] == kMark) {
    word.insert(begin, 1, kMark);
  }
  return word;
}

std::string Unmarked(std::string word, size_t begin = 0) {
  if (begin < word.size() && word[begin] == kMark) word.erase(begin, 1);
  return word;
}

CLI::Option* AddTo(CLI::App& app, const Argument& argument) {
  // More values than any line has, and fewer than the library calls many.
  constexpr int kAnyNumber = 1 << 24;
  if (argument.kind == ArgumentKind::kFlag) {
    return app.add_flag(argument.short_name.empty()
                            ? argument.name
                            : argument.short_name + "," + argument.name);
  }
  std::string names = argument.name;
  if (!argument.short_name.empty()) names += "," + argument.short_name;
  CLI::Option* const option = app.add_option(names, CLI::callback_t());
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  // One value for each name, but any number of names: whoever wants one value
  // alone counts them.
  option->expected(1, CLI::detail::expected_max_vector_size);
  if (argument.is_list && !argument.is_one_each) {
    option->expected(1, kAnyNumber);
  }
  option->allow_extra_args(argument.is_list && argument.is_positional);
  option->required(argument.is_positional && argument.is_required &&
                   argument.unless.empty());
  return option;
}

bool LooksLikeOption(std::string_view word) {
  return word.size() > 1 && word[0] == '-' &&
         std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

}  // namespace

GivenWords SplitWords(const std::vector<const Argument*>& arguments,
                      const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> options;
  for (const Argument* argument : arguments) {
    options.push_back(AddTo(app, *argument));
  }
  GivenWords given;
  std::vector<std::string> from_last;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    from_last.push_back(Marked(*word));
  }
  try {
    app.parse(std::move(from_last));
  } catch (const CLI::RequiredError&) {
    // Found at the end, when all words are dealt out.
  } catch (const CLI::ArgumentMismatch&) {
    given.ends_too_early = true;
  }
  for (const CLI::Option* option : options) {
    std::vector<std::string>& values = given.values.emplace_back();
    for (const std::string& value : option->results()) {
      values.push_back(Unmarked(value));
    }
  }
  bool options_end = false;
  for (const std::string& word : app.remaining()) {
    const bool is_option = !options_end && LooksLikeOption(word);
    if (word == "--") {
      options_end = true;
    } else if (is_option) {
      given.unknown_options.push_back(Unmarked(word, ValueBegin(word)));
    } else {
      given.extra_words.push_back(Unmarked(word));
    }
  }
  return given;
}

}  // namespace penstock
