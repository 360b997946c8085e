#include "tools/arguments/argument_terms.h"

#include "tools/arguments/argument_values.h"

namespace penstock {

std::string ValueTerm(const Argument& argument) {
  if (argument.kind == ArgumentKind::kFlag) return "";
  std::string term = argument.value_name;
  if (argument.kind == ArgumentKind::kChoice) {
    for (const ArgumentChoice& choice : argument.choices) {
      term += (term.empty() ? "{" : ",") + choice.word;
    }
    term += "}";
  }
  if (!argument.is_list || argument.is_one_each) return term;
  return term + (argument.kind == ArgumentKind::kText ? "..." : ",...");
}

std::string TermOf(const Argument& argument) {
  const std::string value = ValueTerm(argument);
  if (argument.is_positional) return value;
  return value.empty() ? argument.name : argument.name + " " + value;
}

std::vector<std::string> Remarks(const Argument& argument) {
  std::vector<std::string> remarks;
  const std::string words = DefaultWords(argument);
  if (!words.empty()) remarks.push_back("default " + words);
  for (const std::string& other : argument.needs) {
    remarks.push_back("needs " + other);
  }
  for (size_t i = 0; i < remarks.size(); ++i) {
    if (i == 0) remarks[i].insert(0, "(");
    remarks[i] += i + 1 < remarks.size() ? ";" : ")";
  }
  return remarks;
}

std::string TitleOf(const ArgumentGroup& group) {
  return group.needs().empty()
             ? group.title()
             : group.title() + " (with " + group.needs() + ")";
}

std::vector<std::vector<std::string>> Synopses(const Command& command) {
  std::vector<std::vector<std::string>> synopses;
  if (!command.wants_command()) {
    std::vector<std::string> words = {command.full_name(), "[OPTION...]"};
    std::vector<std::string> positionals;
    for (const ArgumentGroup* group : command.groups()) {
      for (const auto& argument : group->arguments()) {
        const std::string term = TermOf(*argument);
        if (argument->is_positional) {
          positionals.push_back(argument->is_required &&
                                        argument->unless.empty()
                                    ? term
                                    : "[" + term + "]");
        } else if (argument->is_required) {
          words.push_back(term);
        }
      }
    }
    words.insert(words.end(), positionals.begin(), positionals.end());
    synopses.push_back(words);
  }
  if (!command.commands().empty()) {
    synopses.push_back({command.full_name(), "COMMAND", "[OPTION...]", "..."});
  }
  return synopses;
}

const std::vector<ExitCode>& ExitCodes() {
  static const auto& codes = *new std::vector<ExitCode>{
      {"0", "done"},
      {"1", "failed; the message is on standard error"},
      {"2", "wrong usage"},
      {"128+N", "stopped by signal N"}};
  return codes;
}

}  // namespace penstock
