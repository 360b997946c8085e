// How much faster threads encode a batch than one does alone.
//
//   threads_bench [--threads N] [--passes N] [--hold-memory] TOKENIZER TEXT...
//
// Each text as documents of 10,000 bytes and as one document, new and known, by
// one thread and by several (2) in turn, some passes (9) of each. Prints the
// first quartiles of the times on the wall and their ratio: it needs as many
// idle cores. Exit code 1 if ids differ.
//
// Threads that share what they remember depend on how near their cores are,
// which on a virtual machine changes from second to second: "handover" is how
// long a cache line takes from one to another, just before. And memory that was
// free for some seconds may be the host's again, with a first touch 25 to 50
// times as long: --hold-memory holds what is free but 2 GiB, so that pages are
// used again soon.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "formats/files/file.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

constexpr size_t kDocumentBytes = 10'000;
constexpr size_t kMemoryLeftBytes = size_t{2} << 30;

using Texts = std::vector<std::string_view>;

// At the ends of lines.
Texts DocumentsOf(std::string_view text) {
  Texts documents;
  while (!text.empty()) {
    const size_t end = text.find('\n', std::min(kDocumentBytes, text.size()));
    documents.push_back(text.substr(0, end == text.npos ? end : end + 1));
    text.remove_prefix(documents.back().size());
  }
  return documents;
}

bool HoldMemory() {
  std::ifstream meminfo("/proc/meminfo");
  size_t kilobytes = 0;
  for (std::string word; meminfo >> word && word != "MemFree:";) {
  }
  meminfo >> kilobytes;
  const size_t free_bytes = kilobytes << 10;
  if (free_bytes <= kMemoryLeftBytes) return false;
  const size_t size = free_bytes - kMemoryLeftBytes;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED && madvise(memory, size, MADV_HUGEPAGE) == 0 &&
         madvise(memory, size, MADV_POPULATE_WRITE) == 0;
}

using Clock = std::chrono::steady_clock;

// Of a cache line that two threads write in turn.
double HandoverNanoseconds() {
  constexpr int kTurns = 100'000;
  std::atomic<int> turn = 0;
  const auto take = [&turn](int mine) {
    for (; mine < kTurns; mine += 2) {
      while (turn.load(std::memory_order_acquire) != mine) {
      }
      turn.store(mine + 1, std::memory_order_release);
    }
  };
  const auto begin = Clock::now();
  {
    const std::jthread other(take, 1);
    take(0);
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - begin)
             .count() /
         kTurns;
}

class Comparison {
 public:
  Comparison(const Tokenizer& tokenizer, size_t threads, size_t passes)
      : tokenizer_(tokenizer), threads_(threads), passes_(passes) {}

  // False: ids differ, or there are none.
  bool Print(const char* name, const Texts& texts, bool known) const {
    Encodings alone, together;
    std::vector<double> alone_ms, together_ms;
    const double handover = HandoverNanoseconds();
    bool ok = true;
    if (known) ok &= Encode(texts, 1, alone);
    for (size_t pass = 0; pass < passes_; ++pass) {
      ok &= Time(texts, 1, known, alone, alone_ms);
      ok &= Time(texts, threads_, known, together, together_ms);
    }
    ok &=
        alone.ids == together.ids && alone.row_offsets == together.row_offsets;
    const double one = Quartile(alone_ms), all = Quartile(together_ms);
    fmt::print("{:<13} {:<5} {:8.1f} {:8.1f}  {:5.2f} {:6.0f} ns{}\n", name,
               known ? "known" : "new", one, all, one / all, handover,
               ok ? "" : "  ids differ");
    return ok;
  }

 private:
  bool Encode(const Texts& texts, size_t threads, Encodings& rows) const {
    rows.Clear();
    return tokenizer_.EncodeBatch(texts, {}, rows, {.threads = threads}).ok();
  }

  bool Time(const Texts& texts, size_t threads, bool known, Encodings& rows,
            std::vector<double>& ms) const {
    if (!known) tokenizer_.ForgetTexts();
    const auto begin = Clock::now();
    const bool ok = Encode(texts, threads, rows);
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin)
                     .count());
    return ok;
  }

  static double Quartile(std::vector<double>& of) {
    std::ranges::sort(of);
    return of[of.size() / 4];
  }

  const Tokenizer& tokenizer_;
  const size_t threads_;
  const size_t passes_;
};

int Fail(std::string_view why) {
  fmt::print(stderr, "threads_bench: {}\n", why);
  return 1;
}

int Run(std::span<char*> arguments) {
  size_t threads = 2, passes = 9;
  std::vector<std::string> files;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--hold-memory") {
      if (!HoldMemory()) return Fail("2 GiB or less are free: nothing to hold");
    } else if (argument == "--threads" || argument == "--passes") {
      size_t& number = argument == "--threads" ? threads : passes;
      const std::string_view text = ++i < arguments.size() ? arguments[i] : "";
      const char* const end = text.data() + text.size();
      if (std::from_chars(text.data(), end, number).ptr != end || number == 0) {
        return Fail(fmt::format("{} needs a number above 0", argument));
      }
    } else {
      files.emplace_back(argument);
    }
  }
  if (files.size() < 2) {
    return Fail(
        "usage: threads_bench [--threads N] [--passes N] [--hold-memory] "
        "TOKENIZER TEXT...");
  }
  const auto tokenizer = LoadTokenizer(LocalFiles(), files[0]);
  if (!tokenizer.ok()) return Fail(tokenizer.status().ToString());
  const Comparison comparison(**tokenizer, threads, passes);
  bool ok = true;
  for (const std::string& file : std::span(files).subspan(1)) {
    const auto text = ReadWholeFile(LocalFiles(), file);
    if (!text.ok()) return Fail(text.status().ToString());
    fmt::print("{}\n{:<13} {:<5} {:>8} {:>8}  ratio  handover\n", file, "as",
               "", "1 ms", fmt::format("{} ms", threads));
    for (const bool known : {false, true}) {
      ok &= comparison.Print("documents", DocumentsOf(*text), known);
      ok &= comparison.Print("one document", {*text}, known);
    }
  }
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  return penstock::Run(std::span(argv, argc).subspan(1));
}
