#include "tokenizer/regex/pcre2_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_chars.h"
#include "tokenizer/regex/regex_facts.h"
#include "tokenizer/regex/regex_parser.h"
#include "tokenizer/regex/regex_writer.h"

namespace penstock {
namespace {

// At one place of a text.
constexpr uint32_t kUsualSteps = 500;
constexpr uint32_t kMaxSteps = 4'000'000;
constexpr size_t kFirstStackBytes = 32 << 10;
constexpr size_t kMaxStackBytes = 64 << 20;
constexpr size_t kLeastWindow = 16;
// Of characters for each match that is asked for.
constexpr size_t kWindowPerMatch = 8;

std::string MessageOf(int error) {
  PCRE2_UCHAR text[160];
  pcre2_get_error_message(error, text, sizeof(text));
  return reinterpret_cast<const char*>(text);
}

}  // namespace

struct Pcre2Pattern::Free {
  void operator()(pcre2_code* p) const { pcre2_code_free(p); }
  void operator()(pcre2_match_data* p) const { pcre2_match_data_free(p); }
  void operator()(pcre2_match_context* p) const { pcre2_match_context_free(p); }
  void operator()(pcre2_jit_stack* p) const { pcre2_jit_stack_free(p); }
};

struct Pcre2Pattern::Code {
  std::unique_ptr<pcre2_code, Free> code;
};

struct Pcre2Pattern::Memory {
  std::unique_ptr<pcre2_match_data, Free> match{
      pcre2_match_data_create(1, nullptr)};
  std::unique_ptr<pcre2_match_context, Free> context{
      pcre2_match_context_create(nullptr)};
  std::unique_ptr<pcre2_jit_stack, Free> stack{
      pcre2_jit_stack_create(kFirstStackBytes, kMaxStackBytes, nullptr)};
  std::string symbols;

  Memory() {
    pcre2_set_heap_limit(context.get(), kMaxStackBytes >> 10);  // of KiB
    pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
  }
};

Pcre2Pattern::Pcre2Pattern(std::string_view regex, const RegexNode& root,
                           SymbolAlphabet alphabet,
                           std::unique_ptr<const Code> code)
    : regex_(regex),
      may_be_empty_(CanBeEmpty(root)),
      alphabet_(std::move(alphabet)),
      code_(std::move(code)),
      // One more, so that no window but the first begins where \A matches.
      context_(ReachBehind(root) + 1) {}

Pcre2Pattern::~Pcre2Pattern() = default;

StatusOr<std::unique_ptr<const Pcre2Pattern>> Pcre2Pattern::Make(
    std::string_view regex, RegexSyntax syntax) {
  PENSTOCK_ASSIGN_OR_RETURN(const ParsedRegex parsed,
                            ParseRegex(regex, syntax));
  if (syntax == RegexSyntax::kFancyRegex && CanBeEmpty(parsed.root)) {
    return RegexLacks("a match that may be empty");
  }
  PENSTOCK_ASSIGN_OR_RETURN(SymbolAlphabet alphabet,
                            SymbolAlphabet::Make(parsed.sets));
  const std::string spelled = WriteRegex(parsed.root, alphabet.classes());
  if (spelled.size() > kMaxSpellingBytes) return RegexLacks("that much");
  int error = 0;
  PCRE2_SIZE place = 0;
  auto code = std::make_unique<Code>();
  code->code.reset(pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(spelled.data()), spelled.size(),
      PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_NEVER_BACKSLASH_C, &error,
      &place, nullptr));
  if (code->code == nullptr) {
    return UnimplementedError(MessageOf(error));
  }
  // Where the system lets no program write code, PCRE2 interprets.
  pcre2_jit_compile(code->code.get(),
                    PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
  return std::unique_ptr<const Pcre2Pattern>(new Pcre2Pattern(
      regex, parsed.root, std::move(alphabet), std::move(code)));
}

Status Pcre2Pattern::Failed(int error, size_t offset) const {
  constexpr size_t kShown = 200;
  const std::string shown =
      fmt::format("{}{}", std::string_view(regex_).substr(0, kShown),
                  regex_.size() > kShown ? "..." : "");
  if (error == PCRE2_ERROR_MATCHLIMIT) {
    return ResourceExhaustedError(
        fmt::format("the pattern {} takes more than {} steps at byte {} of the "
                    "text it cuts; give it shorter texts or a pattern that "
                    "does not try every way",
                    shown, kMaxSteps, offset));
  }
  return ResourceExhaustedError(fmt::format(
      "the pattern {} at byte {} of the text it cuts: {}; it may take {} MiB",
      shown, offset, MessageOf(error), kMaxStackBytes >> 20));
}

int Pcre2Pattern::RunAt(const SymbolWindow& window, size_t place,
                        uint32_t steps, uint32_t flags, Memory& memory) const {
  pcre2_set_match_limit(memory.context.get(), steps);
  return pcre2_match(code_->code.get(),
                     reinterpret_cast<PCRE2_SPTR>(window.symbols.data()),
                     window.symbols.size(), place,
                     flags | (window.ends_text ? 0 : PCRE2_PARTIAL_HARD),
                     memory.match.get(), memory.context.get());
}

// PCRE2 counts steps anew at each place where a match may begin.
int Pcre2Pattern::Run(const SymbolWindow& window, Memory& memory,
                      uint32_t& steps_left) const {
  int result = RunAt(window, window.at, kUsualSteps, 0, memory);
  if (result != PCRE2_ERROR_MATCHLIMIT) return result;
  // Some place takes more. From place to place, while there are steps left.
  for (size_t place = window.at; place <= window.symbols.size(); ++place) {
    for (uint32_t steps = kUsualSteps;;
         steps = std::min(steps * 4, kMaxSteps)) {
      result = RunAt(window, place, steps, PCRE2_ANCHORED, memory);
      steps_left -= std::min(steps_left, steps);
      if (result != PCRE2_ERROR_MATCHLIMIT) break;
      if (steps == kMaxSteps || steps_left == 0) return result;
    }
    if (result != PCRE2_ERROR_NOMATCH) return result;
  }
  return result;
}

StatusOr<size_t> Pcre2Pattern::FindWithin(uint32_t& steps,
                                          std::string_view text, size_t from,
                                          std::span<Found> found) const {
  const ThreadSlots<Memory>::Lease memory(memories_);
  const size_t usual = std::max(kLeastWindow, found.size() * kWindowPerMatch);
  size_t size = usual;
  SymbolWindow window = {text, context_, alphabet_, memory->symbols};
  window.MoveTo(from, size);
  size_t count = 0;
  size_t last_end = from == 0 ? std::string_view::npos : from;
  while (count < found.size()) {
    const size_t window_end = window.symbols.size();
    const int result = Run(window, *memory, steps);
    const PCRE2_SIZE* const bounds =
        pcre2_get_ovector_pointer(memory->match.get());
    if (result >= 0) {
      const size_t begin = window.OffsetAt(bounds[0]);
      const size_t end = window.OffsetAt(bounds[1]);
      if (begin < end || end != last_end) found[count++] = {begin, end};
      last_end = end;
      if (begin < end) continue;
      if (end == text.size()) break;
      if (window.at == window_end) window.MoveTo(end, size = usual);
      window.OffsetAt(window.at + 1);
    } else if (result == PCRE2_ERROR_NOMATCH) {
      if (window.ends_text) break;
      window.MoveTo(window.OffsetAt(window_end), size = usual);
    } else if (result == PCRE2_ERROR_PARTIAL) {
      // A match that the whole window was too small for needs a larger one.
      const bool at_begin = bounds[0] == window.at;
      const size_t begin = window.OffsetAt(bounds[0]);
      const bool all = at_begin && window_end - window.at >= size / 2;
      size = all ? size * 2 : usual;
      window.MoveTo(begin, size);
    } else {
      return Failed(result, window.offset);
    }
  }
  return count;
}

}  // namespace penstock
