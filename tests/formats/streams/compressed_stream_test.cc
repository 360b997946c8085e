#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "formats/streams/byte_stream.h"
#include "formats/streams/gzip_compressor.h"
#include "formats/streams/gzip_stream.h"
#include "formats/streams/zlib_compressor.h"
#include "formats/streams/zlib_stream.h"
#include "tests/formats/streams/decoded.h"
#include "tests/formats/streams/reference_zlib.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Gives its bytes in pieces of one size, as no real file has to.
class PieceStream final : public ByteStream {
 public:
  PieceStream(std::string bytes, size_t piece_bytes)
      : bytes_(std::move(bytes)), piece_bytes_(piece_bytes) {}

  StatusOr<size_t> Read(std::span<char> out) override {
    const size_t size =
        std::min({out.size(), piece_bytes_, bytes_.size() - position_});
    std::copy_n(bytes_.data() + position_, size, out.data());
    position_ += size;
    return size;
  }
  std::optional<uint64_t> size_bytes() const override { return bytes_.size(); }
  const std::string& path() const override { return path_; }

 private:
  const std::string bytes_;
  const size_t piece_bytes_;
  const std::string path_ = "a.gz";
  size_t position_ = 0;
};

// What the two formats have in common.
struct Format {
  std::unique_ptr<ByteStream> (*open)(std::unique_ptr<ByteStream>);
  std::unique_ptr<Compressor> (*compress)();
  int window_bits;
  std::string name;
};

class CompressedStreamTest : public ::testing::TestWithParam<Format> {
 protected:
  Decoded Read(const std::string& bytes, size_t piece_bytes = 1 << 20,
               size_t out_bytes = 4096) {
    const auto stream =
        GetParam().open(std::make_unique<PieceStream>(bytes, piece_bytes));
    return Decode(*stream, out_bytes);
  }
  std::string Reference(std::string_view bytes, ReferenceOptions options = {}) {
    return ReferenceCompress(bytes, GetParam().window_bits, options);
  }
  const std::string text_ = SomeText(3000);
};

INSTANTIATE_TEST_SUITE_P(
    Formats, CompressedStreamTest,
    ::testing::Values(
        Format{&MakeGzipStream, &MakeGzipCompressor, kGzipBits, "gzip"},
        Format{&MakeZlibStream, &MakeZlibCompressor, kZlibBits, "zlib"}),
    [](const auto& format) { return format.param.name; });

TEST_P(CompressedStreamTest, ReadsWhatZlibWritesInPiecesOfAnySize) {
  for (const int level : {0, 1, 6, 9}) {
    const std::string bytes = Reference(text_, {.level = level});
    for (const size_t piece : {1, 2, 3, 5, 8, 13, 64, 1000, 100000}) {
      for (const size_t out : {1, 7, 512, 100000}) {
        const Decoded decoded = Read(bytes, piece, out);
        ASSERT_OK(decoded.status);
        ASSERT_TRUE(decoded.bytes == text_) << level << " " << piece;
      }
    }
  }
}

TEST_P(CompressedStreamTest, ReadsAFullFlushAfterEveryByte) {
  const std::string bytes = Reference(text_, {.flush_every = 1});
  const Decoded decoded = Read(bytes);
  EXPECT_OK(decoded.status);
  EXPECT_TRUE(decoded.bytes == text_);
}

TEST_P(CompressedStreamTest, ReadsNoBytesAndManyBytes) {
  std::string many;
  for (int i = 0; i < 3'000'000; ++i) {
    many += static_cast<char>((i * 2654435761u >> 13) % (i % 1000 + 1));
  }
  for (const std::string& bytes : {std::string(), many}) {
    const Decoded decoded = Read(Reference(bytes));
    EXPECT_OK(decoded.status);
    EXPECT_TRUE(decoded.bytes == bytes);
  }
}

TEST_P(CompressedStreamTest, ZlibReadsWhatTheCompressorWrites) {
  const auto compressor = GetParam().compress();
  std::string bytes;
  std::string expected;
  for (const size_t size : {0, 1, 100, 70'000, 3, 1 << 20, 0}) {
    std::string part;
    while (part.size() < size) part += text_;
    part.resize(size);
    ASSERT_OK(compressor->Add(part, bytes));
    expected += part;
  }
  ASSERT_OK(compressor->Finish(bytes));
  const auto decoded = ReferenceDecompress(bytes, GetParam().window_bits);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_TRUE(*decoded == expected);
}

TEST_P(CompressedStreamTest, CutAnywhereItIsAnErrorNotAnEnd) {
  const std::string whole = Reference(text_);
  for (size_t size = 0; size < whole.size(); ++size) {
    for (const size_t piece : {3, 100000}) {
      const Decoded decoded = Read(whole.substr(0, size), piece);
      ASSERT_THAT(decoded.status,
                  StatusIs(StatusCode::kDataLoss,
                           HasSubstr(GetParam().name +
                                     " stream ended before its trailer at "
                                     "compressed offset " +
                                     std::to_string(size))));
      ASSERT_TRUE(text_.starts_with(decoded.bytes));
    }
  }
}

TEST_P(CompressedStreamTest, NoFlippedBitGivesOtherBytes) {
  const std::string whole = Reference(text_);
  size_t harmless = 0;
  for (size_t bit = 0; bit < whole.size() * 8; bit += kCaseStride) {
    std::string bad = whole;
    bad[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    const Decoded decoded = Read(bad, 1 << 20, 1 << 20);
    if (decoded.status.ok()) {
      // Time, system and the like in the header may be anything.
      EXPECT_TRUE(decoded.bytes == text_) << bit;
      ++harmless;
    }
  }
  EXPECT_LE(harmless, 80);
}

TEST_P(CompressedStreamTest, ZeroPaddingIsAnEndOtherBytesAreNot) {
  const std::string whole = Reference(text_);
  for (const size_t zeros : {1, 2, 511, 1 << 20}) {
    const Decoded decoded = Read(whole + std::string(zeros, '\0'));
    EXPECT_OK(decoded.status);
    EXPECT_TRUE(decoded.bytes == text_);
  }
  for (const std::string& junk :
       {std::string("x"), std::string("\0\0\0junk", 7),
        std::string(300'000, '\0') + "x"}) {
    const Decoded decoded = Read(whole + junk);
    EXPECT_THAT(
        decoded.status,
        StatusIs(
            StatusCode::kDataLoss,
            AllOf(HasSubstr("no " + GetParam().name + " data after"),
                  HasSubstr("compressed offset " +
                            std::to_string(whole.size() +
                                           junk.find_first_not_of('\0'))))));
    EXPECT_TRUE(decoded.bytes == text_);
  }
}

TEST_P(CompressedStreamTest, AFileOfAnotherKindIsNamed) {
  EXPECT_THAT(Read("{\"text\": \"hello\"}\n").status,
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("is not " + GetParam().name),
                             HasSubstr("starts with 7b 22"),
                             HasSubstr("looks like JSON text"))));
  const int other = GetParam().name == "gzip" ? kZlibBits : kGzipBits;
  EXPECT_THAT(Read(ReferenceCompress(text_, other)).status,
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr(GetParam().name == "gzip"
                                     ? "looks like zlib"
                                     : "looks like gzip (1f 8b)")));
}

class GzipStreamTest : public ::testing::Test {
 protected:
  Decoded Read(const std::string& bytes, size_t piece_bytes, size_t out_bytes) {
    const auto stream =
        MakeGzipStream(std::make_unique<PieceStream>(bytes, piece_bytes));
    return Decode(*stream, out_bytes);
  }
};

TEST_F(GzipStreamTest, MembersFollowEachOtherWhereverTheInputIsCut) {
  const std::string text = SomeText(3000);
  std::string bytes;
  std::string expected;
  for (const size_t size : {10, 0, 0, 1, 700, 0, 33, 1200}) {
    bytes += ReferenceCompress(text.substr(0, size), kGzipBits);
    expected += text.substr(0, size);
  }
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    for (const size_t out : {1, 10, 4096}) {
      const Decoded decoded = Read(bytes, piece, out);
      ASSERT_OK(decoded.status);
      ASSERT_TRUE(decoded.bytes == expected) << piece << " " << out;
    }
  }
}

TEST_F(GzipStreamTest, HeadersWithEveryFieldAreRead) {
  char name[] = "name.tfrecord";
  char comment[] = "a comment";
  Bytef extra[] = {1, 2, 3};
  gz_header header = {};
  header.name = reinterpret_cast<Bytef*>(name);
  header.comment = reinterpret_cast<Bytef*>(comment);
  header.extra = extra;
  header.extra_len = 3;
  header.hcrc = 1;
  const std::string text = SomeText(3000);
  const std::string bytes =
      ReferenceCompress(text, kGzipBits, {.header = &header});
  for (size_t piece = 1; piece < 70; ++piece) {
    const Decoded decoded = Read(bytes + bytes, piece, 1000);
    ASSERT_OK(decoded.status);
    ASSERT_TRUE(decoded.bytes == text + text) << piece;
  }
}

TEST_F(GzipStreamTest, AWrongTrailerNamesTheMember) {
  const std::string good = ReferenceCompress(SomeText(3000), kGzipBits);
  for (size_t byte = good.size() - 8; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] ^= 0x10;
    for (const size_t out : {10, 100000}) {
      const Decoded decoded = Read(good + bad + good, 7, out);
      const size_t unverified = decoded.bytes.size() - SomeText(3000).size();
      EXPECT_THAT(decoded.status,
                  StatusIs(StatusCode::kDataLoss,
                           AllOf(HasSubstr("gzip CRC mismatch in member 1"),
                                 HasSubstr("; " + std::to_string(unverified) +
                                           " bytes of it were given before, "
                                           "unverified"))))
          << byte;
    }
  }
}

}  // namespace
}  // namespace penstock::testing
