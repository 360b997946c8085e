// zstd, xz and bzip2, each against the library that defines it.
#include <bzlib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "formats/streams/memory_stream.h"
#include "formats/streams/open_stream.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "tests/formats/archives/archive_fixture.h"
#include "tests/formats/streams/decoded.h"
#include "tests/support/effort.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using std::string_view_literals::operator""sv;

// The smallest dictionary and blocks, here and below: a decoder allocates them
// anew for each of many thousand damaged files.
std::string Xz(std::string_view bytes) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t used = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(
                0, LZMA_CHECK_CRC64, nullptr,
                reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                reinterpret_cast<uint8_t*>(out.data()), &used, out.size()),
            LZMA_OK);
  out.resize(used);
  return out;
}

std::string Bzip2(std::string_view bytes) {
  std::string out(bytes.size() + bytes.size() / 100 + 700, '\0');
  unsigned used = out.size();
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &used,
                                     const_cast<char*>(bytes.data()),
                                     bytes.size(), 1, 0, 0),
            BZ_OK);
  out.resize(used);
  return out;
}

Decoded Unpack(std::string_view packed, Compression compression,
               size_t out_bytes = 4096) {
  return Decode(*Unwrap(MakeMemoryStream("f.packed", packed), compression),
                out_bytes);
}

struct Codec {
  Compression compression;
  std::string (*pack)(std::string_view);
  // At most so many bits say nothing about the bytes: of the window's size, of
  // tables that are not used, of padding.
  size_t harmless_bits;
};

class CodecTest : public ::testing::TestWithParam<Codec> {
 protected:
  std::string Pack(std::string_view bytes) { return GetParam().pack(bytes); }
  Decoded Read(std::string_view packed, size_t out_bytes = 4096) {
    return Unpack(packed, GetParam().compression, out_bytes);
  }
  const std::string name_{CompressionName(GetParam().compression)};
  const std::string text_ = SomeText(2000);
};

INSTANTIATE_TEST_SUITE_P(
    Codecs, CodecTest,
    ::testing::Values(Codec{Compression::kZstd, &Zstd, 40},
                      Codec{Compression::kXz, &Xz, 0},
                      Codec{Compression::kBzip2, &Bzip2, 40}),
    [](const auto& codec) {
      return std::string(CompressionName(codec.param.compression));
    });

TEST_P(CodecTest, ReadsWhatTheLibraryWritesIntoBuffersOfAnySize) {
  std::string many;
  for (int i = 0; i < 2'000'000; ++i) {
    many += static_cast<char>((i * 2654435761u >> 13) % (i % 1000 + 1));
  }
  for (const std::string& bytes : {std::string(), text_, many}) {
    for (const size_t out : {1, 7, 100'000}) {
      if (bytes.size() > 100'000 && out < 100) continue;
      const Decoded decoded = Read(Pack(bytes), out);
      ASSERT_OK(decoded.status);
      ASSERT_TRUE(decoded.bytes == bytes);
    }
  }
}

TEST_P(CodecTest, ReadsJoinedStreamsAsOne) {
  const Decoded decoded = Read(Pack("one ") + Pack("") + Pack(text_));
  EXPECT_OK(decoded.status);
  EXPECT_EQ(decoded.bytes, "one " + text_);
}

TEST_P(CodecTest, EachCutIsAnErrorWithTheCompressedOffset) {
  const std::string packed = Pack(text_);
  for (size_t size = 0; size < packed.size(); ++size) {
    const Decoded decoded = Read(std::string_view(packed).substr(0, size));
    ASSERT_FALSE(decoded.status.ok()) << size;
    ASSERT_TRUE(text_.starts_with(decoded.bytes));
    if (size < 6) continue;  // may as well be another kind of file
    EXPECT_THAT(decoded.status,
                StatusIs(kDataLoss, AllOf(HasSubstr("f.packed: " + name_),
                                          HasSubstr("compressed offset " +
                                                    std::to_string(size)),
                                          HasSubstr("the file is cut off"))));
  }
}

// The writers used here put a checksum over what they pack.
TEST_P(CodecTest, EachFlippedBitIsAnErrorButTheFewThatSayNothing) {
  const std::string packed = Pack(text_);
  size_t harmless = 0;
  for (size_t bit = 0; bit < packed.size() * 8; bit += kCaseStride) {
    SCOPED_TRACE(bit);
    std::string bad = packed;
    bad[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    const Decoded decoded = Read(bad);
    if (decoded.status.ok()) {
      ASSERT_EQ(decoded.bytes, text_);
      ++harmless;
      continue;
    }
    ASSERT_THAT(decoded.status.code(),
                AnyOf(kDataLoss, kInvalid, kExhausted, kUnimplemented));
    ASSERT_THAT(std::string(decoded.status.message()), HasSubstr("f.packed: "));
  }
  EXPECT_LE(harmless, GetParam().harmless_bits);
}

TEST_P(CodecTest, EachChangedByteIsAnErrorOrHarmless) {
  // Most of it is the code of other libraries, which is not sanitized.
  constexpr size_t kStride = 2 * kCaseStride - 1;
  const std::string packed = Pack(text_);
  for (size_t i = 0; i < packed.size(); ++i) {
    for (size_t value = i % kStride; value < 256; value += kStride) {
      std::string bad = packed;
      bad[i] = static_cast<char>(value);
      const Decoded decoded = Read(bad);
      if (decoded.status.ok()) {
        ASSERT_EQ(decoded.bytes, text_) << i << " is " << value;
      }
    }
  }
}

TEST_P(CodecTest, AnotherKindOfFileIsSaidToBeOne) {
  EXPECT_THAT(Read("{\"text\": \"no\"}\n").status,
              StatusIs(kInvalid, AllOf(HasSubstr("is not " + name_),
                                       HasSubstr("looks like JSON"))));
  EXPECT_THAT(Read(Gzip(text_)).status,
              StatusIs(kInvalid, HasSubstr("looks like gzip")));
  EXPECT_THAT(Read("").status, StatusIs(kDataLoss, HasSubstr("cut off")));
}

TEST_P(CodecTest, OtherBytesAfterTheEndAreAnError) {
  const Decoded decoded = Read(Pack(text_) + "trailing junk");
  EXPECT_EQ(decoded.bytes, text_);
  EXPECT_THAT(decoded.status, StatusIs(kDataLoss, HasSubstr("that are no")));
  EXPECT_OK(Read(Pack(text_) + std::string(512, '\0')).status);
}

TEST_P(CodecTest, TensorFlowWouldNotReadItSoTfRecordsAreNotWrittenWithIt) {
  const ScratchFolder folder;
  EXPECT_THAT(CreateTfRecord(LocalFiles(), folder / "a.tfrecord",
                             {.compression = GetParam().compression}),
              StatusIs(kInvalid, AllOf(HasSubstr("TensorFlow does not read"),
                                       HasSubstr(name_))));
}

// What the format cannot tell: its checksum is optional.
TEST(ZstdTest, WithoutAChecksumAWrongByteMayGoUnnoticed) {
  // A frame of one raw block, RFC 8878: magic, single segment of 3 bytes, last
  // block, raw, 3 bytes.
  const std::string frame("\x28\xb5\x2f\xfd\x20\x03\x19\0\0abc", 12);
  EXPECT_EQ(Unpack(frame, Compression::kZstd).bytes, "abc");
  std::string bad = frame;
  bad[9] = 'x';
  const Decoded decoded = Unpack(bad, Compression::kZstd);
  EXPECT_OK(decoded.status);
  EXPECT_EQ(decoded.bytes, "xbc");
}

TEST(ZstdTest, AWrongChecksumIsNamed) {
  std::string packed = Zstd("some text");
  packed.back() ^= 1;
  EXPECT_THAT(
      Unpack(packed, Compression::kZstd).status,
      StatusIs(kDataLoss,
               HasSubstr("f.packed: zstd checksum mismatch in frame 0")));
}

TEST(ZstdTest, SkippableFramesGiveNothing) {
  const std::string skippable("\x5a\x2a\x4d\x18\3\0\0\0abc", 11);
  const Decoded decoded =
      Unpack(skippable + Zstd("x") + skippable, Compression::kZstd);
  EXPECT_OK(decoded.status);
  EXPECT_EQ(decoded.bytes, "x");
}

// Found by zstd_fuzz: libzstd took such frames or not by the size of the buffer
// it was given. ZSTD_decompress and the zstd program refuse them.
TEST(ZstdTest, AFrameThatHasLessThanItSaysIsRefused) {
  // Single segment of 66 bytes; an empty last block, raw; or "abc" before it.
  const std::string empty("\x28\xb5\x2f\xfd\x20\x42\x01\0\0", 9);
  const std::string three(
      "\x28\xb5\x2f\xfd\x20\x42\x18\0\0"
      "abc\x01\0\0",
      15);
  for (const std::string& frame : {empty, three}) {
    std::string out(1000, '\0');
    EXPECT_TRUE(ZSTD_isError(
        ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size())));
    for (const size_t out_bytes : {1, 37, 1 << 16}) {
      EXPECT_THAT(
          Unpack(Zstd("x") + frame, Compression::kZstd, out_bytes).status,
          StatusIs(kDataLoss, HasSubstr("corrupted zstd data in frame 1")))
          << out_bytes;
    }
  }
  std::string whole = three;
  whole[5] = 3;
  for (const size_t out_bytes : {1, 37, 1 << 16}) {
    EXPECT_EQ(Unpack(whole + whole, Compression::kZstd, out_bytes).bytes,
              "abcabc");
  }
}

// RFC 8878, 3.1.1.1: the window descriptor's exponent is its upper five bits.
TEST(ZstdTest, AWindowOver128MiBIsRefusedBeforeItIsAllocated) {
  const auto frame = [](int window_log) {
    return std::string("\x28\xb5\x2f\xfd\0", 5) +
           static_cast<char>((window_log - 10) << 3) +
           std::string("\x09\0\0x", 4);  // the last block, 1 byte as it is
  };
  EXPECT_EQ(Unpack(frame(27), Compression::kZstd).bytes, "x");
  for (const int window_log : {28, 31, 41}) {
    EXPECT_THAT(Unpack(frame(window_log), Compression::kZstd).status,
                StatusIs(kExhausted, AllOf(HasSubstr("window over 128 MiB"),
                                           HasSubstr("--long"))));
  }
}

TEST(XzTest, ADictionaryOver256MiBIsRefused) {
  lzma_options_lzma options;
  ASSERT_FALSE(lzma_lzma_preset(&options, 0));
  options.dict_size = 512 << 20;
  const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options},
                                 {LZMA_VLI_UNKNOWN, nullptr}};
  std::string packed = Xz("some text");
  // The dictionary's size is one byte in the block header: patched there, with
  // its CRC made new, it takes no memory to make the file.
  uint8_t properties = 0;
  ASSERT_EQ(lzma_properties_encode(&filters[0], &properties), LZMA_OK);
  const size_t block = LZMA_STREAM_HEADER_SIZE;
  const size_t header_bytes = (static_cast<uint8_t>(packed[block]) + 1) * 4;
  const size_t at = packed.find('\x21', block + 2);  // the id of LZMA2
  packed[at + 2] = static_cast<char>(properties);
  const uint32_t crc =
      lzma_crc32(reinterpret_cast<const uint8_t*>(packed.data()) + block,
                 header_bytes - 4, 0);
  Store(packed, block + header_bytes - 4, crc);
  EXPECT_THAT(Unpack(packed, Compression::kXz).status,
              StatusIs(kExhausted, AllOf(HasSubstr("MiB to decode"),
                                         HasSubstr("256 MiB"))));
}

// The .xz file format 1.2.1, section 2.2.
TEST(XzTest, ZerosInFoursMayStandBetweenAndBehindStreams) {
  const std::string one = Xz("one ");
  const std::string two = Xz("two");
  for (const size_t zeros : {0, 4, 8, 512, 300'000}) {
    const std::string padding(zeros, '\0');
    const Decoded decoded =
        Unpack(one + padding + two + padding, Compression::kXz);
    EXPECT_OK(decoded.status);
    EXPECT_EQ(decoded.bytes, "one two") << zeros;
  }
  for (const size_t zeros : {1, 2, 3, 5, 7, 300'002}) {
    const Decoded decoded =
        Unpack(one + std::string(zeros, '\0') + two, Compression::kXz);
    EXPECT_EQ(decoded.bytes, "one ");
    EXPECT_THAT(decoded.status,
                StatusIs(kDataLoss, AllOf(HasSubstr(std::to_string(zeros) +
                                                    " zero bytes between"),
                                          HasSubstr("a multiple of 4"))));
  }
}

TEST(XzTest, OtherNumbersOfZerosAreNoEnd) {
  for (const size_t zeros : {1, 2, 3, 5, 300'002}) {
    const Decoded decoded =
        Unpack(Xz("one") + std::string(zeros, '\0'), Compression::kXz);
    EXPECT_EQ(decoded.bytes, "one");
    EXPECT_THAT(decoded.status,
                StatusIs(kDataLoss, AllOf(HasSubstr(std::to_string(zeros) +
                                                    " zero bytes behind"),
                                          HasSubstr("a multiple of 4"))));
  }
}

TEST(CodecNamesTest, EndsOfNamesSayHowFilesAreWrapped) {
  EXPECT_EQ(CompressionOfFile("a.jsonl.zst"), Compression::kZstd);
  EXPECT_EQ(CompressionOfFile("a.tar.xz"), Compression::kXz);
  EXPECT_EQ(CompressionOfFile("a.tar.bz2"), Compression::kBzip2);
  EXPECT_EQ(CompressionOfFile("a.TGZ"), Compression::kGzip);
  EXPECT_EQ(CompressionOfFile("a.zip"), Compression::kNone);
  for (const auto& [name, bytes] :
       {std::pair("a.txt.zst", Zstd("x\n")), std::pair("a.txt.xz", Xz("x\n")),
        std::pair("a.txt.bz2", Bzip2("x\n")),
        std::pair("c.tar.xz", Xz(Tar({{"a.txt", "x\n"}}))),
        std::pair("c.tar.bz2", Bzip2(Tar({{"a.txt", "x\n"}})))}) {
    const ReadOut out = ReadAs(name, bytes);
    EXPECT_OK(out.status);
    EXPECT_THAT(out.records, ::testing::ElementsAre("x")) << name;
  }
}

}  // namespace
}  // namespace penstock::testing
