#include "formats/records/bad_part.h"

namespace penstock {

std::string_view BadPartName(BadPart part) {
  switch (part) {
    case BadPart::kLine:
      return "line";
    case BadPart::kRow:
      return "row";
    case BadPart::kDocument:
      return "document";
    case BadPart::kMember:
      return "member";
    case BadPart::kFile:
      return "file";
  }
  return "part";
}

}  // namespace penstock
