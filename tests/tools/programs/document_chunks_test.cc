#include "tools/programs/document_chunks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "formats/files/file.h"
#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using testing::Gzip;
using testing::ScratchFolder;

// Lines of hexadecimal digits, which pack to about half.
std::string Digits(size_t lines) {
  std::mt19937_64 random(3);
  std::string text;
  for (size_t i = 0; i < lines; ++i) {
    for (int n = 0; n < 6; ++n) text += fmt::format("{:016x}", random());
    text += '\n';
  }
  return text;
}

TEST(DocumentReaderTest, ProgressIsByBytesReadOfTheFileCompressedOrNot) {
  ScratchFolder folder;
  const std::string text = Digits(50000);
  for (const std::string& path :
       {folder.Write("a.txt", text), folder.Write("b.txt.gz", Gzip(text))}) {
    ASSERT_OK_AND_ASSIGN(const InputFiles input,
                         FindInputFiles(LocalFiles(), {path}, {}));
    DocumentReader reader(LocalFiles(), input,
                          {.open = {.text_unit = TextUnit::kLine}});
    double given = 0;  // of the text, with its line ends
    for (size_t chunks = 0;; ++chunks) {
      ASSERT_OK_AND_ASSIGN(const DocumentChunk chunk, reader.Next());
      const auto done = static_cast<double>(chunk.input_bytes_done) /
                        static_cast<double>(input.size_bytes);
      if (chunk.size() == 0) {
        EXPECT_EQ(done, 1.0);
        EXPECT_GE(chunks, 4u);
        break;
      }
      given += static_cast<double>(chunk.text.size() + chunk.size()) /
               static_cast<double>(text.size());
      EXPECT_GE(done, given - 0.01) << path;
      EXPECT_LE(done, given + 0.2) << path << ": more than is read ahead";
    }
  }
}

TEST(DocumentReaderTest, AFileThatHoldsNothingIsCountedBehindBadOnes) {
  ScratchFolder folder;
  std::filesystem::create_symlink("nowhere", folder / "a.txt");
  folder.Write("b.txt", "");
  folder.Write("c.txt", "text");
  ASSERT_OK_AND_ASSIGN(
      const InputFiles input,
      FindInputFiles(LocalFiles(), {folder.path()}, {.leave_out_bad = true}));
  DocumentReader reader(LocalFiles(), input,
                        {.bad_input = {.leave_out = true}});
  ASSERT_OK_AND_ASSIGN(const DocumentChunk chunk, reader.Next());
  EXPECT_EQ(chunk.size(), 1u);
  EXPECT_EQ(reader.losses().places, 1u);
  EXPECT_EQ(reader.losses().empty_files, 1u);
  EXPECT_EQ(reader.losses().first_empty, folder / "b.txt");
}

}  // namespace
}  // namespace penstock
