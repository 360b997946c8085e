#include "tokenizer/files/compiled_cache.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/files/compiled_sources.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/interface/sampling.h"
#include "tokenizer/interface/stream_decoder.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ids;
using ::testing::IsEmpty;
using testing::kDataLoss;
using testing::ScratchFolder;
using ::testing::StartsWith;
using testing::StatusIs;
using testing::TinyTiktoken;
using testing::WatchedFiles;

// As long as this lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (old_) {
      setenv(name_, old_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* const name_;
  std::optional<std::string> old_;
};

std::vector<std::string> CompiledNames(const std::string& folder) {
  std::vector<std::string> names;
  if (!std::filesystem::exists(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".compiled")) names.push_back(name);
  }
  return names;
}

class CompiledCacheTest : public ::testing::Test {
 protected:
  static constexpr char kName[] = "gpt2.tiktoken";

  CompiledCacheTest() { Write({"th", "the"}); }

  void Write(const std::vector<std::string>& tokens) {
    path_ = folder_.Write(kName, TinyTiktoken(tokens));
  }
  void SetAge(std::chrono::seconds age) {
    std::filesystem::last_write_time(
        path_, std::filesystem::file_time_type::clock::now() - age);
  }

  std::shared_ptr<const Tokenizer> Load(FileSystem& files,
                                        CompiledOptions options = {}) {
    options.use = true;
    if (options.least_source_bytes == 64 << 10) options.least_source_bytes = 0;
    auto tokenizer = LoadTokenizer(files, path_, {.compiled = options});
    EXPECT_OK(tokenizer.status());
    return *std::move(tokenizer);
  }

  const Environment no_cache_{"PENSTOCK_CACHE", ""};
  const ScratchFolder folder_;
  const ScratchFolder users_;
  const Environment users_cache_{"XDG_CACHE_HOME", users_.path()};
  std::string path_;
  WatchedFiles files_;
};

TEST_F(CompiledCacheTest, IsKeptHiddenBesideTheSource) {
  Load(files_);
  EXPECT_THAT(CompiledNames(folder_.path()),
              ElementsAre(StartsWith(".gpt2.tiktoken-")));
  EXPECT_THAT(CompiledNames(users_ / "penstock"), IsEmpty());
}

TEST_F(CompiledCacheTest, IsKeptInTheUsersCacheWhereTheSourceCannotBe) {
  SetAge(std::chrono::hours(1));
  WatchedFiles files(folder_.path());
  Load(files);
  EXPECT_THAT(CompiledNames(folder_.path()), IsEmpty());
  EXPECT_THAT(CompiledNames(users_ / "penstock"),
              ElementsAre(StartsWith("gpt2.tiktoken-")));
  EXPECT_TRUE(files.HasRead(kName));
  Load(files);
  EXPECT_FALSE(files.HasRead(kName));
}

TEST_F(CompiledCacheTest, IsKeptWhereTheOptionSaysElseTheVariable) {
  const Environment cache("PENSTOCK_CACHE", users_ / "variable");
  Load(files_);
  EXPECT_EQ(CompiledNames(users_ / "variable").size(), 1u);
  Load(files_, {.folder = users_ / "option"});
  EXPECT_EQ(CompiledNames(users_ / "option").size(), 1u);
  EXPECT_THAT(CompiledNames(folder_.path()), IsEmpty());
}

TEST_F(CompiledCacheTest, IsNotKeptUnlessWanted) {
  EXPECT_OK(LoadTokenizer(files_, path_).status());
  Load(files_, {.folder = "off"});
  Load(files_, {.least_source_bytes = 1 << 20});
  {
    const Environment cache("PENSTOCK_CACHE", "off");
    Load(files_);
  }
  EXPECT_THAT(CompiledNames(folder_.path()), IsEmpty());
  EXPECT_THAT(CompiledNames(users_ / "penstock"), IsEmpty());
}

TEST_F(CompiledCacheTest, EachSettingHasItsOwn) {
  Load(files_);
  const CompiledOptions use = {.use = true, .least_source_bytes = 0};
  ASSERT_OK_AND_ASSIGN(
      const auto other,
      LoadTokenizer(files_, path_,
                    {.pattern = "cl100k_base", .compiled = use}));
  const auto names = CompiledNames(folder_.path());
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(other->IdOf("<|endoftext|>"), 100257u);
  // One under the other's name is not used.
  for (const auto& [from, to] :
       {std::pair(names[0], names[1]), std::pair(names[1], names[0])}) {
    std::filesystem::copy_file(
        folder_ / from, folder_ / to,
        std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(Load(files_)->IdOf("<|endoftext|>"), 50256u);
    ASSERT_OK_AND_ASSIGN(
        const auto again,
        LoadTokenizer(files_, path_,
                      {.pattern = "cl100k_base", .compiled = use}));
    EXPECT_EQ(again->IdOf("<|endoftext|>"), 100257u);
  }
}

TEST_F(CompiledCacheTest, ChangedSourceIsLoadedAnew) {
  SetAge(std::chrono::hours(1));
  EXPECT_THAT(Ids(*Load(files_), "the"), ElementsAre(257));
  Write({"he", "the"});
  EXPECT_THAT(Ids(*Load(files_), "the"), ElementsAre(257));
  EXPECT_TRUE(files_.HasRead(kName));
  EXPECT_EQ(Load(files_)->TokenOf(256), "he");
  EXPECT_EQ(CompiledNames(folder_.path()).size(), 1u);
}

TEST_F(CompiledCacheTest, SourceThatChangedWithoutAnotherTimeIsLoadedAnew) {
  const auto time = std::filesystem::last_write_time(path_);
  EXPECT_EQ(Load(files_)->TokenOf(256), "th");
  Write({"he", "the"});
  std::filesystem::last_write_time(path_, time);
  EXPECT_EQ(Load(files_)->TokenOf(256), "he");
}

TEST_F(CompiledCacheTest, TouchedSourceIsKnownByItsChecksum) {
  SetAge(std::chrono::hours(1));
  Load(files_);
  const auto compiled = folder_ / CompiledNames(folder_.path())[0];
  const auto written = std::filesystem::last_write_time(compiled);
  SetAge(std::chrono::hours(2));
  EXPECT_EQ(Load(files_)->TokenOf(256), "th");
  EXPECT_EQ(std::filesystem::last_write_time(compiled), written);
}

TEST_F(CompiledCacheTest, GoneSourceIsAnErrorAlthoughItIsKept) {
  Load(files_);
  std::filesystem::remove(path_);
  EXPECT_THAT(
      LoadTokenizer(files_, path_,
                    {.compiled = {.use = true, .least_source_bytes = 0}}),
      testing::StatusIs(StatusCode::kNotFound, ::testing::_));
}

constexpr char kWordLevel[] =
    R"({"version": "1.0", "pre_tokenizer": {"type": "Whitespace"},
        "model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1},
                  "unk_token": "a"}})";

TEST_F(CompiledCacheTest, MergesBesideAVocabularyAreASourceToo) {
  path_ = folder_.Write("vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
  folder_.Write("merges.txt", "a b\n");
  SetAge(std::chrono::hours(1));
  EXPECT_THAT(Ids(*Load(files_), "ab"), ElementsAre(2));
  EXPECT_TRUE(files_.HasRead("vocab.json"));
  EXPECT_THAT(Ids(*Load(files_), "ab"), ElementsAre(2));
  EXPECT_FALSE(files_.HasRead("vocab.json"));
  folder_.Write("merges.txt", "");
  EXPECT_THAT(Ids(*Load(files_), "ab"), ElementsAre(0, 1));
  std::filesystem::remove(folder_ / "merges.txt");
  const LoadOptions use = {.compiled = {.use = true, .least_source_bytes = 0}};
  EXPECT_THAT(LoadTokenizer(files_, path_, use),
              StatusIs(StatusCode::kNotFound, HasSubstr("merges.txt")));
  EXPECT_THAT(LoadTokenizer(files_, folder_ / "no_vocab.json", use),
              StatusIs(StatusCode::kNotFound, HasSubstr("no_vocab.json")));
}

TEST_F(CompiledCacheTest, CompiledComponentsCutOffWhileInUseAreAnErrorToo) {
  path_ = folder_.Write("word.json", kWordLevel);
  Load(files_);
  const auto compiled = Load(LocalFiles());
  std::filesystem::resize_file(folder_ / CompiledNames(folder_.path())[0], 0);
  std::vector<TokenId> ids;
  std::vector<TokenOrigin> origins;
  std::string decoded;
  const auto is_cut =
      StatusIs(kDataLoss, HasSubstr("word.json: its compiled form was cut"));
  for (int call = 0; call < 2; ++call) {
    EXPECT_THAT(compiled->Encode("b a b", {}, ids), is_cut);
    EXPECT_THAT(compiled->EncodeWithOrigins("b", {}, ids, origins), is_cut);
    const TokenId id = 1;
    EXPECT_THAT(compiled->Decode({&id, 1}, {}, decoded), is_cut);
    EXPECT_THAT(compiled->NewStreamDecoder({})->Add(id, decoded), is_cut);
  }
  EXPECT_EQ(decoded, "");
  EXPECT_THAT(ids, IsEmpty());
}

TEST_F(CompiledCacheTest, CompiledFormCutOffWhileInUseIsAnErrorOfEachCall) {
  Load(files_);
  const auto compiled = Load(LocalFiles());
  std::filesystem::resize_file(folder_ / CompiledNames(folder_.path())[0], 0);
  std::vector<TokenId> ids;
  std::vector<TokenOrigin> origins;
  for (int call = 0; call < 2; ++call) {
    for (const std::string_view text :
         {"the", "an unheard of piecethatislong"}) {
      EXPECT_THAT(
          compiled->Encode(text, {}, ids),
          StatusIs(kDataLoss, HasSubstr("gpt2.tiktoken: its compiled")));
      EXPECT_THAT(compiled->EncodeWithOrigins(text, {}, ids, origins),
                  StatusIs(kDataLoss, HasSubstr("load it again")));
    }
    std::string decoded;
    const TokenId id = 257;
    EXPECT_THAT(compiled->Decode({&id, 1}, {}, decoded),
                StatusIs(kDataLoss, HasSubstr("load it again")));
    EXPECT_EQ(decoded, "");
  }
  EXPECT_THAT(ids, IsEmpty());
  EXPECT_THAT(Ids(*Load(files_), "the"), ElementsAre(257));
}

TEST_F(CompiledCacheTest, CompiledModelCutOffWhileInUseIsAnErrorOfEachCall) {
  path_ = folder_.Write("my.model", testing::TinySentencePiece().Bytes());
  Load(files_);
  const auto compiled = Load(LocalFiles());
  std::filesystem::resize_file(folder_ / CompiledNames(folder_.path())[0], 0);
  std::vector<TokenId> ids;
  std::vector<TokenOrigin> origins;
  std::vector<ScoredIds> best;
  std::string decoded;
  const auto is_cut =
      StatusIs(kDataLoss, HasSubstr("my.model: its compiled form was cut"));
  for (int call = 0; call < 2; ++call) {
    EXPECT_THAT(compiled->Encode("the thing", {}, ids), is_cut);
    EXPECT_THAT(compiled->EncodeWithOrigins("the", {}, ids, origins), is_cut);
    EXPECT_THAT(compiled->EncodeSampled("the", {}, {}, ids), is_cut);
    EXPECT_THAT(compiled->EncodeBest("the", {}, 2, best), is_cut);
    const TokenId id = 3;
    EXPECT_THAT(compiled->Decode({&id, 1}, {}, decoded), is_cut);
    EXPECT_THAT(compiled->NewStreamDecoder({})->Add(id, decoded), is_cut);
  }
  EXPECT_EQ(decoded, "");
}

TEST_F(CompiledCacheTest, ManyMayLoadKeepAndRemoveAtOnce) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 12; ++i) {
        const auto tokenizer =
            LoadTokenizer(LocalFiles(), path_,
                          {.compiled = {.use = true, .least_source_bytes = 0}});
        std::vector<TokenId> ids;
        if (!tokenizer.ok() || !(*tokenizer)->Encode("the the", {}, ids).ok() ||
            ids != std::vector<TokenId>{257, 32, 257}) {
          ++wrong;
        }
        if (t != 0 || i % 3 != 0) continue;
        for (const std::string& name : CompiledNames(folder_.path())) {
          std::error_code gone;
          std::filesystem::remove(folder_ / name, gone);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CompiledCacheTest, ManyThreadsMayEncodeFirstAtOnce) {
  Load(files_);
  const auto compiled = Load(files_);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::vector<TokenId> ids;
      if (!compiled->Encode("ththe", {}, ids).ok() ||
          ids != std::vector<TokenId>{256, 257}) {
        ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace penstock
