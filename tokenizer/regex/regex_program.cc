#include "tokenizer/regex/regex_program.h"

#include <optional>
#include <utility>

#include "tokenizer/regex/regex_chars.h"

namespace penstock {
namespace {

constexpr size_t kMaxProgramSteps = 4000;

using Kind = RegexStep::Kind;

// From the end to the begin: each step is made once what follows is known.
class Compiler {
 public:
  Compiler(const std::vector<CharSet>& sets, const SymbolAlphabet& alphabet)
      : boundary_(alphabet.boundary()) {
    for (size_t set = 0; set < sets.size(); ++set) {
      SymbolSet& symbols = sets_.emplace_back();
      for (size_t symbol = 0; symbol < boundary_; ++symbol) {
        symbols[symbol] = alphabet.Has(set, symbol);
      }
    }
  }

  StatusOr<RegexProgram> Run(const RegexNode& root) {
    program_.begin = Compile(root, Add({.kind = Kind::kMatch}));
    if (IsTooMuch()) return RegexLacks("that much");
    return std::move(program_);
  }

 private:
  uint32_t Add(RegexStep step) {
    if (!IsTooMuch()) {
      program_.steps.push_back(step);
      matches_.push_back(step.kind == Kind::kMatch ||
                         (step.kind == Kind::kFork &&
                          (matches_[step.next] || matches_[step.other])));
    }
    return static_cast<uint32_t>(program_.steps.size() - 1);
  }
  // Beyond the limit no more steps are made.
  bool IsTooMuch() const { return program_.steps.size() > kMaxProgramSteps; }

  uint32_t Fork(uint32_t first, uint32_t second) {
    return Add({.kind = Kind::kFork, .next = first, .other = second});
  }
  uint32_t Look(Kind kind, const SymbolSet& symbols, uint32_t next) {
    if (kind == Kind::kLookBehind) program_.looks_behind = true;
    return Add({.kind = kind, .next = next, .symbols = symbols});
  }
  uint32_t Ask() {
    program_.asks = true;
    return Add({.kind = Kind::kAsk});
  }
  SymbolSet Boundary() const { return SymbolSet().set(boundary_); }

  // The first step of `node` where `next` is the one behind it.
  uint32_t Compile(const RegexNode& node, uint32_t next) {
    if (IsTooMuch()) return 0;
    switch (node.kind) {
      case RegexKind::kChars:
        return Add(
            {.kind = Kind::kTake, .next = next, .symbols = sets_[node.set]});
      case RegexKind::kSequence:
        for (size_t i = node.children.size(); i-- > 0;) {
          next = Compile(node.children[i], next);
        }
        return next;
      case RegexKind::kAlternatives: {
        size_t i = node.children.size() - 1;
        uint32_t first = Compile(node.children[i], next);
        while (i-- > 0) first = Fork(Compile(node.children[i], next), first);
        return first;
      }
      case RegexKind::kRepeat:
        return Repeat(node, next, next);
      case RegexKind::kAtomic:
        return Possessive(node.children[0], next);
      case RegexKind::kAhead:
      case RegexKind::kNotAhead:
        return LookAt(Kind::kLookAhead, RegexKind::kTextEnd, node, next);
      case RegexKind::kBehind:
      case RegexKind::kNotBehind:
        return LookAt(Kind::kLookBehind, RegexKind::kTextBegin, node, next);
      case RegexKind::kTextBegin:
        return Look(Kind::kLookBehind, Boundary(), next);
      case RegexKind::kTextEnd:
        return Look(Kind::kLookAhead, Boundary(), next);
    }
    return next;
  }

  // `fewer` is what follows where there could be one more, `next` where not.
  uint32_t Repeat(const RegexNode& node, uint32_t next, uint32_t fewer) {
    const RegexNode& child = node.children[0];
    const auto either = [&](uint32_t more) {
      return node.lazy ? Fork(fewer, more) : Fork(more, fewer);
    };
    uint32_t first = next;
    if (!node.most) {
      const uint32_t loop = either(fewer);  // until its begin is known
      const uint32_t more = Compile(child, loop);
      RegexStep& fork = program_.steps[loop];
      (node.lazy ? fork.other : fork.next) = more;
      first = loop;
    } else {
      for (uint32_t i = node.least; i < *node.most && !IsTooMuch(); ++i) {
        first = either(Compile(child, first));
      }
    }
    for (uint32_t i = 0; i < node.least && !IsTooMuch(); ++i) {
      first = Compile(child, first);
    }
    return first;
  }

  uint32_t Possessive(const RegexNode& repeat, uint32_t next) {
    if (repeat.kind != RegexKind::kRepeat || repeat.lazy ||
        repeat.children[0].kind != RegexKind::kChars) {
      return Ask();
    }
    // Then what repeats most matches, and is what is preferred.
    if (matches_[next]) return Repeat(repeat, next, next);
    const SymbolSet others = ~sets_[repeat.children[0].set];
    return Repeat(repeat, next, Look(Kind::kLookAhead, others, next));
  }

  uint32_t LookAt(Kind kind, RegexKind end, const RegexNode& node,
                  uint32_t next) {
    const auto symbols = SymbolsOf(node.children[0], end);
    if (!symbols) return Ask();
    const bool negated =
        node.kind == RegexKind::kNotAhead || node.kind == RegexKind::kNotBehind;
    return Look(kind, negated ? ~*symbols : *symbols, next);
  }

  // What `node` matches, which is one character or that `end` of the text.
  std::optional<SymbolSet> SymbolsOf(const RegexNode& node,
                                     RegexKind end) const {
    if (node.kind == RegexKind::kChars) return sets_[node.set];
    if (node.kind == end) return Boundary();
    if (node.kind != RegexKind::kAlternatives) return std::nullopt;
    SymbolSet all;
    for (const RegexNode& child : node.children) {
      const auto symbols = SymbolsOf(child, end);
      if (!symbols) return std::nullopt;
      all |= *symbols;
    }
    return all;
  }

  const size_t boundary_;
  std::vector<SymbolSet> sets_;
  RegexProgram program_;
  std::vector<bool> matches_;  // steps where a match may end, whatever follows
};

}  // namespace

StatusOr<RegexProgram> CompileRegex(const ParsedRegex& regex,
                                    const SymbolAlphabet& alphabet) {
  return Compiler(regex.sets, alphabet).Run(regex.root);
}

}  // namespace penstock
