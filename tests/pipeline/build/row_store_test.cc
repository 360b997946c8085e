#include "pipeline/build/row_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace penstock {
namespace {

using ::testing::ElementsAre;

// Rows of 1, 2, ... values: row r has values of `first` + r.
std::shared_ptr<const Examples> Rows(size_t count, int64_t first) {
  auto examples = std::make_shared<Examples>();
  Column& column = examples->columns.emplace_back();
  column.type = FeatureType::kInt64;
  for (size_t row = 0; row < count; ++row) {
    column.ints.insert(column.ints.end(), row + 1,
                       first + static_cast<int64_t>(row));
    column.EndRow();
    ++examples->rows;
  }
  return examples;
}

std::vector<int64_t> Values(const StoredRow& row) {
  const auto values = row.examples->columns[0].ints_of(row.row);
  return {values.begin(), values.end()};
}

// Adds rows [begin, end) to `store`, and what it gives for them to `tags`.
void AddRows(const std::shared_ptr<const Examples>& examples, size_t begin,
             size_t end, RowStore& store, std::vector<uint64_t>& tags) {
  for (size_t row = begin; row < end; ++row) {
    tags.push_back(store.Add(examples, row, 0));
  }
}

TEST(RowStoreTest, ARowIsFoundUntilItIsTaken) {
  RowStore store;
  const auto examples = Rows(3, 10);
  std::vector<uint64_t> tags;
  AddRows(examples, 0, 3, store, tags);
  EXPECT_THAT(Values(store.Find(tags[1])), ElementsAre(11, 11));
  store.Remove(tags[1]);
  EXPECT_EQ(store.rows(), 2u);
  // Its place is another's.
  EXPECT_EQ(store.Add(Rows(1, 7), 0, 0), tags[1]);
  EXPECT_THAT(Values(store.Find(tags[1])), ElementsAre(7));
  EXPECT_THAT(Values(store.Find(tags[2])), ElementsAre(12, 12, 12));
}

TEST(RowStoreTest, ARowThatIsEmptiedKeepsItsTagAndNoMemory) {
  RowStore store;
  auto examples = Rows(3, 10);
  std::vector<uint64_t> tags;
  AddRows(examples, 0, 3, store, tags);
  store.Empty(tags[1]);
  EXPECT_EQ(store.Find(tags[1]).examples, nullptr);
  EXPECT_THAT(Values(store.Find(tags[2])), ElementsAre(12, 12, 12));
  store.Empty(tags[0]);
  store.Empty(tags[2]);
  store.Settle();
  EXPECT_EQ(examples.use_count(), 1);
  // The tag is another's only once it is taken.
  EXPECT_EQ(store.rows(), 3u);
  EXPECT_EQ(store.Add(Rows(1, 7), 0, 0), 3u);
  store.Remove(tags[1]);
  EXPECT_EQ(store.Add(Rows(1, 8), 0, 0), tags[1]);
  EXPECT_THAT(Values(store.Find(tags[1])), ElementsAre(8));
}

TEST(RowStoreTest, AFewRowsKeepNoMoreThanTwiceTheirMemory) {
  RowStore store;
  auto examples = Rows(100, 0);
  std::vector<uint64_t> tags;
  for (size_t row = 0; row < 100; ++row) {
    tags.push_back(store.Add(examples, row, row % 2));
  }
  const std::weak_ptr<const Examples> all = std::exchange(examples, nullptr);
  // Of 5,050 values and 100 places for rows, so that half of it is there.
  for (size_t row = 0; row < 70; ++row) store.Remove(tags[row]);
  store.Settle();
  EXPECT_FALSE(all.expired());
  store.Remove(tags[70]);
  store.Settle();
  EXPECT_TRUE(all.expired());
  for (size_t row = 71; row < 100; ++row) {
    const StoredRow left = store.Find(tags[row]);
    EXPECT_EQ(Values(left), std::vector<int64_t>(row + 1, row)) << row;
    // Together with those of its kind.
    EXPECT_EQ(left.examples->rows, 14 + row % 2);
  }
  // Copies are settled as what came from outside is.
  const std::weak_ptr<const Examples> copy = store.OwnerOf(tags[72]);
  for (size_t row = 74; row < 100; row += 2) store.Remove(tags[row]);
  store.Settle();
  EXPECT_TRUE(copy.expired());
  EXPECT_EQ(Values(store.Find(tags[72])), std::vector<int64_t>(73, 72));
}

TEST(RowStoreTest, ARowThatIsRemovedLivesWhileItsOwnerDoes) {
  RowStore store;
  auto examples = Rows(2, 10);
  const std::weak_ptr<const Examples> all = examples;
  const uint64_t tag = store.Add(std::exchange(examples, nullptr), 1, 0);
  const StoredRow row = store.Find(tag);
  {
    RowOwners owners;
    owners.Add(store.OwnerOf(tag));
    store.Remove(tag);
    store.Settle();
    EXPECT_THAT(Values(row), ElementsAre(11, 11));
  }
  EXPECT_TRUE(all.expired());
}

TEST(RowStoreTest, RowsComeFromExamplesAlsoBehindThatTheirOthersWereCopied) {
  RowStore store;
  const auto examples = Rows(8, 0);
  std::vector<uint64_t> tags;
  AddRows(examples, 0, 4, store, tags);
  store.Settle();  // four short rows of eight: copied
  EXPECT_NE(store.OwnerOf(tags[3]), examples);
  AddRows(examples, 4, 8, store, tags);
  store.Settle();
  EXPECT_EQ(store.OwnerOf(tags[7]), examples);
  for (size_t row = 0; row < 8; ++row) {
    EXPECT_EQ(Values(store.Find(tags[row])),
              std::vector<int64_t>(row + 1, row));
    store.Remove(tags[row]);
  }
  store.Settle();
  EXPECT_EQ(store.rows(), 0u);
}

}  // namespace
}  // namespace penstock
