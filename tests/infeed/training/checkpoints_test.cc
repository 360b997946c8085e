#include "infeed/checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <latch>

#include "formats/files/posix_files.h"
#include "infeed/training/checkpoint_folder.h"
#include "pipeline/group.h"
#include "tests/infeed/training/checkpoint_hosts.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::Call;
using ::penstock::testing::CheckpointEnd;
using ::penstock::testing::CheckpointHost;
using ::penstock::testing::FaultyCalls;
using ::penstock::testing::kDataLoss;
using ::penstock::testing::kExhausted;
using ::penstock::testing::kInvalid;
using ::penstock::testing::RunCheckpointHost;
using ::penstock::testing::RunCheckpointHosts;
using ::penstock::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckpointsTest : public ::testing::Test {
 protected:
  std::vector<uint64_t> Committed() {
    auto steps = CheckpointFolder(LocalFiles(), path_).Committed();
    EXPECT_OK(steps.status());
    return steps.ok() ? *steps : std::vector<uint64_t>();
  }

  // Leaves a checkpoint behind `step`.
  void SaveBehind(uint64_t step, uint32_t hosts = 1) {
    for (const CheckpointEnd& end :
         RunCheckpointHosts(path_, hosts, {.steps = step})) {
      ASSERT_OK(end.status);
    }
  }

  const testing::ScratchFolder folder_;
  const std::string path_ = folder_ / "run.checkpoints";
};

TEST_F(CheckpointsTest, ARunSavesAsOftenAsAskedKeepsTheLastAndGoesOn) {
  const CheckpointEnd begun = RunCheckpointHost(
      path_, {.options = {.every = 3, .keep = 2},
              .after = [](Checkpoints&, uint64_t step) { return step < 9; }});
  EXPECT_FALSE(begun.resumed.has_value());
  // What was on its way when the run was left may have come or not.
  const auto left = Committed();
  ASSERT_FALSE(left.empty());
  const CheckpointEnd rest = RunCheckpointHost(
      path_, {.steps = 14, .options = {.every = 3, .keep = 2}});
  EXPECT_OK(rest.status);
  ASSERT_TRUE(rest.resumed.has_value());
  EXPECT_EQ(rest.resumed->step, left.back());
  EXPECT_EQ(rest.steps.front(), left.back());
  EXPECT_EQ(rest.steps.back(), 13u);
  EXPECT_THAT(Committed(), ElementsAre(12, 14));
  const CheckpointEnd over = RunCheckpointHost(path_, {.steps = 14});
  EXPECT_OK(over.status);
  EXPECT_EQ(over.resumed->step, 14u);
  EXPECT_THAT(over.steps, IsEmpty());
  EXPECT_THAT(Committed(), ElementsAre(12, 14));
}

TEST_F(CheckpointsTest, AnyNumberOfHostsGoesOnFromThatOfFour) {
  SaveBehind(5, 4);
  EXPECT_THAT(Committed(), ElementsAre(5));
  for (const uint32_t hosts : {1u, 2u, 3u, 4u}) {
    const std::string copy = folder_ / ("on" + std::to_string(hosts));
    std::filesystem::copy(path_, copy,
                          std::filesystem::copy_options::recursive);
    std::vector<uint64_t> records(5);
    for (const CheckpointEnd& end :
         RunCheckpointHosts(copy, hosts, {.steps = 10})) {
      ASSERT_OK(end.status);
      EXPECT_EQ(end.resumed->hosts, 4u);
      EXPECT_THAT(end.steps, ElementsAre(5, 6, 7, 8, 9));
      for (size_t i = 0; i < 5; ++i) records[i] += end.records[i];
    }
    // Step s has records [24 s, 24 (s + 1)).
    for (uint64_t i = 0; i < 5; ++i) {
      EXPECT_EQ(records[i], 24 * 24 * (5 + i) + 23 * 12) << hosts;
    }
  }
}

TEST_F(CheckpointsTest, OtherRecordsInTheLastStepAreNamedWithTheStep) {
  SaveBehind(5, 2);
  const auto ends = RunCheckpointHosts(path_, 2, {}, [](CheckpointHost& host) {
    if (host.host != 1) return;
    host.change = [](Batch& batch) { ++batch.record_ids.back(); };
  });
  for (const CheckpointEnd& end : ends) {
    EXPECT_THAT(end.status,
                StatusIs(StatusCode::kFailedPrecondition,
                         AllOf(HasSubstr("step-000000000005"),
                               HasSubstr("step 5 has other records now"))));
    EXPECT_EQ(end.infeed, end.status);
  }
  // The same records in other rows are another batch, too.
  const CheckpointEnd moved = RunCheckpointHost(
      path_, {.change = [](Batch& batch) {
        std::swap(batch.record_ids.front(), batch.record_ids.back());
      }});
  EXPECT_THAT(moved.status, StatusIs(StatusCode::kFailedPrecondition,
                                     HasSubstr("other records")));
}

TEST_F(CheckpointsTest, WhatIsNotCommittedIsIgnoredAndLaterRemoved) {
  SaveBehind(3);
  SaveBehind(5, 2);
  ASSERT_THAT(Committed(), ElementsAre(3, 5));
  std::filesystem::remove(path_ + "/step-000000000005/COMMIT");
  folder_.Write("run.checkpoints/step-000000000004", "not even a folder");
  std::filesystem::remove(path_ + "/step-000000000004");
  std::filesystem::create_directories(path_ + "/step-000000000004/model");
  folder_.Write("run.checkpoints/step-000000000004/model/weights", "half");
  const CheckpointEnd end = RunCheckpointHost(path_, {.steps = 6});
  EXPECT_OK(end.status);
  EXPECT_EQ(end.resumed->step, 3u);
  EXPECT_THAT(Committed(), ElementsAre(3, 6));
  EXPECT_FALSE(std::filesystem::exists(path_ + "/step-000000000004"));
  EXPECT_FALSE(std::filesystem::exists(path_ + "/step-000000000005"));
}

TEST_F(CheckpointsTest, ADamagedCheckpointIsNamedAndNotPassedOver) {
  SaveBehind(3);
  SaveBehind(5);
  const std::string part =
      "run.checkpoints/step-000000000005/host-00000-of-00001.state";
  const std::string whole = folder_.Read(part);
  for (size_t i = 0; i < whole.size(); i += 7) {
    std::string bytes = whole;
    bytes[i] ^= 1;
    folder_.Write(part, bytes);
    ASSERT_THAT(
        RunCheckpointHost(path_, {}).status,
        StatusIs(kDataLoss, AllOf(HasSubstr("host-00000-of-00001.state"),
                                  HasSubstr("from the checkpoint "
                                            "before"))));
  }
  folder_.Write(part, whole);
  const std::string commit = "run.checkpoints/step-000000000005/COMMIT";
  std::string bytes = folder_.Read(commit);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 1;
    folder_.Write(commit, bytes);
    ASSERT_THAT(RunCheckpointHost(path_, {}).status,
                StatusIs(kDataLoss, HasSubstr("COMMIT")));
    bytes[i] ^= 1;
  }
}

TEST_F(CheckpointsTest, AHostThatCannotWriteEndsAllWithItsCauseAndTheOldStays) {
  struct Fault {
    uint32_t host;
    uint64_t write;
    uint64_t saves;  // that are committed before
  };
  SaveBehind(3, 3);
  // Host 0 writes its part and COMMIT each time, the others their part.
  for (const Fault& fault : {Fault{0, 0, 0}, Fault{0, 1, 0}, Fault{0, 2, 1},
                             Fault{1, 0, 0}, Fault{2, 2, 2}}) {
    FaultyCalls disk;
    PosixFiles files(disk);
    disk.FailAt(Call::kWrite, fault.write, ENOSPC);
    const uint64_t before = Committed().back();
    const auto ends =
        RunCheckpointHosts(path_, 3, {.steps = 1000, .options = {.every = 2}},
                           [&](CheckpointHost& host) {
                             if (host.host == fault.host)
                               host.options.files = &files;
                           });
    for (const CheckpointEnd& end : ends) {
      EXPECT_THAT(
          end.status,
          StatusIs(kExhausted,
                   AllOf(HasSubstr(path_),
                         HasSubstr("host " + std::to_string(fault.host)),
                         HasSubstr("step-"), HasSubstr("No space left"))));
      EXPECT_EQ(end.status, ends[0].status);
      EXPECT_EQ(end.infeed, end.status);
    }
    const uint64_t first = (before / 2 + 1) * 2;
    EXPECT_EQ(Committed().back(),
              fault.saves == 0 ? before : first + 2 * (fault.saves - 1));
  }
}

// Lets a host wait until it has taken part in so many rounds.
class CountingGroup final : public Group {
 public:
  CountingGroup(std::unique_ptr<Group> under, ptrdiff_t rounds)
      : under_(std::move(under)), left_(rounds), met_(1) {}

  void Await() { met_.wait(); }

  uint32_t hosts() const override { return under_->hosts(); }
  uint32_t host() const override { return under_->host(); }
  StatusOr<std::vector<std::string>> AllGather(std::string_view mine) override {
    auto told = under_->AllGather(mine);
    if (--left_ == 0) met_.count_down();
    return told;
  }
  StatusOr<std::vector<std::string>> Exchange(
      std::vector<std::string> to) override {
    return under_->Exchange(std::move(to));
  }
  void Fail(const Status& why) override { under_->Fail(why); }
  Status failed() const override { return under_->failed(); }
  void Beat(std::string_view report) override { under_->Beat(report); }
  std::vector<HostPulse> Pulses() const override { return under_->Pulses(); }

 private:
  const std::unique_ptr<Group> under_;
  ptrdiff_t left_;
  std::latch met_;
};

TEST_F(CheckpointsTest, ANoticeMakesAllSaveBehindTheHighestStepAndOne) {
  for (const uint32_t hosts : {1u, 3u}) {
    // Rounds: what Open() finds, who has what, the highest step.
    std::vector<std::unique_ptr<CountingGroup>> groups;
    for (auto& end : ThreadGroup(hosts)) {
      groups.push_back(std::make_unique<CountingGroup>(std::move(end), 3));
    }
    std::latch there(hosts);
    const std::string path = folder_ / std::to_string(hosts);
    const auto ends = RunCheckpointHosts(
        path, hosts, {.steps = 100}, [&](CheckpointHost& host) {
          host.options.group = groups[host.host].get();
          // Host h has done 2 + 3 h steps when the last one is told.
          host.after = [&, h = host.host](Checkpoints& checkpoints,
                                          uint64_t step) {
            if (step != 1 + 3 * h) return true;
            there.arrive_and_wait();
            if (h + 1 == hosts) checkpoints.Preempt();
            groups[h]->Await();
            return true;
          };
        });
    const uint64_t highest = 2 + 3 * (hosts - 1);
    for (const CheckpointEnd& end : ends) {
      EXPECT_OK(end.status);
      EXPECT_EQ(end.steps.size(), highest + 1);
    }
    const auto committed = CheckpointFolder(LocalFiles(), path).Committed();
    ASSERT_OK(committed);
    EXPECT_THAT(*committed, ElementsAre(highest + 1));
  }
}

TEST_F(CheckpointsTest, TheModelIsCopiedWhereItIsSavedAndWrittenByEachHost) {
  std::atomic<int> copies = 0;
  const auto ends = RunCheckpointHosts(
      path_, 2, {.steps = 5, .options = {.every = 2}},
      [&](CheckpointHost& host) {
        host.model = [&copies, h = host.host]() -> ModelWriter {
          ++copies;
          return [h](const std::string& folder) {
            const std::string name = "/model-" + std::to_string(h);
            auto file = LocalFiles().OpenForWrite(folder + name);
            if (!file.ok()) return file.status();
            return (*file)->Append("weights");
          };
        };
      });
  for (const CheckpointEnd& end : ends) EXPECT_OK(end.status);
  EXPECT_EQ(copies, 2 * 3);  // behind steps 2, 4 and 5
  EXPECT_THAT(Committed(), ElementsAre(2, 4, 5));
  EXPECT_EQ(folder_.Read("run.checkpoints/step-000000000005/model-1"),
            "weights");
  const auto failed =
      RunCheckpointHosts(path_, 2, {.steps = 7}, [&](CheckpointHost& host) {
        host.model = [h = host.host]() -> ModelWriter {
          return [h](const std::string&) {
            return h == 1 ? DataLossError("a bit fell over") : OkStatus();
          };
        };
      });
  for (const CheckpointEnd& end : failed) {
    EXPECT_THAT(end.status,
                StatusIs(kDataLoss, AllOf(HasSubstr("host 1"),
                                          HasSubstr("the model: a bit"))));
  }
  EXPECT_THAT(Committed(), ElementsAre(2, 4, 5));
}

// Host h writes layers/h and, beside it, what a link leads to.
ModelSnapshot LayersOf(uint32_t host, const std::string& elsewhere) {
  return [host, elsewhere]() -> ModelWriter {
    return [host, elsewhere](const std::string& folder) -> Status {
      PENSTOCK_RETURN_IF_ERROR(LocalFiles().CreateFolders(folder + "/layers"));
      if (host == 0) {
        std::filesystem::create_directory_symlink(elsewhere,
                                                  folder + "/elsewhere");
      }
      PENSTOCK_ASSIGN_OR_RETURN(
          const auto file, LocalFiles().OpenForWrite(folder + "/layers/" +
                                                     std::to_string(host)));
      return file->Append(std::string(100 + host, 'w'));
    };
  };
}

TEST_F(CheckpointsTest, AModelFileThatWasLostOrCutIsToldBeforeItIsLoaded) {
  const std::string elsewhere = folder_ / "elsewhere";
  std::filesystem::create_directories(elsewhere);
  folder_.Write("elsewhere/other", "not of this model");
  for (const CheckpointEnd& end :
       RunCheckpointHosts(path_, 2, {.steps = 5}, [&](CheckpointHost& host) {
         host.model = LayersOf(host.host, elsewhere);
       })) {
    ASSERT_OK(end.status);
  }
  const auto commit =
      ParseCommit(folder_.Read("run.checkpoints/step-000000000005/COMMIT"));
  ASSERT_OK(commit.status());
  EXPECT_THAT(commit->model, ElementsAre(ModelFile{"layers/0", 100},
                                         ModelFile{"layers/1", 101}));
  EXPECT_EQ(commit->parts.size(), 2u);

  folder_.Write("elsewhere/other", "changed, which is nobody's business");
  EXPECT_OK(RunCheckpointHost(path_, {.steps = 5}).status);

  const std::string layer = "run.checkpoints/step-000000000005/layers/1";
  folder_.Write(layer, "cut");
  EXPECT_THAT(
      RunCheckpointHost(path_, {.steps = 5}).status,
      StatusIs(kDataLoss, AllOf(HasSubstr("layers/1: has 3 bytes, and was "
                                          "committed with 101 bytes"),
                                HasSubstr("from the checkpoint before"))));
  std::filesystem::remove(folder_ / layer);
  EXPECT_THAT(RunCheckpointHost(path_, {.steps = 5}).status,
              StatusIs(kDataLoss, HasSubstr("layers/1: is not there")));
}

TEST_F(CheckpointsTest, HostsThatWantOrDoDifferentThingsAreTold) {
  const auto ends = RunCheckpointHosts(path_, 3, {.options = {.every = 2}},
                                       [](CheckpointHost& host) {
                                         if (host.host == 2)
                                           host.options.every = 3;
                                       });
  for (const CheckpointEnd& end : ends) {
    EXPECT_THAT(end.status,
                StatusIs(kInvalid, HasSubstr("hosts 0 and 2 differ in their "
                                             "checkpoints: every 2 steps")));
  }
  const auto uneven =
      RunCheckpointHosts(path_, 2, {.steps = 4}, [](CheckpointHost& host) {
        if (host.host == 1) host.steps = 3;
      });
  for (const CheckpointEnd& end : uneven) {
    EXPECT_THAT(end.status,
                StatusIs(StatusCode::kInternal, HasSubstr("same steps")));
  }
  EXPECT_THAT(Committed(), IsEmpty());
}

TEST_F(CheckpointsTest, AHostThatLeavesEndsTheOthers) {
  const auto ends = RunCheckpointHosts(
      path_, 2, {.steps = 1000, .options = {.every = 1}},
      [](CheckpointHost& host) {
        if (host.host != 1) return;
        host.after = [](Checkpoints&, uint64_t step) { return step < 4; };
      });
  EXPECT_THAT(ends[0].status,
              StatusIs(StatusCode::kCancelled,
                       AllOf(HasSubstr(path_),
                             HasSubstr("host 1: left before it had finished "
                                       "its checkpoints"))));
}

TEST_F(CheckpointsTest, ACheckpointOfAnotherRunIsNotOverwritten) {
  SaveBehind(5);
  const CheckpointFolder folder(LocalFiles(), path_);
  std::filesystem::rename(folder.PathOf(5), folder.PathOf(7));
  // It cannot be gone on from, and a run that was begun before it came there
  // does not take its place either.
  CheckpointFolder other(LocalFiles(), path_);
  EXPECT_THAT(other.Prepare(7), StatusIs(StatusCode::kAlreadyExists,
                                         HasSubstr("step-000000000007")));
}

}  // namespace
}  // namespace penstock
