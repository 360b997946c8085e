// What a record of a text file is.
#pragma once

namespace penstock {

enum class TextUnit {
  kLine,       // without its line end; empty lines are no records
  kParagraph,  // lines up to an empty line
  kFile,       // the whole file
};

}  // namespace penstock
