// Tells the user which documents a run has and which it has not.
#pragma once

#include <string>
#include <string_view>

#include "formats/files/status.h"
#include "tools/programs/document_chunks.h"
#include "tools/programs/input_files.h"

namespace penstock {

// What of `corpus` will be read: how many files, and what of a text file is a
// document. On stderr.
void PrintFound(const std::string& program, const InputFiles& input,
                const Corpus& corpus);

// What gave no document though nothing is wrong with it. On stderr.
void PrintLosses(const std::string& program, const InputFiles& input,
                 const InputLosses& losses);

// The error that there is none, with what there was instead, then `what_to_do`.
Status NoDocument(const InputFiles& input, const InputLosses& losses,
                  std::string_view what_to_do);

// "file", as --unit says it; empty where there is no text among the inputs.
std::string UnitText(const InputFiles& input, const Corpus& corpus);

}  // namespace penstock
