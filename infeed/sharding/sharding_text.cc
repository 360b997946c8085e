#include "infeed/sharding/sharding_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>

#include "formats/files/quoted.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

template <typename Int>
std::optional<Int> WholeNumber(std::string_view text) {
  Int value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

// Runs are for devices, of which a mesh has no more.
constexpr size_t kMostNumbers = size_t{1} << 24;

bool AppendRun(std::string_view part, std::vector<uint32_t>& numbers) {
  const size_t dash = part.find('-');
  const auto first = WholeNumber<uint32_t>(part.substr(0, dash));
  const auto last = dash == std::string_view::npos
                        ? first
                        : WholeNumber<uint32_t>(part.substr(dash + 1));
  if (!first || !last) return false;
  const uint32_t more = *first < *last ? *last - *first : *first - *last;
  if (more >= kMostNumbers - numbers.size()) return false;
  for (uint32_t i = 0; i <= more; ++i) {
    numbers.push_back(*first < *last ? *first + i : *first - i);
  }
  return true;
}

class SpecParser {
 public:
  explicit SpecParser(std::string_view text) : text_(text) {}

  StatusOr<PartitionSpec> Parse() {
    PartitionSpec spec;
    if (text_.empty()) return spec;
    do {
      std::vector<std::string>& axes = spec.emplace_back();
      if (!Take('(')) {
        PENSTOCK_ASSIGN_OR_RETURN(const std::string_view name, Name());
        if (name != "None") axes.emplace_back(name);
        continue;
      }
      do {
        PENSTOCK_ASSIGN_OR_RETURN(const std::string_view name, Name());
        axes.emplace_back(name);
      } while (Take(','));
      if (!Take(')')) return Wrong("expected \",\" or \")\"");
    } while (Take(','));
    if (at_ != text_.size()) return Wrong("expected \",\"");
    return spec;
  }

 private:
  StatusOr<std::string_view> Name() {
    const size_t end = std::min(text_.find_first_of("(),", at_), text_.size());
    if (end == at_) {
      return Wrong("expected an axis or None, as in \"data,None\"");
    }
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    return name;
  }

  bool Take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Status Wrong(std::string_view what) const {
    return InvalidArgumentError(fmt::format("sharding {}, at character {}: {}",
                                            Quoted(text_), at_, what));
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

StatusOr<std::vector<MeshAxis>> ParseMeshAxes(std::string_view text) {
  std::vector<MeshAxis> axes;
  for (const std::string_view part : SplitAtCommas(text)) {
    const size_t equals = part.find('=');
    const auto size = equals == std::string_view::npos
                          ? std::nullopt
                          : WholeNumber<int64_t>(part.substr(equals + 1));
    if (!size || equals == 0) {
      return InvalidArgumentError(
          fmt::format("{} is no axis of a mesh; write a name and a size, as in "
                      "\"data=4,model=2\"",
                      Quoted(part)));
    }
    axes.push_back({std::string(part.substr(0, equals)), *size});
  }
  return axes;
}

StatusOr<std::vector<uint32_t>> ParseNumbers(std::string_view text) {
  std::vector<uint32_t> numbers;
  for (const std::string_view part : SplitAtCommas(text)) {
    if (AppendRun(part, numbers)) continue;
    return InvalidArgumentError(fmt::format(
        "{} is neither a number nor a run of them; write \"0-3,8,4-7\"",
        Quoted(part)));
  }
  return numbers;
}

StatusOr<PartitionSpec> ParsePartitionSpec(std::string_view text) {
  return SpecParser(text).Parse();
}

std::string PartitionSpecText(const PartitionSpec& spec) {
  std::vector<std::string> entries;
  for (const std::vector<std::string>& axes : spec) {
    if (axes.empty()) {
      entries.emplace_back("None");
    } else if (axes.size() == 1) {
      entries.push_back(axes[0]);
    } else {
      entries.push_back(fmt::format("({})", fmt::join(axes, ",")));
    }
  }
  return fmt::format("{}", fmt::join(entries, ","));
}

std::string RangesText(const std::vector<IndexRange>& ranges) {
  std::string text;
  for (const IndexRange& range : ranges) {
    if (range.size() <= 0) continue;
    text += fmt::format("{}[{},{})", text.empty() ? "" : " ", range.begin,
                        range.end);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace penstock
