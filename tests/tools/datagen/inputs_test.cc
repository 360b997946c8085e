// What datagen takes for its corpus, and what it says of the rest.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {
namespace {

using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ScratchFolder;
using ::testing::UnorderedElementsAre;

class InputsTest : public ::testing::Test {
 protected:
  InputsTest() { EXPECT_OK(LocalFiles().CreateFolders(folder_ / "in")); }

  // `before` is put in front of the program, as in "cat x |".
  Outcome Datagen(const std::string& arguments,
                  const std::string& before = "") {
    return RunShell(fmt::format(
        "cd {} && {} {}/datagen {} --output data --name a --overwrite "
        "--shards 1 --quiet 2>&1",
        folder_.path(), before, PENSTOCK_BIN_DIR, arguments));
  }
  // Of the dataset written last, in order.
  std::vector<std::string> Texts() {
    const Outcome cat =
        RunShell(fmt::format("{}/recordtool cat {}", PENSTOCK_BIN_DIR,
                             folder_ / "data/a-train.tfrecord-00000-of-00001"));
    std::vector<std::string> texts;
    for (size_t begin = 0; begin < cat.output.size();) {
      const size_t end = cat.output.find('\n', begin);
      const auto json =
          nlohmann::json::parse(cat.output.substr(begin, end - begin));
      texts.push_back(json["features"]["text"][0]);
      begin = end + 1;
    }
    return texts;
  }
  nlohmann::json Manifest() {
    return nlohmann::json::parse(folder_.Read("data/a-train.manifest.json"));
  }
  bool IsThere() {
    return LocalFiles().Stat(folder_ / "data/a-train.manifest.json").ok();
  }

  ScratchFolder folder_;
};

TEST_F(InputsTest, DatagensOwnTextsComeBackAsTheyWere) {
  folder_.Write("in/x.txt", "one\ntwo\n");
  ASSERT_EQ(Datagen("-i in --unit line").exit_code, 0);
  std::filesystem::rename(folder_ / "data", folder_ / "first");
  for (const std::string input : {"first/a-train.tfrecord@1", "first@train",
                                  "'first/*.tfrecord-0*' --allow-own-output"}) {
    const Outcome again = Datagen("-i " + input);
    ASSERT_EQ(again.exit_code, 0) << again.output;
    EXPECT_THAT(Texts(), ElementsAre("one", "two")) << input;
  }
  const std::string raw = "-i first/a-train.tfrecord@1 --feature ";
  ASSERT_EQ(Datagen(raw + "-").exit_code, 0);
  EXPECT_EQ(Texts().front().front(), '\n') << "the Example itself";
  const Outcome other = Datagen(raw + "body");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.output,
              AllOf(HasSubstr("feature \"body\" is missing; the record has "
                              "\"text\""),
                    HasSubstr("--feature says which")));
  const Outcome vocab = RunShell(fmt::format(
      "cd {} && {}/datagen vocab first@train --size 256 -o v.json -q 2>&1",
      folder_.path(), PENSTOCK_BIN_DIR));
  EXPECT_THAT(vocab.output, HasSubstr("2 documents, 6 B of text"));
}

TEST_F(InputsTest, TokensAreNoTextAndTheFeaturesThereAreAreNamed) {
  folder_.Write("in/x.txt", "one\n");
  ASSERT_EQ(Datagen("-i in --tokenizer bytes").exit_code, 0);
  std::filesystem::rename(folder_ / "data", folder_ / "first");
  const Outcome again = Datagen("-i first/a-train.tfrecord@1");
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.output, HasSubstr("the record has \"tokens\""));
}

// Each is one bad place, in a corpus of four good documents.
TEST_F(InputsTest, OneBadFileCostsOneBadFile) {
  folder_.Write("in/a.txt", "one");
  folder_.Write("in/b-wide.txt",
                "\xff\xfe"
                "a\0"s);
  folder_.Write(
      "in/c.jsonl",
      "{\"text\": \"two\"}\n{\"text\": null}\n{\"text\": \"three\"}\n");
  std::filesystem::create_symlink("nowhere", folder_ / "in/d-dangling.txt");
  folder_.Write("in/e.csv", "text,n\nfour,1\nx,2,3\n");
  folder_.Write("in/f.txt", "caf\xe9");
  folder_.Write("in/g.txt.gz", "\x1f\x8b\x08");
  folder_.Write("in/h.txt",
                "\x7f"
                "ELF\2\1\1\0"s);
  EXPECT_EQ(Datagen("-i in").exit_code, 1);
  EXPECT_FALSE(IsThere());

  const Outcome done = Datagen("-i in --on-bad-input skip --max-skipped 7");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(Texts(), ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(
      done.output,
      AllOf(HasSubstr("skipped a file: in/d-dangling.txt: cannot stat"),
            HasSubstr("skipped a file: in/b-wide.txt: the file is UTF-16LE"),
            HasSubstr("skipped a line: in/c.jsonl:2: field \"text\": expected "
                      "a string, found null"),
            HasSubstr("skipped a row: in/e.csv:3: row 3: has 3 columns"),
            HasSubstr("skipped a document: in/f.txt:1: byte 4"),
            HasSubstr("--invalid-unicode"),
            HasSubstr("skipped a file: in/g.txt.gz"),
            HasSubstr("h.txt: expected text; the file looks like an ELF")));
  EXPECT_THAT(done.output, AllOf(HasSubstr("datagen: skipped 4 files"),
                                 HasSubstr("7 bad places left out")));
  EXPECT_EQ(Manifest()["skipped"]["places"], 7);
  EXPECT_EQ(Manifest()["skipped"]["first"].size(), 7u);
  EXPECT_EQ(Manifest()["skipped"]["first"][2]["why"],
            "line: in/c.jsonl:2: field \"text\": expected a string, found "
            "null");

  const Outcome over = Datagen("-i in --on-bad-input skip --max-skipped 6");
  EXPECT_EQ(over.exit_code, 1);
  EXPECT_THAT(over.output, HasSubstr("more than 6 regions would be skipped"));
  const std::string share = "-i in --on-bad-input skip --max-skipped-share ";
  EXPECT_EQ(Datagen(share + "0.7").exit_code, 0);
  const Outcome part = Datagen(share + "0.6");
  EXPECT_EQ(part.exit_code, 1);
  EXPECT_THAT(part.output, HasSubstr("7 places were skipped beside 4 "
                                     "documents, 0.636 of all; "
                                     "--max-skipped-share allows 0.6"));
  EXPECT_EQ(Datagen("-i in --max-skipped 3").exit_code, 1)
      << "a limit of nothing";
}

TEST_F(InputsTest, AFileThatMayNotBeReadIsOneBadFile) {
  // Root may read everything.
  const std::string nobody =
      geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups" : "";
  if (RunShell(nobody + " true 2>&1").exit_code != 0) {
    GTEST_SKIP() << "there is no setpriv";
  }
  EXPECT_OK(LocalFiles().CreateFolders(folder_ / "in/closed"));
  folder_.Write("in/a.txt", "one");
  folder_.Write("in/b.txt", "two");
  for (const auto& [name, mode] :
       {std::pair("", 0777), std::pair("in/b.txt", 0),
        std::pair("in/closed", 0)}) {
    ASSERT_EQ(chmod((folder_ / name).c_str(), mode), 0);
  }
  EXPECT_EQ(Datagen("-i in", nobody).exit_code, 1);
  const Outcome done = Datagen("-i in --on-bad-input skip", nobody);
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(Texts(), ElementsAre("one"));
  EXPECT_THAT(done.output,
              AllOf(HasSubstr("skipped a file: in/b.txt: cannot open: Perm"),
                    HasSubstr("skipped a file: in/closed: cannot list")));
  ASSERT_EQ(chmod((folder_ / "in/closed").c_str(), 0700), 0);
}

TEST_F(InputsTest, OneBadMemberAmongManyCostsOneMember) {
  folder_.Write("in/a.txt", "one");
  folder_.Write("in/b.txt", "caf\xe9");
  folder_.Write("in/c.txt", "\xff\xfe");
  folder_.Write("in/d.txt", "two");
  RunShell(
      fmt::format("cd {} && tar --sort=name -cf x.tar in", folder_.path()));
  EXPECT_EQ(Datagen("-i x.tar").exit_code, 1);
  const Outcome done = Datagen("-i x.tar --on-bad-input skip");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(Texts(), ElementsAre("one", "two"));
  EXPECT_THAT(done.output,
              AllOf(HasSubstr("skipped a document: x.tar!in/b.txt:1"),
                    HasSubstr("skipped a member: x.tar!in/c.txt")));
}

TEST_F(InputsTest, ManyBadLinesAreNamedNoFurtherThanPeopleRead) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "{\"text\": null}\n";
  folder_.Write("a.jsonl", lines + "{\"text\": \"x\"}\n");
  const Outcome done = Datagen("-i a.jsonl --on-bad-input skip");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(done.output,
              AllOf(HasSubstr("a.jsonl:100: "), Not(HasSubstr("a.jsonl:101: ")),
                    HasSubstr("what else is skipped is counted only"),
                    HasSubstr("skipped 1,000 lines")));
  EXPECT_EQ(Manifest()["skipped"]["places"], 1000);
  EXPECT_EQ(Manifest()["skipped"]["first"].size(), 16u);
}

TEST_F(InputsTest, BinariesAreNoTextWhateverKindIsSaid) {
  folder_.Write("zeros", std::string(4096, '\0'));
  folder_.Write("in/x", "words");
  RunShell(fmt::format("cd {} && tar -cJf x.tar.xz in", folder_.path()));
  for (const auto& [file, words] :
       {std::pair("zeros"s, "is NUL"s),
        std::pair(PENSTOCK_BIN_DIR "/datagen"s, "an ELF program"s),
        std::pair("x.tar.xz"s, "a tar archive"s)}) {
    for (const std::string more : {"", " --invalid-unicode replace"}) {
      const Outcome outcome = Datagen("--kind text -i " + file + more);
      EXPECT_EQ(outcome.exit_code, 1) << file;
      EXPECT_THAT(outcome.output, HasSubstr(words));
    }
  }
}

TEST_F(InputsTest, AFileCountsOnceWhateverLeadsToIt) {
  EXPECT_OK(LocalFiles().CreateFolders(folder_ / "in/sub"));
  folder_.Write("in/a.txt", "one");
  folder_.Write("in/sub/b.txt", "two");
  std::filesystem::create_directory_symlink(".", folder_ / "in/loop");
  std::filesystem::create_directory_symlink("sub", folder_ / "in/other");
  std::filesystem::create_hard_link(folder_ / "in/a.txt", folder_ / "in/z.txt");
  const Outcome folder = Datagen("-i in");
  ASSERT_EQ(folder.exit_code, 0) << folder.output;
  EXPECT_EQ(Texts().size(), 2u);
  EXPECT_THAT(folder.output,
              HasSubstr("3 files or folders were met again, by links or by "
                        "name, and count once (first: folder in/loop)"));
  const Outcome twice = Datagen("-i in in/a.txt 'in/**/b.txt' in/../in/a.txt");
  ASSERT_EQ(twice.exit_code, 0) << twice.output;
  EXPECT_EQ(Texts().size(), 2u);
  EXPECT_THAT(twice.output, HasSubstr("6 files or folders"));
}

TEST_F(InputsTest, WhatAnArchiveHoldsInsteadOfTextIsSaid) {
  folder_.Write("in/a.txt", "one");
  std::filesystem::create_hard_link(folder_ / "in/a.txt", folder_ / "in/b.txt");
  std::filesystem::create_symlink("a.txt", folder_ / "in/c.txt");
  folder_.Write("in/d.zip", "x");
  RunShell(
      fmt::format("cd {} && truncate -s 1M in/e.txt && echo end >> in/e.txt && "
                  "tar --sort=name -S -cf x.tar in",
                  folder_.path()));
  const Outcome done = Datagen("-i x.tar");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(Texts(), ElementsAre("one"));
  EXPECT_THAT(
      done.output,
      AllOf(HasSubstr("left out of archives: 1 times archive in an archive "
                      "(first: x.tar!in/d.zip)"),
            HasSubstr("1 times hard link (first: x.tar!in/b.txt)"),
            HasSubstr("1 times sparse file (first: x.tar!in/e.txt)"),
            HasSubstr("1 times symbolic link (first: x.tar!in/c.txt)")));
}

TEST_F(InputsTest, NoDocumentAtAllIsAnErrorUnlessAskedFor) {
  folder_.Write("in/picture", "x");
  RunShell(fmt::format("cd {} && tar -cf x.tar in", folder_.path()));
  const Outcome none = Datagen("-i x.tar");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.output,
              AllOf(HasSubstr("no document was found in 1 files"),
                    HasSubstr("1 times name that says no kind in archives "
                              "(first: x.tar!in/picture)"),
                    HasSubstr("--allow-empty")));
  EXPECT_FALSE(IsThere());
  EXPECT_EQ(Datagen("-i x.tar --allow-empty").exit_code, 0);
  EXPECT_EQ(Manifest()["records"], 0);
}

TEST_F(InputsTest, ATextFileIsADocumentUnlessItIsAllThereIs) {
  folder_.Write("in/a.txt", "one\n\ntwo\n");
  for (const auto& [input, unit, documents] :
       {std::tuple("in", "file", 1), std::tuple("'in/*.txt'", "file", 1),
        std::tuple("in/a.txt", "paragraph", 2),
        std::tuple("in --unit line", "line", 2)}) {
    const Outcome done = Datagen(fmt::format("-i {}", input));
    ASSERT_EQ(done.exit_code, 0) << done.output;
    EXPECT_THAT(done.output, ::testing::StartsWith(fmt::format(
                                 "{} documents (--unit {})", documents, unit)));
  }
  RunShell(fmt::format("cd {} && tar -cf x.tar in", folder_.path()));
  EXPECT_THAT(Datagen("-i x.tar").output,
              HasSubstr("1 documents (--unit file)"));
  folder_.Write("a.jsonl", "{\"text\": \"x\"}\n");
  EXPECT_THAT(Datagen("-i a.jsonl").output, Not(HasSubstr("--unit")));
}

TEST_F(InputsTest, PatternsSayWhichFilesAndMembersAreRead) {
  for (const char* name : {"in/docs/old", "in/src"}) {
    EXPECT_OK(LocalFiles().CreateFolders(folder_ / name));
  }
  for (const char* name : {"in/a.txt", "in/b.md", "in/docs/c.txt",
                           "in/docs/old/d.txt", "in/src/e.txt"}) {
    folder_.Write(name, name);
  }
  RunShell(fmt::format("cd {}/in && tar -cf ../x.tar *", folder_.path()));
  for (const std::string input : {"in", "x.tar"}) {
    const auto texts = [&](const std::string& choice) {
      const Outcome done = Datagen("-i " + input + " " + choice);
      EXPECT_EQ(done.exit_code, 0) << done.output;
      return Texts();
    };
    EXPECT_THAT(
        texts("--include '*.txt' --exclude src"),
        UnorderedElementsAre("in/a.txt", "in/docs/c.txt", "in/docs/old/d.txt"));
    EXPECT_THAT(texts("--include 'docs/**/*.txt' --include '*.md' "
                      "--exclude docs/old"),
                UnorderedElementsAre("in/b.md", "in/docs/c.txt"));
  }
  EXPECT_THAT(Datagen("-i in --exclude '*'").output,
              HasSubstr("5 that --include and --exclude leave out"));
  ASSERT_EQ(Datagen("-i 'in/**/*.txt'").exit_code, 0);
  EXPECT_EQ(Texts().size(), 4u);
}

TEST_F(InputsTest, AKindMayStandBeforeAnInput) {
  folder_.Write("in/table", "text\nrow\n");
  folder_.Write("in/lines", "{\"text\": \"line\"}\n");
  folder_.Write("csv:odd.txt", "words");
  const Outcome done = Datagen("-i csv:in/table jsonl:in/lines csv:odd.txt");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(Texts(), ElementsAre("row", "line", "words"));
  RunShell(fmt::format("cd {} && tar -cf x.tar in/lines", folder_.path()));
  ASSERT_EQ(Datagen("-i x.tar --member-kind jsonl").exit_code, 0);
  EXPECT_THAT(Texts(), ElementsAre("line"));
}

TEST_F(InputsTest, AFolderInsideAnotherInputIsReadByTheKindSaidOfIt) {
  EXPECT_OK(LocalFiles().CreateFolders(folder_ / "in/notes"));
  folder_.Write("in/a.txt", "one");
  folder_.Write("in/notes/README", "two");
  folder_.Write("in/notes/b.txt", "three");
  for (const char* inputs : {"-i in text:in/notes", "-i text:in/notes in"}) {
    const Outcome done = Datagen(inputs);
    ASSERT_EQ(done.exit_code, 0) << done.output;
    EXPECT_THAT(Texts(), UnorderedElementsAre("one", "two", "three"));
    EXPECT_THAT(done.output, Not(HasSubstr("say no kind"))) << inputs;
  }
}

TEST_F(InputsTest, StandardInputAndPipesAreRead) {
  folder_.Write("a.jsonl", "{\"text\": \"one\"}\n{\"text\": \"two\"}\n");
  ASSERT_EQ(Datagen("-i - --kind jsonl", "cat a.jsonl |").exit_code, 0);
  EXPECT_THAT(Texts(), ElementsAre("one", "two"));
  ASSERT_EQ(Datagen("-i jsonl:-", "cat a.jsonl |").exit_code, 0);
  EXPECT_THAT(Texts(), ElementsAre("one", "two"));
  const Outcome pipe =
      Datagen("-i pipe.jsonl",
              "mkfifo pipe.jsonl && { cat a.jsonl > pipe.jsonl & } && ");
  ASSERT_EQ(pipe.exit_code, 0) << pipe.output;
  EXPECT_THAT(Texts(), ElementsAre("one", "two"));

  ASSERT_EQ(mkfifo((folder_ / "in/pipe.txt").c_str(), 0600), 0);
  folder_.Write("in/a.txt", "one");
  const Outcome unasked = Datagen("-i in");
  ASSERT_EQ(unasked.exit_code, 0) << "it waited, or so";
  EXPECT_THAT(unasked.output, HasSubstr("1 pipes or devices in folders were "
                                        "left out (first: in/pipe.txt)"));

  const Outcome nameless = Datagen("-i -", "cat a.jsonl |");
  EXPECT_EQ(nameless.exit_code, 1);
  EXPECT_THAT(nameless.output, HasSubstr("say it with --kind"));
  const Outcome bad = Datagen("-i csv:-", "cat a.jsonl |");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.output, HasSubstr("standard input:1: "));
}

TEST_F(InputsTest, APipeThatAPatternFindsIsLeftOutAsThoseOfFoldersAre) {
  ASSERT_EQ(mkfifo((folder_ / "in/pipe.txt").c_str(), 0600), 0);
  folder_.Write("in/a.txt", "one");
  const Outcome done = Datagen("-i 'in/*.txt'", "timeout 60");
  ASSERT_EQ(done.exit_code, 0) << "it waited, or so";
  EXPECT_THAT(Texts(), ElementsAre("one"));
  EXPECT_THAT(done.output, HasSubstr("left out (first: in/pipe.txt)"));
}

TEST_F(InputsTest, APipeThatNobodyWritesToEndsWithASignal) {
  ASSERT_EQ(mkfifo((folder_ / "pipe.txt").c_str(), 0600), 0);
  // The shell holds no end of the pipe; the signal comes once it is opened.
  const Outcome stopped = RunShell(fmt::format(
      "cd {} && {{ {}/datagen -i pipe.txt -o data -n a 2>&1 & }} && pid=$! && "
      "until ls -l /proc/$pid/fd | grep -q pipe.txt; do :; done && "
      "kill -TERM $pid && wait $pid; echo code $?",
      folder_.path(), PENSTOCK_BIN_DIR));
  EXPECT_THAT(stopped.output, AllOf(HasSubstr("stopped while reading pipe.txt"),
                                    HasSubstr("code 1")));
}

TEST_F(InputsTest, WhatMessagesAdviseIsAFlag) {
  folder_.Write("a.csv", "text;n\none;1\n");
  folder_.Write("b.csv", "one|'\"|1\n");
  folder_.Write("long.txt", std::string(3000, 'x'));
  const auto expect = [&](const std::string& input, const std::string& flag,
                          const std::string& bad, const std::string& good,
                          const std::string& words) {
    const std::string line = "-i " + input + " " + flag + " ";
    const Outcome fails = Datagen(bad.empty() ? "-i " + input : line + bad);
    EXPECT_EQ(fails.exit_code, 1) << input;
    EXPECT_THAT(fails.output, HasSubstr(words));
    const Outcome done = Datagen(line + good);
    EXPECT_EQ(done.exit_code, 0) << done.output;
  };
  expect("a.csv", "--csv-delimiter", "", "';'", "--csv-delimiter");
  expect("b.csv --csv-delimiter '|' --csv-header none --column '#2'",
         "--csv-quotes", "", "none", "say --csv-quotes none");
  EXPECT_THAT(Texts(), ElementsAre("'\""));
  expect("long.txt", "--max-record-bytes", "2KiB", "4KiB",
         "raise --max-record-bytes");
  EXPECT_THAT(Datagen("-i './l*.txt' --max-record-bytes 2KiB").output,
              HasSubstr("or cut it by --unit"));
  RunShell(
      fmt::format("cd {} && tar -cf x.tar long.txt && "
                  "truncate -s 20M z.txt && tr '\\0' z < z.txt | xz > "
                  "big.txt.xz && head -c 4096 x.tar > cut.tar",
                  folder_.path()));
  expect("x.tar", "--max-member-bytes", "2KiB", "4KiB",
         "raise --max-member-bytes");
  expect("big.txt.xz", "--max-ratio", "", "1000000", "raise --max-ratio");
  expect("cut.tar", "--tar-end", "", "may-be-missing",
         "--tar-end may-be-missing");
  expect("x.tar", "--member-kind", "jsonl", "text", "x.tar!long.txt");
}

}  // namespace
}  // namespace penstock
