#include "tokenizer/regex/regex_writer.h"

#include <fmt/format.h>

#include <string_view>

namespace penstock {
namespace {

class Writer {
 public:
  explicit Writer(std::span<const std::string> sets) : sets_(sets) {}

  void Write(const RegexNode& node) {
    switch (node.kind) {
      case RegexKind::kChars:
        out_ += sets_[node.set];
        break;
      case RegexKind::kSequence:
        for (const RegexNode& child : node.children) {
          // Alternatives reach as far as their group.
          const bool choice = child.kind == RegexKind::kAlternatives;
          choice ? Group("(?:", child) : Write(child);
        }
        break;
      case RegexKind::kAlternatives:
        for (size_t i = 0; i < node.children.size(); ++i) {
          if (i > 0) out_ += '|';
          Write(node.children[i]);
        }
        break;
      case RegexKind::kRepeat:
        Repeat(node);
        break;
      case RegexKind::kAtomic:
        Group("(?>", node.children[0]);
        break;
      case RegexKind::kAhead:
        Group("(?=", node.children[0]);
        break;
      case RegexKind::kNotAhead:
        Group("(?!", node.children[0]);
        break;
      case RegexKind::kBehind:
        Group("(?<=", node.children[0]);
        break;
      case RegexKind::kNotBehind:
        Group("(?<!", node.children[0]);
        break;
      case RegexKind::kTextBegin:
        out_ += "\\A";
        break;
      case RegexKind::kTextEnd:
        out_ += "\\z";
        break;
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  void Group(std::string_view open, const RegexNode& inside) {
    out_ += open;
    Write(inside);
    out_ += ')';
  }

  void Repeat(const RegexNode& node) {
    const RegexNode& child = node.children[0];
    const bool one = child.kind == RegexKind::kChars;
    one ? Write(child) : Group("(?:", child);
    if (!node.most) {
      out_ += node.least == 0   ? "*"
              : node.least == 1 ? "+"
                                : fmt::format("{{{},}}", node.least);
    } else if (node.least == 0 && *node.most == 1) {
      out_ += '?';
    } else {
      out_ += fmt::format("{{{},{}}}", node.least, *node.most);
    }
    if (node.lazy) out_ += '?';
  }

  const std::span<const std::string> sets_;
  std::string out_;
};

}  // namespace

std::string WriteRegex(const RegexNode& node,
                       std::span<const std::string> sets) {
  Writer writer(sets);
  writer.Write(node);
  return writer.Take();
}

}  // namespace penstock
