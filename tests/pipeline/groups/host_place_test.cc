// What launchers set, and what it means. The vectors are those of JAX's cluster
// detection where it has the same environment.
#include "pipeline/groups/host_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

StatusOr<FoundPlace> Find(const Variables& variables,
                          const HostFlags& flags = {}) {
  return FindHostPlace(
      flags, [&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
      });
}

// "host 2 of 4 at node:1", "alone" or the error's words.
std::string PlaceOf(const Variables& variables, const HostFlags& flags = {}) {
  const auto found = Find(variables, flags);
  if (!found.ok()) return found.status().ToString();
  if (!found->place) return "alone";
  const HostPlace& place = *found->place;
  return "host " + std::to_string(place.host) + " of " +
         std::to_string(place.hosts) + " at " + place.coordinator + " by " +
         place.told_by;
}

Variables SlurmOf(const std::string& nodes) {
  return {{"SLURM_JOB_ID", "1234567"},
          {"SLURM_STEP_NODELIST", nodes},
          {"SLURM_NTASKS", "8"},
          {"SLURM_PROCID", "5"},
          {"SLURM_LOCALID", "1"}};
}

Variables MpiOf(const std::string& uri) {
  return {{"OMPI_COMM_WORLD_SIZE", "4"},
          {"OMPI_COMM_WORLD_RANK", "3"},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
          {"OMPI_MCA_orte_hnp_uri", uri}};
}

TEST(HostPlaceTest, NothingToldIsAlone) {
  EXPECT_EQ(PlaceOf({}), "alone");
  EXPECT_EQ(PlaceOf({}, {.hosts = 3}), "alone");  // as threads
  EXPECT_EQ(PlaceOf({{"HOME", "/"}, {"HOSTNAME", "a-0"}}), "alone");
}

TEST(HostPlaceTest, FlagsSayAll) {
  EXPECT_EQ(
      PlaceOf(SlurmOf("a"), {.hosts = 2, .host = 1, .coordinator = "here:9"}),
      "host 1 of 2 at here:9 by flags");
}

TEST(HostPlaceTest, HalfOfTheFlagsNamesTheRest) {
  EXPECT_THAT(PlaceOf({}, {.host = 1}),
              HasSubstr("--hosts and --coordinator is not given"));
  EXPECT_THAT(PlaceOf({}, {.hosts = 2, .coordinator = "a:1"}),
              HasSubstr("; --host is not given"));
  EXPECT_THAT(PlaceOf({}, {.hosts = 2, .host = 2, .coordinator = "a:1"}),
              HasSubstr("host 2 is not one of the 2 hosts"));
}

TEST(HostPlaceTest, OpenMpi) {
  EXPECT_EQ(PlaceOf(MpiOf("1531576320.0;tcp://10.96.0.1,10.148.0.1:34911")),
            "host 3 of 4 at 10.96.0.1:62624 by Open MPI");
  EXPECT_EQ(PlaceOf(MpiOf(
                "1314521088.0;tcp6://[fe80::b9b:ac5d:9cf0:b858,2620::1]:1")),
            "host 3 of 4 at [fe80::b9b:ac5d:9cf0:b858]:62880 by Open MPI");
  Variables near = MpiOf("1531576320.0;tcp://10.96.0.1:34911");
  near["OMPI_COMM_WORLD_LOCAL_SIZE"] = "4";
  EXPECT_EQ(PlaceOf(near), "host 3 of 4 at 127.0.0.1:62624 by Open MPI");
  EXPECT_EQ(PlaceOf(near, {.coordinator = "127.0.0.1:7"}),
            "host 3 of 4 at 127.0.0.1:7 by Open MPI");
}

TEST(HostPlaceTest, Slurm) {
  for (const std::string nodes :
       {"node001", "node001,host2", "node[001-0015],host2",
        "node[001,007-015],host2"}) {
    EXPECT_EQ(PlaceOf(SlurmOf(nodes)), "host 5 of 8 at node001:63111 by Slurm")
        << nodes;
  }
}

TEST(HostPlaceTest, TpuVms) {
  Variables slice = {{"TPU_WORKER_HOSTNAMES", "w0,w1,w2,w3"},
                     {"TPU_WORKER_ID", "3"}};
  EXPECT_EQ(PlaceOf(slice), "host 3 of 4 at w0:8482 by TPU VMs");
  slice["MEGASCALE_NUM_SLICES"] = "2";
  slice["MEGASCALE_SLICE_ID"] = "1";
  slice["MEGASCALE_COORDINATOR_ADDRESS"] = "s0w0:8080";
  EXPECT_EQ(PlaceOf(slice), "host 7 of 8 at s0w0:8482 by TPU VMs");
  EXPECT_EQ(PlaceOf({{"TPU_WORKER_HOSTNAMES", "localhost"}}), "alone");
}

TEST(HostPlaceTest, Kubernetes) {
  const Variables pod = {{"JOB_COMPLETION_INDEX", "2"},
                         {"HOSTNAME", "train-2"}};
  EXPECT_EQ(PlaceOf(pod, {.hosts = 4, .coordinator = "train-0.train:55527"}),
            "host 2 of 4 at train-0.train:55527 by Kubernetes");
  EXPECT_THAT(PlaceOf(pod),
              AllOf(HasSubstr("Kubernetes tells half"),
                    HasSubstr("--coordinator train-0.SERVICE:55527"),
                    HasSubstr("give --hosts and --coordinator")));
  EXPECT_EQ(PlaceOf(pod, {.hosts = 1}), "alone");
}

TEST(HostPlaceTest, HalfAnEnvironmentNamesWhatLacks) {
  for (const auto& [name, value] : SlurmOf("node001")) {
    Variables half = SlurmOf("node001");
    half.erase(name);
    if (name == "SLURM_LOCALID") continue;  // needed by nobody
    EXPECT_THAT(PlaceOf(half),
                AllOf(HasSubstr("Slurm tells half"),
                      HasSubstr(name + " is not set"), HasSubstr("srun")));
  }
  // The shell of an allocation, in which nothing was started yet.
  EXPECT_THAT(
      PlaceOf({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}}),
      HasSubstr("SLURM_STEP_NODELIST and SLURM_PROCID and SLURM_LOCALID"));
  EXPECT_EQ(PlaceOf({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "1"}}), "alone");
  Variables mpi = MpiOf("");
  mpi.erase("OMPI_MCA_orte_hnp_uri");
  EXPECT_THAT(PlaceOf(mpi), HasSubstr("OMPI_MCA_orte_hnp_uri is not set"));
  mpi.erase("OMPI_COMM_WORLD_RANK");
  EXPECT_THAT(PlaceOf(mpi, {.coordinator = "a:1"}),
              HasSubstr("OMPI_COMM_WORLD_RANK"));
  EXPECT_THAT(PlaceOf({{"TPU_WORKER_HOSTNAMES", "a,b"}}),
              HasSubstr("TPU_WORKER_ID is not set"));
  Variables words = SlurmOf("a");
  words["SLURM_PROCID"] = "two";
  EXPECT_THAT(PlaceOf(words), HasSubstr("a number in SLURM_PROCID"));
}

TEST(HostPlaceTest, FlagsThatContradictTheLauncherAreRefused) {
  EXPECT_THAT(PlaceOf(SlurmOf("a"), {.hosts = 3}),
              HasSubstr("--hosts 3 was given, but Slurm says 8"));
  EXPECT_THAT(PlaceOf(SlurmOf("a"), {.host = 3}),
              HasSubstr("--host 3 was given, but Slurm says 5"));
}

TEST(HostPlaceTest, TheFirstThatIsSeenCountsAndAllAreTold) {
  Variables both = SlurmOf("node001");
  both.merge(MpiOf("1531576320.0;tcp://10.96.0.1:1"));
  const auto found = Find(both);
  ASSERT_OK(found);
  EXPECT_THAT(
      found->explanation,
      AllOf(HasSubstr("this process is host 3 of 4, told by Open MPI"),
            HasSubstr("Slurm: SLURM_JOB_ID=1234567"), HasSubstr("(not asked)"),
            HasSubstr("Kubernetes: not seen")));
}

}  // namespace
}  // namespace penstock::testing
