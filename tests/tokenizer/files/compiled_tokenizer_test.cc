#include "tokenizer/files/compiled_tokenizer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/crc32c.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/files/compiled_sources.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/files/compiled_file.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using testing::CompiledSourceCase;
using testing::CompiledSourceCases;
using testing::FindFixture;
using testing::MakeOld;
using testing::MissingFixture;
using testing::Portrait;
using testing::ScratchFolder;
using testing::WatchedFiles;

LoadOptions UsingCompiled(LoadOptions options, const std::string& folder = "") {
  options.compiled = {.use = true, .folder = folder, .least_source_bytes = 0};
  return options;
}

// The one compiled file in the folder; empty where there is none.
std::string CompiledIn(const std::string& folder) {
  std::string found;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".compiled")) continue;
    EXPECT_EQ(found, "") << path;
    found = path;
  }
  return found;
}

class CompiledTokenizerTest : public ::testing::TestWithParam<size_t> {
 protected:
  const CompiledSourceCase& source() const {
    return CompiledSourceCases()[GetParam()];
  }
};

TEST_P(CompiledTokenizerTest, IsTheOneOfTheSource) {
  const ScratchFolder folder;
  const std::string path = folder.Write(source().name, source().bytes);
  folder.Write("merges.txt", source().merges);
  MakeOld(path);
  std::vector<std::string> said, first_said, second_said;
  LoadOptions options = source().options;
  options.warnings = &said;
  ASSERT_OK_AND_ASSIGN(const auto plain,
                       LoadTokenizer(LocalFiles(), path, options));
  WatchedFiles files;
  options = UsingCompiled(options);
  options.warnings = &first_said;
  ASSERT_OK_AND_ASSIGN(const auto first, LoadTokenizer(files, path, options));
  EXPECT_TRUE(files.HasRead(source().name));
  options.warnings = &second_said;
  ASSERT_OK_AND_ASSIGN(const auto second, LoadTokenizer(files, path, options));
  EXPECT_FALSE(files.HasRead(source().name));
  EXPECT_EQ(Portrait(*first), Portrait(*plain));
  EXPECT_EQ(Portrait(*second), Portrait(*plain));
  EXPECT_EQ(first_said, said);
  EXPECT_EQ(second_said, said);
}

INSTANTIATE_TEST_SUITE_P(
    EveryKind, CompiledTokenizerTest,
    ::testing::Range<size_t>(0, CompiledSourceCases().size()));

// A compiled file in memory, beside a source on the disk.
class CompiledBytesOf final : public FileBytes {
 public:
  explicit CompiledBytesOf(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes() const override { return bytes_; }
  bool intact() const override { return true; }

 private:
  const std::string_view bytes_;
};

class FileInMemory final : public ReadableFile {
 public:
  explicit FileInMemory(std::string_view bytes) : bytes_(bytes) {}
  StatusOr<size_t> ReadAt(uint64_t offset, std::span<char> out) const override {
    return size_t{0};
  }
  StatusOr<FileInfo> Stat() const override {
    return FileInfo{.size_bytes = bytes_.size()};
  }
  std::unique_ptr<FileBytes> Map(uint64_t, uint64_t) const override {
    return std::make_unique<CompiledBytesOf>(bytes_);
  }
  void WillRead(uint64_t, uint64_t) const override {}
  const std::string& path() const override { return path_; }

 private:
  const std::string_view bytes_;
  const std::string path_ = "memory.compiled";
};

class CompiledInMemory final : public ForwardingFiles {
 public:
  CompiledInMemory() : ForwardingFiles(LocalFiles()) {}
  StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) override {
    if (!path.ends_with(".compiled")) return under().OpenForRead(path);
    return std::make_unique<FileInMemory>(compiled_);
  }
  StatusOr<std::unique_ptr<WritableFile>> OpenForWrite(
      const std::string& path) override {
    return Status(StatusCode::kPermissionDenied, path);
  }
  // Until the next call.
  void Put(const std::string& compiled) {
    // Of exactly that size and alignment, so that a sanitizer sees its ends.
    const size_t size = compiled.size();
    memory_.reset(new (std::align_val_t{64}) char[size]);
    std::memcpy(memory_.get(), compiled.data(), size);
    compiled_ = {memory_.get(), size};
  }

 private:
  struct Delete {
    void operator()(char* memory) const {
      ::operator delete[](memory, std::align_val_t{64});
    }
  };
  std::unique_ptr<char[], Delete> memory_;
  std::string_view compiled_;
};

// Of the first case with that name.
class DamagedCompiledTest : public ::testing::TestWithParam<std::string> {
 protected:
  DamagedCompiledTest() {
    const CompiledSourceCase& source = *std::ranges::find(
        CompiledSourceCases(), GetParam(), &CompiledSourceCase::name);
    path_ = folder_.Write(source.name, source.bytes);
    MakeOld(path_);
    plain_ =
        *LoadTokenizer(LocalFiles(), path_, UsingCompiled({}, folder_.path()));
    compiled_ = folder_.Read(
        std::filesystem::path(CompiledIn(folder_.path())).filename().string());
  }

  // The texts use short pieces, long ones and merges that were left out.
  std::vector<TokenId> IdsOf(const Tokenizer& tokenizer) {
    std::vector<TokenId> ids;
    for (const std::string_view text : {"thing ththeinging in the<x>",
                                        "theththeintheinginginthein\xe6\x97"}) {
      EXPECT_OK(tokenizer.Encode(text, {}, ids));
      const Status sampled =
          tokenizer.EncodeSampled(text, {}, {.alpha = 0.5}, ids);
      EXPECT_TRUE(sampled.ok() || sampled.code() == StatusCode::kUnimplemented)
          << sampled;
    }
    return ids;
  }

  void ExpectSameIdsFrom(const std::string& compiled) {
    files_.Put(compiled);
    const auto tokenizer =
        LoadTokenizer(files_, path_, UsingCompiled({}, folder_ / "x"));
    ASSERT_OK(tokenizer.status());
    EXPECT_EQ((*tokenizer)->Fingerprint(), plain_->Fingerprint());
    EXPECT_EQ(IdsOf(**tokenizer), ids_);
  }

  const ScratchFolder folder_;
  std::string path_;
  std::shared_ptr<const Tokenizer> plain_;
  std::string compiled_;
  CompiledInMemory files_;
  std::vector<TokenId> ids_;
};

TEST_P(DamagedCompiledTest, NoDamagedByteChangesIds) {
  ids_ = IdsOf(*plain_);
  ExpectSameIdsFrom(compiled_);
  // Behind the header and what is small, tables are tried here and there.
  constexpr size_t kEveryByte = 2048;
  for (size_t i = 0; i < compiled_.size();
       i += (i < kEveryByte ? 1 : 13) * testing::kCaseStride) {
    std::string damaged = compiled_;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    ExpectSameIdsFrom(damaged);
    if (HasFailure()) FAIL() << "byte " << i;
  }
}

TEST_P(DamagedCompiledTest, NoCutOrGrownFileChangesIds) {
  ids_ = IdsOf(*plain_);
  for (size_t size = 0; size < compiled_.size();
       size += (size < 512 ? 1 : 61) * testing::kCaseStride) {
    ExpectSameIdsFrom(compiled_.substr(0, size));
    // Cut and filled up by a system that lost what was written.
    std::string lost = compiled_.substr(0, size);
    lost.resize(compiled_.size());
    ExpectSameIdsFrom(lost);
    if (HasFailure()) FAIL() << "size " << size;
  }
  ExpectSameIdsFrom(compiled_ + '\0');
}

// A header is sound again once its checksum, the last of its 128 bytes, is.
std::string WithHeader(std::string compiled, size_t at, uint32_t number) {
  std::memcpy(compiled.data() + at, &number, sizeof(number));
  const uint32_t checksum = Crc32c(std::string_view(compiled).substr(0, 124));
  std::memcpy(compiled.data() + 124, &checksum, sizeof(checksum));
  return compiled;
}

TEST_P(DamagedCompiledTest, OtherVersionsAndByteOrdersAreNotUsed) {
  const auto opens = [&](const std::string& compiled) {
    files_.Put(compiled);
    return OpenCompiled(files_, "x.compiled").has_value();
  };
  EXPECT_TRUE(opens(WithHeader(compiled_, 12, kCompiledVersion)));
  EXPECT_FALSE(opens(WithHeader(compiled_, 12, kCompiledVersion + 1)));
  EXPECT_FALSE(opens(WithHeader(compiled_, 8, 0x04030201)));
}

// Raise kCompiledVersion where this fails, and put the new numbers here.
TEST_P(DamagedCompiledTest, TablesAreThoseOfTheirVersion) {
  files_.Put(compiled_);
  const auto file = OpenCompiled(files_, "x.compiled");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(kCompiledVersion, 19u);
  const std::map<std::string, std::pair<uint32_t, uint32_t>> kChecksums = {
      {"tokenizer.json", {2281914772, 4291139725}},
      {"components.json", {3566771122, 0}},
      {"my.model", {3495731365, 0}}};
  const auto [soon, later] = kChecksums.at(GetParam());
  EXPECT_EQ(Crc32c(file->soon), soon);
  EXPECT_EQ(file->later_checksum, later);
}

INSTANTIATE_TEST_SUITE_P(OfEachForm, DamagedCompiledTest,
                         ::testing::Values("tokenizer.json", "components.json",
                                           "my.model"));

TEST(CompiledFixtureTest, PublishedVocabulariesAreTheSameCompiled) {
  const ScratchFolder folder;
  const std::string text_path = FindFixture("corpora/moby.txt");
  if (text_path.empty()) GTEST_SKIP() << MissingFixture("corpora/moby.txt");
  ASSERT_OK_AND_ASSIGN(std::string text,
                       ReadWholeFile(LocalFiles(), text_path));
  ASSERT_OK_AND_ASSIGN(
      const std::string more,
      ReadWholeFile(LocalFiles(), FindFixture("corpora/neko.txt")));
  text += more.substr(0, 200'000);
  for (const char* name :
       {"bert-base-uncased.tokenizer.json", "gpt2.tokenizer.json",
        "cl100k_base.tiktoken", "o200k_base.tiktoken",
        "sentencepiece-unigram-en.model", "sentencepiece-unigram-ja.model"}) {
    const std::string path = FindFixture(std::string("tokenizers/") + name);
    const LoadOptions options = UsingCompiled({}, folder / name);
    ASSERT_OK_AND_ASSIGN(const auto plain, LoadTokenizer(LocalFiles(), path));
    EXPECT_OK(LoadTokenizer(LocalFiles(), path, options).status());
    ASSERT_NE(CompiledIn(folder / name), "");
    WatchedFiles files;
    ASSERT_OK_AND_ASSIGN(const auto compiled,
                         LoadTokenizer(files, path, options));
    EXPECT_EQ(compiled->Fingerprint(), plain->Fingerprint());
    EXPECT_EQ(testing::Ids(*compiled, text), testing::Ids(*plain, text));
    ASSERT_EQ(compiled->vocabulary_size(), plain->vocabulary_size());
    for (TokenId id = 0; id < plain->vocabulary_size(); ++id) {
      ASSERT_EQ(compiled->TokenOf(id), plain->TokenOf(id));
    }
  }
}

}  // namespace
}  // namespace penstock
