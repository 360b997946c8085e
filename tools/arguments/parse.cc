#include "tools/arguments/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

#include "formats/files/quoted.h"
#include "tools/arguments/argument_terms.h"
#include "tools/arguments/argument_values.h"
#include "tools/arguments/corrected_words.h"
#include "tools/arguments/suggestion.h"

namespace penstock {
namespace {

// What the line says of one argument.
struct Given {
  const Argument* argument;
  const ArgumentGroup* group;
  std::vector<std::string> words;
  std::vector<ArgumentValue> values;
  bool lacks_value = false;

  bool is_given() const { return !words.empty() || lacks_value; }
};

// Numbers of a list may stand in one word, with commas between them.
std::vector<std::string> PartsOf(const Argument& argument,
                                 const std::vector<std::string>& words) {
  if (!argument.is_list || argument.kind == ArgumentKind::kText) return words;
  std::vector<std::string> parts;
  for (std::string_view rest : words) {
    for (size_t comma; (comma = rest.find(',')) != std::string_view::npos;) {
      if (comma > 0) parts.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(comma + 1);
    }
    if (!rest.empty() || parts.empty()) parts.emplace_back(rest);
  }
  return parts;
}

class LineReader {
 public:
  explicit LineReader(const Command& command) : command_(command) {
    for (const ArgumentGroup* group : command.groups()) {
      for (const auto& argument : group->arguments()) {
        given_.push_back({.argument = argument.get(), .group = group});
      }
    }
  }

  std::vector<std::string> Read(std::vector<std::string> words) {
    const bool is_help_misspelt = DealOut(std::move(words));
    if (IsHelpWanted()) {
      if (!is_help_misspelt) problems_.clear();
      std::erase_if(given_,
                    [&](const Given& given) { return !IsAboutHelp(given); });
    }
    for (const Given& given : given_) CheckPresence(given);
    for (Given& given : given_) ReadValues(given);
    if (problems_.empty()) Store();
    return std::move(problems_);
  }

 private:
  template <typename... Parts>
  void AddProblem(fmt::format_string<Parts...> format, Parts&&... parts) {
    problems_.push_back(fmt::format(format, std::forward<Parts>(parts)...));
  }

  // Returns whether a flag about help is misspelt.
  bool DealOut(std::vector<std::string> words) {
    std::vector<const Argument*> arguments;
    for (const Given& given : given_) arguments.push_back(given.argument);
    CorrectedWords corrected =
        CorrectWords(command_, arguments, std::move(words));
    for (size_t i = 0; i < given_.size(); ++i) {
      given_[i].words = std::move(corrected.given.values[i]);
      given_[i].lacks_value =
          !corrected.without_value.empty() &&
          (arguments[i]->name == corrected.without_value ||
           arguments[i]->short_name == corrected.without_value);
    }
    problems_ = std::move(corrected.problems);
    return corrected.is_help_misspelt;
  }

  bool IsAboutHelp(const Given& given) const {
    return given.group == &command_.help_group();
  }
  bool IsHelpWanted() const {
    return std::ranges::any_of(given_, [&](const Given& given) {
      return given.is_given() && IsAboutHelp(given);
    });
  }

  void CheckPresence(const Given& given) {
    const Argument& argument = *given.argument;
    if (!given.is_given()) {
      if (!argument.is_required) return;
      if (argument.unless.empty()) {
        AddProblem("{} is missing", TermOf(argument));
      } else if (!IsGiven(argument.unless)) {
        AddProblem("{} or {} is missing", TermOf(argument), argument.unless);
      }
      return;
    }
    std::vector<std::string> needs = argument.needs;
    if (!given.group->needs().empty()) needs.push_back(given.group->needs());
    for (const std::string& other : needs) {
      if (IsGiven(other)) continue;
      AddProblem("{} needs {}, which is missing", argument.name, other);
    }
    for (const std::string& other : argument.excludes) {
      if (!IsGiven(other)) continue;
      AddProblem("{} and {} exclude each other", argument.name, other);
    }
  }

  bool IsGiven(std::string_view name) const {
    const auto other = std::ranges::find_if(given_, [&](const Given& given) {
      return given.argument->name == name;
    });
    assert(other != given_.end());
    return other != given_.end() && other->is_given();
  }

  void ReadValues(Given& given) {
    const Argument& argument = *given.argument;
    const bool is_single =
        !argument.is_list && argument.kind != ArgumentKind::kFlag;
    if (is_single && given.words.size() > 1) {
      AddProblem("{} is given {} times", argument.name, given.words.size());
      return;
    }
    for (const std::string& word : PartsOf(argument, given.words)) {
      StatusOr<ArgumentValue> value = ReadArgumentValue(argument, word);
      if (value.ok()) {
        given.values.push_back(*std::move(value));
      } else {
        problems_.emplace_back(value.status().message());
      }
    }
  }

  void Store() {
    for (const Given& given : given_) {
      if (given.values.empty()) continue;
      given.argument->store(given.argument->variable, given.values);
    }
  }

  const Command& command_;
  std::vector<Given> given_;
  std::vector<std::string> problems_;
};

// What is wrong with the first word, where a command was meant by it; nothing
// where it is something else.
std::string CommandProblem(const Program& program, const std::string& word) {
  if (word.starts_with('-')) return "";
  const std::string meant = Suggestion(word, program.command_names());
  if (meant.empty() && !program.wants_command()) return "";
  return fmt::format("{} is not a command{}", Quoted(word), DidYouMean(meant));
}

}  // namespace

ParsedLine ParseLine(Program& program, std::vector<std::string> words) {
  Command* taken = &program;
  if (!words.empty()) {
    for (const auto& command : program.commands()) {
      if (words[0] == command->name()) taken = command.get();
    }
    if (taken != &program) {
      words.erase(words.begin());
    } else if (std::string problem = CommandProblem(program, words[0]);
               !problem.empty()) {
      return {&program, {std::move(problem)}};
    }
  }
  return {taken, LineReader(*taken).Read(std::move(words))};
}

}  // namespace penstock
