#include "tokenizer/regex/regex_facts.h"

#include <algorithm>
#include <utility>

namespace penstock {

bool CanBeEmpty(const RegexNode& node) {
  switch (node.kind) {
    case RegexKind::kChars:
      return false;
    case RegexKind::kSequence:
      return std::all_of(node.children.begin(), node.children.end(),
                         CanBeEmpty);
    case RegexKind::kAlternatives:
      return std::any_of(node.children.begin(), node.children.end(),
                         CanBeEmpty);
    case RegexKind::kRepeat:
      return node.least == 0 || CanBeEmpty(node.children[0]);
    case RegexKind::kAtomic:
      return CanBeEmpty(node.children[0]);
    default:
      return true;
  }
}

std::optional<size_t> WidthOf(const RegexNode& node) {
  switch (node.kind) {
    case RegexKind::kChars:
      return 1;
    case RegexKind::kSequence: {
      size_t sum = 0;
      for (const RegexNode& child : node.children) {
        const auto width = WidthOf(child);
        if (!width) return std::nullopt;
        sum += *width;
      }
      return sum;
    }
    case RegexKind::kAlternatives: {
      const auto width = WidthOf(node.children[0]);
      for (const RegexNode& child : node.children) {
        if (!width || WidthOf(child) != width) return std::nullopt;
      }
      return width;
    }
    case RegexKind::kRepeat: {
      const auto width = WidthOf(node.children[0]);
      if (!width || node.least != node.most) return std::nullopt;
      return *width * node.least;
    }
    case RegexKind::kAtomic:
      return WidthOf(node.children[0]);
    default:
      return 0;
  }
}

size_t ReachBehind(const RegexNode& node) {
  size_t reach = 0;
  for (const RegexNode& child : node.children) {
    reach = std::max(reach, ReachBehind(child));
  }
  if (node.kind != RegexKind::kBehind && node.kind != RegexKind::kNotBehind) {
    return reach;
  }
  const RegexNode& inside = node.children[0];
  size_t width = 0;
  if (inside.kind == RegexKind::kAlternatives) {
    for (const RegexNode& child : inside.children) {
      width = std::max(width, WidthOf(child).value_or(0));
    }
  } else {
    width = WidthOf(inside).value_or(0);
  }
  return width + reach;
}

bool IsRegular(const RegexNode& node) {
  switch (node.kind) {
    case RegexKind::kChars:
    case RegexKind::kSequence:
    case RegexKind::kAlternatives:
    case RegexKind::kRepeat:
      return std::all_of(node.children.begin(), node.children.end(), IsRegular);
    default:
      return false;
  }
}

RegexNode BeginningsOf(const RegexNode& node) {
  switch (node.kind) {
    case RegexKind::kSequence: {
      // Of abc: a's beginnings, or a and then those of bc.
      RegexNode beginnings;
      for (auto child = node.children.rbegin(); child != node.children.rend();
           ++child) {
        RegexNode longer;
        longer.children = {*child, std::move(beginnings)};
        beginnings = {.kind = RegexKind::kAlternatives};
        beginnings.children = {BeginningsOf(*child), std::move(longer)};
      }
      return beginnings;
    }
    case RegexKind::kAlternatives: {
      RegexNode beginnings = {.kind = RegexKind::kAlternatives};
      for (const RegexNode& child : node.children) {
        beginnings.children.push_back(BeginningsOf(child));
      }
      return beginnings;
    }
    case RegexKind::kRepeat: {
      // One more repetition than can be is no harm.
      RegexNode whole = node;
      whole.least = 0;
      RegexNode beginnings;
      beginnings.children = {std::move(whole), BeginningsOf(node.children[0])};
      return beginnings;
    }
    default: {
      RegexNode maybe = {.kind = RegexKind::kRepeat, .most = 1};
      maybe.children = {node};
      return maybe;
    }
  }
}

}  // namespace penstock
