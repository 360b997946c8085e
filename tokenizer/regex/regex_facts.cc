#include "tokenizer/regex/regex_facts.h"

#include <algorithm>

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

}  // namespace penstock
