#include "infeed/training/resume.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "infeed/training/checkpoint_text.h"
#include "infeed/training/row_digests.h"

namespace penstock {
namespace {

struct FoundTexts {
  std::string commit;
  std::string part;
};

StatusOr<FoundTexts> ReadLast(CheckpointFolder& folder) {
  PENSTOCK_RETURN_IF_ERROR(folder.Create());
  PENSTOCK_ASSIGN_OR_RETURN(const auto steps, folder.Committed());
  if (steps.empty()) return FoundTexts();
  PENSTOCK_ASSIGN_OR_RETURN(auto texts, folder.Read(steps.back()));
  return FoundTexts{std::move(texts.first), std::move(texts.second)};
}

// Tells the others why this host cannot go on; what all end with.
Status FailAs(Group& group, const Status& status, const std::string& folder) {
  if (status.ok()) return status;
  // A pipeline that has a group says itself which host it is.
  const bool told = status.message().starts_with("host ");
  group.Fail(Annotate(
      status,
      told ? folder : fmt::format("{}: host {}", folder, group.host())));
  return group.failed();
}

StatusOr<std::optional<Checkpoint>> Find(CheckpointFolder& folder,
                                         const CheckpointOptions& options,
                                         Group& group) {
  FoundTexts mine;
  if (group.host() == 0) {
    PENSTOCK_ASSIGN_OR_RETURN(mine, ReadLast(folder));
  }
  const std::string head =
      TellNumbers({options.every, options.keep, mine.commit.size()});
  PENSTOCK_ASSIGN_OR_RETURN(
      const auto told, group.AllGather(head + "\n" + mine.commit + mine.part));
  std::vector<std::vector<uint64_t>> heads;
  for (const std::string& text : told) {
    PENSTOCK_ASSIGN_OR_RETURN(heads.emplace_back(),
                              HearNumbers(text.substr(0, text.find('\n')), 3));
    const auto& other = heads.back();
    if (other[0] == heads[0][0] && other[1] == heads[0][1]) continue;
    return InvalidArgumentError(fmt::format(
        "hosts 0 and {} differ in their checkpoints: every {} "
        "steps and the last {}, every {} steps and the last {}",
        heads.size() - 1, heads[0][0], heads[0][1], other[0], other[1]));
  }
  const std::string texts = told[0].substr(told[0].find('\n') + 1);
  const uint64_t commit_bytes = heads[0][2];
  if (commit_bytes == 0) return std::nullopt;
  PENSTOCK_ASSIGN_OR_RETURN(const CheckpointCommit commit,
                            ParseCommit(texts.substr(0, commit_bytes)));
  PENSTOCK_ASSIGN_OR_RETURN(CheckpointPart part,
                            ParsePart(texts.substr(commit_bytes)));
  return Checkpoint{.step = commit.step,
                    .hosts = part.hosts,
                    .folder = folder.PathOf(commit.step),
                    .state = std::move(part.state),
                    .before = std::move(part.before),
                    .records = commit.records};
}

Status Prove(const Checkpoint& checkpoint, const Resumable& source,
             Group& group) {
  if (!checkpoint.before || checkpoint.before->graph != source.graph) {
    return source.restore(checkpoint.state);
  }
  PENSTOCK_RETURN_IF_ERROR(source.restore(*checkpoint.before));
  PENSTOCK_ASSIGN_OR_RETURN(const auto batch, source.next());
  std::vector<uint64_t> mine;
  if (batch) AppendDigests(DigestRows(*batch, source.topology), mine);
  PENSTOCK_ASSIGN_OR_RETURN(const auto told,
                            group.AllGather(TellNumbers(mine)));
  std::vector<std::vector<ShardDigest>> rows;
  for (const std::string& text : told) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto numbers, HearNumbers(text, 0));
    rows.push_back(DigestsIn(numbers));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t records, MergeDigests(rows));
  if (batch) {
    State state = batch->state_after;
    // States of earlier releases do not tell it.
    if (checkpoint.state.taken.empty()) state.taken.clear();
    if (records == checkpoint.records && state == checkpoint.state) {
      return OkStatus();
    }
  }
  return FailedPreconditionError(fmt::format(
      "step {} has other records now than when it was saved: the data or the "
      "program has changed; what follows would not be the run that was saved",
      checkpoint.step));
}

}  // namespace

StatusOr<std::optional<Checkpoint>> FindCheckpoint(
    CheckpointFolder folder, const CheckpointOptions& options, Group& group) {
  auto found = Find(folder, options, group);
  if (!found.ok()) return FailAs(group, found.status(), folder.path());
  return found;
}

Status GoOnFrom(const Checkpoint& checkpoint, const Resumable& source,
                Group& group) {
  return FailAs(group, Prove(checkpoint, source, group), checkpoint.folder);
}

}  // namespace penstock
