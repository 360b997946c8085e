#include "formats/tokens/megatron_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "formats/files/posix_files.h"
#include "tests/support/effort.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/support/token_files.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Sequences = std::vector<std::vector<int64_t>>;

const Sequences kTwo = {{1, 2, 3}, {4, 5}};

class MegatronTokensTest : public ::testing::Test {
 protected:
  StatusOr<std::unique_ptr<MegatronTokens>> Open(
      const TokenFiles& files, FileSystem& system = LocalFiles()) const {
    folder_.Write("a.idx", files.idx);
    folder_.Write("a.bin", files.bin);
    return MegatronTokens::Open(system, folder_ / "a");
  }
  static StatusOr<Sequences> All(const MegatronTokens& tokens) {
    Sequences all;
    for (uint64_t i = 0; i < tokens.sequences(); ++i) {
      std::string bytes;
      PENSTOCK_RETURN_IF_ERROR(tokens.Append(i, bytes));
      AppendTokens(bytes, tokens.type(), all.emplace_back());
    }
    return all;
  }
  void ExpectRefused(const TokenFiles& files, StatusCode code,
                     const std::string& words) const {
    EXPECT_THAT(Open(files), StatusIs(code, HasSubstr(words)));
  }

  ScratchFolder folder_;
};

// The bytes of the published format's example.
TEST_F(MegatronTokensTest, TheBytesOfTheFormatAreRead) {
  const TokenFiles files = MakeTokenFiles<uint16_t>(kTwo, 8);
  std::string hex;
  for (const char byte : files.idx) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[static_cast<uint8_t>(byte) >> 4];
    hex += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  EXPECT_EQ(hex,
            "4d4d49444944580000"
            "0100000000000000"
            "08"
            "0200000000000000"
            "0300000000000000"
            "0300000002000000"
            "00000000000000000600000000000000"
            "000000000000000001000000000000000200000000000000");
  EXPECT_EQ(files.bin, std::string("\1\0\2\0\3\0\4\0\5\0", 10));
  ASSERT_OK_AND_ASSIGN(const auto tokens, Open(files));
  EXPECT_EQ(tokens->sequences(), 2u);
  EXPECT_EQ(tokens->documents(), 2u);
  EXPECT_EQ(tokens->type(), TokenType::kUint16);
  EXPECT_THAT(tokens->lengths(), ElementsAre(3, 2));
  EXPECT_EQ(tokens->size_bytes(), 10u);
  ASSERT_OK_AND_ASSIGN(const Sequences all, All(*tokens));
  EXPECT_EQ(all, kTwo);
  EXPECT_THAT(tokens->Locate(1), HasSubstr("a.bin: sequence 1 at offset 6"));
}

TEST_F(MegatronTokensTest, EveryTypeOfTokensIsWidened) {
  const Sequences signed_ones = {{-3, 127}, {}, {5}};
  const Sequences large = {{200, 255}, {0}};
  const auto read = [&](const TokenFiles& files, const Sequences& wanted) {
    ASSERT_OK_AND_ASSIGN(const auto tokens, Open(files));
    ASSERT_OK_AND_ASSIGN(const Sequences all, All(*tokens));
    EXPECT_EQ(all, wanted);
  };
  read(MakeTokenFiles<uint8_t>(large, 1), large);
  read(MakeTokenFiles<int8_t>(signed_ones, 2), signed_ones);
  read(MakeTokenFiles<int16_t>(signed_ones, 3), signed_ones);
  read(MakeTokenFiles<int32_t>(signed_ones, 4), signed_ones);
  read(MakeTokenFiles<int64_t>({{int64_t{1} << 40}}, 5), {{int64_t{1} << 40}});
  read(MakeTokenFiles<uint16_t>({{65535}}, 8), {{65535}});
}

TEST_F(MegatronTokensTest, AnySequenceOfManyIsFoundByNumber) {
  Sequences many;
  for (int64_t i = 0; i < 1000; ++i) {
    many.emplace_back(static_cast<size_t>(i * 7 % 23), i);
  }
  ASSERT_OK_AND_ASSIGN(const auto tokens, Open(MakeTokenFiles<int32_t>(
                                              many, 4, {0, 3, 3, 500, 1000})));
  EXPECT_EQ(tokens->documents(), 4u);
  ASSERT_OK_AND_ASSIGN(const Sequences all, All(*tokens));
  EXPECT_EQ(all, many);
  for (const char* name : {"a", "a.bin", "a.idx"}) {
    ASSERT_OK_AND_ASSIGN(const auto same,
                         MegatronTokens::Open(LocalFiles(), folder_ / name));
    EXPECT_EQ(same->fingerprint(), tokens->fingerprint());
  }
}

TEST_F(MegatronTokensTest, WhatIsNoIndexOrDamagedIsRefused) {
  const TokenFiles good = MakeTokenFiles<uint16_t>(kTwo, 8);
  const auto changed = [&](size_t offset, uint8_t byte) {
    TokenFiles files = good;
    files.idx[offset] = static_cast<char>(byte);
    return files;
  };
  ExpectRefused(changed(0, 'T'), kDataLoss, "does not begin with MMIDIDX");
  ExpectRefused({"", good.bin}, kDataLoss, "does not begin with MMIDIDX");
  ExpectRefused({good.idx.substr(0, 20), good.bin}, kDataLoss,
                "less than a header");
  ExpectRefused(changed(9, 2), kUnimplemented, "version 2, and only 1");
  ExpectRefused(changed(9, 0), kUnimplemented, "version 0, and only 1");
  ExpectRefused(changed(17, 0), kDataLoss, "type 0 of numbers");
  ExpectRefused(changed(17, 9), kDataLoss, "type 9 of numbers");
  ExpectRefused(changed(17, 6), kUnimplemented, "float64, which are no tokens");
  ExpectRefused(changed(17, 7), kUnimplemented, "float32, which are no tokens");
  ExpectRefused(changed(18, 3), kDataLoss, "do not fit 3 sequences");
  ExpectRefused(changed(25, 0x80), kDataLoss, "do not fit");
  ExpectRefused(changed(33, 0xff), kDataLoss, "do not fit");
  ExpectRefused(changed(37, 0xff), kDataLoss, "sequence 0 has -");
  ExpectRefused(changed(34, 4), kDataLoss, "sequence 1 has 2 tokens from byte");
  ExpectRefused(changed(58, 1), kDataLoss, "bound 0 of documents");
  ExpectRefused(changed(66, 3), kDataLoss, "bound 1 of documents");
  ExpectRefused(changed(74, 1), kDataLoss, "end with sequence 1 of 2");
  ExpectRefused({good.idx + "12", good.bin}, kUnimplemented, "several modes");
  ExpectRefused({good.idx + "123", good.bin}, kDataLoss, "do not fit");
  ExpectRefused({good.idx, good.bin.substr(1)}, kDataLoss,
                "it has 9 bytes, but its .idx says 10");
  ExpectRefused({good.idx, good.bin + "x"}, StatusCode::kFailedPrecondition,
                "its .idx knows only 10");
}

// No prefix of the index is taken for one, and no byte of it makes it crash.
TEST_F(MegatronTokensTest, EveryByteAndEveryLengthIsLookedAt) {
  const TokenFiles good = MakeTokenFiles<uint16_t>(kTwo, 8);
  for (size_t size = 0; size < good.idx.size(); size += kCaseStride) {
    EXPECT_FALSE(Open({good.idx.substr(0, size), good.bin}).ok()) << size;
  }
  for (size_t i = 0; i < good.idx.size(); i += kCaseStride) {
    for (const uint8_t byte : {0x01, 0x7f, 0x80, 0xff}) {
      TokenFiles files = good;
      if (static_cast<uint8_t>(files.idx[i]) == byte) continue;
      files.idx[i] = static_cast<char>(byte);
      const auto opened = Open(files);
      EXPECT_FALSE(opened.ok()) << i << " " << int{byte};
    }
  }
}

TEST_F(MegatronTokensTest, AFileThatIsNotThereIsNamed) {
  EXPECT_THAT(MegatronTokens::Open(LocalFiles(), folder_ / "none.bin"),
              StatusIs(StatusCode::kNotFound, HasSubstr("none.idx")));
  folder_.Write("b.idx", MakeTokenFiles<uint16_t>(kTwo, 8).idx);
  EXPECT_THAT(MegatronTokens::Open(LocalFiles(), folder_ / "b"),
              StatusIs(StatusCode::kNotFound, HasSubstr("b.bin")));
}

TEST_F(MegatronTokensTest, AFileThatIsCutOffIsAnErrorAndNoZeros) {
  Sequences many(200, std::vector<int64_t>(1000, 7));
  ASSERT_OK_AND_ASSIGN(const auto tokens,
                       Open(MakeTokenFiles<int32_t>(many, 4)));
  std::string bytes;
  ASSERT_OK(tokens->Append(199, bytes));
  folder_.Write("a.bin", "");
  EXPECT_THAT(tokens->Append(150, bytes),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("a.bin: sequence 150 at offset 600000: the "
                                 "file was cut off")));
}

// Each call that opening and reading makes may fail.
TEST_F(MegatronTokensTest, EveryFailedCallIsAnError) {
  const TokenFiles files = MakeTokenFiles<uint16_t>(kTwo, 8);
  ASSERT_OK(Open(files));
  for (const Call call : {Call::kOpen, Call::kStat, Call::kRead}) {
    for (uint64_t n = 0;; ++n) {
      FaultyCalls calls;
      PosixFiles system(calls);
      calls.FailAt(call, n, EIO);
      const auto tokens = MegatronTokens::Open(system, folder_ / "a");
      const Status read =
          tokens.ok() ? All(**tokens).status() : tokens.status();
      if (calls.count(call) <= n) {
        EXPECT_OK(read);
        break;
      }
      EXPECT_FALSE(read.ok()) << n;
    }
  }
}

}  // namespace
}  // namespace penstock::testing
