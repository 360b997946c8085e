#include "formats/streams/file_signature.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace penstock {
namespace {

using std::string_view_literals::operator""sv;

TEST(FileSignatureTest, WellKnownTypesAreNamed) {
  const std::pair<std::string_view, std::string_view> types[] = {
      {"\x1f\x8b\x08\0\0\0\0\0"sv, "gzip (1f 8b)"},
      {"\x78\x9c\xab\x56\x4a"sv, "zlib (78)"},
      {"PAR1\x15\x04"sv, "Parquet (PAR1)"},
      {"PK\x03\x04\x14"sv, "a zip archive (PK)"},
      {"version https://git-lfs.github.com/spec/v1\n"sv,
       "a Git LFS pointer, not the data"},
      {"<!DOCTYPE html>"sv, "an HTML page"},
      {"{\"a\": 1}"sv, "JSON text"},
      {"\x7f"
       "ELF\2\1\1\0"sv,
       "an ELF program"},
      {"\x89PNG\r\n\x1a\n"sv, "a PNG picture"},
      {"%PDF-1.7\n"sv, "a PDF document"},
      {"SQLite format 3\0"sv, "an SQLite database"},
      {"Hello world\n"sv, "text"},
      {"\3\0\0\0\0\0\0\0\xb0\x99\x49\x0e"
       "foo"sv,
       "an uncompressed TFRecord file"},
  };
  for (const auto& [bytes, name] : types) EXPECT_EQ(LooksLike(bytes), name);
}

TEST(FileSignatureTest, UnknownBytesAreNotGuessed) {
  EXPECT_EQ(LooksLike(""), "");
  EXPECT_EQ(LooksLike("\x1f"), "");
  EXPECT_EQ(LooksLike("\0\0\0\0\0\0\0\0\0\0\0\0"sv), "");
  // The length of a record of 40056 bytes, not zlib.
  EXPECT_EQ(LooksLike("\x78\x9c\0\0\0\0\0\0\1\2\3\4"sv), "");
}

TEST(FileSignatureTest, FirstBytesAreShownAsHex) {
  EXPECT_EQ(FirstBytesText("\x1f\x8b"), "1f 8b");
  EXPECT_EQ(FirstBytesText("abcdef"), "61 62 63 64");
  EXPECT_EQ(FirstBytesText(""), "");
}

}  // namespace
}  // namespace penstock
