// A connection between a host and the coordinator of its group.
//
// Implementations form a star around this header: local_link, grpc_group.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"

namespace penstock {

// Who hears of a link. Calls come one at a time, never from inside Link's.
class LinkListener {
 public:
  virtual ~LinkListener() = default;

  virtual void OnFrame(std::string frame) = 0;
  // Nothing comes any more, and nothing arrives. The last call.
  virtual void OnBroken(std::string_view why) = 0;
};

// Frames arrive whole and in order.
//
// Threads: any number at a time.
class Link {
 public:
  virtual ~Link() = default;

  // Never blocks. What is sent after the link broke is lost.
  virtual void Send(std::string frame) = 0;
};

// Makes a host's link, whose frames go to `listener`, which outlives it.
// Destroying it delivers what was sent before, if the other side still lives.
using Connect =
    std::function<StatusOr<std::unique_ptr<Link>>(LinkListener& listener)>;

}  // namespace penstock
