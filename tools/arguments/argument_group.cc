#include "tools/arguments/argument_group.h"

namespace penstock {

Argument& Argument::Required() {
  is_required = true;
  return *this;
}

Argument& Argument::RequiredUnless(std::string_view other) {
  is_required = true;
  unless = other;
  return *this;
}

Argument& Argument::Needs(std::string_view other) {
  needs.emplace_back(other);
  return *this;
}

Argument& Argument::Excludes(std::initializer_list<std::string_view> others) {
  excludes.insert(excludes.end(), others.begin(), others.end());
  return *this;
}

Argument& Argument::DefaultsTo(std::string_view words) {
  default_words = words;
  return *this;
}

Argument& Argument::OneEach() {
  is_one_each = true;
  return *this;
}

Argument& Argument::MustBe(std::string_view expected_words,
                           bool (*good)(std::string_view)) {
  expected = expected_words;
  is_good = good;
  return *this;
}

Argument& ArgumentGroup::Choice(std::string_view names, std::string& variable,
                                const std::vector<std::string_view>& words,
                                std::string_view help) {
  Argument& argument = Add(ArgumentKind::kChoice, names, variable, "", help);
  argument.holds_word = true;
  for (const std::string_view word : words) {
    argument.choices.push_back({std::string(word)});
  }
  return argument;
}

Argument& ArgumentGroup::Flag(std::string_view names, bool& variable,
                              std::string_view help) {
  return Add(ArgumentKind::kFlag, names, variable, "", help);
}

Argument& ArgumentGroup::NoFlag(std::string_view names, bool& variable,
                                std::string_view help) {
  Argument& argument = Flag(names, variable, help);
  argument.store = [](void* at, const std::vector<ArgumentValue>& values) {
    *static_cast<bool*>(at) = values.back().bits == 0;
  };
  return argument;
}

Argument& ArgumentGroup::Append(ArgumentKind kind, std::string_view names,
                                std::string_view value_name,
                                std::string_view help) {
  arguments_.push_back(std::make_unique<Argument>());
  Argument& argument = *arguments_.back();
  const size_t comma = names.find(',');
  if (comma != std::string_view::npos) {
    argument.short_name = names.substr(0, comma);
    names.remove_prefix(comma + 1);
  }
  argument.name = names;
  argument.value_name = value_name;
  argument.help = help;
  argument.kind = kind;
  return argument;
}

}  // namespace penstock
