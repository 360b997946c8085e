#include "tools/programs/flag_words.h"

#include <string>

namespace penstock {
namespace {

constexpr FlagWord kFlagOfField[] = {
    {"max_record_bytes", "--max-record-bytes"},
    {"max_member_bytes", "--max-member-bytes"},
    {"max_total_bytes", "--max-total-bytes"},
    {"max_ratio", "--max-ratio"},
    {"text_unit", "--unit"},
    {"invalid_utf8", "--invalid-unicode"},
    {"example_feature", "--feature"},
    {"TarEnd::kMayBeMissing takes it", "--tar-end may-be-missing takes it"},
    {"say CsvQuotes::kNone", "say --csv-quotes none"},
    {"or say the kind", "or say the kind with --kind"},
    {"say that delimiter", "say that delimiter with --csv-delimiter"},
    {"is the delimiter", "--csv-delimiter: is it"},
    {"a file without a header needs", "with --csv-header none --column needs"},
};

}  // namespace

Status WithFlagWords(const Status& status) {
  return WithFlagWords(status, kFlagOfField);
}

Status WithFlagWords(const Status& status, std::span<const FlagWord> words) {
  if (status.ok()) return status;
  std::string message(status.message());
  for (const auto& [field, flag] : words) {
    for (size_t at = 0; (at = message.find(field, at)) != std::string::npos;
         at += flag.size()) {
      message.replace(at, field.size(), flag);
    }
  }
  return Status(status.code(), message);
}

}  // namespace penstock
