// The commands of recordtool, one a file.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "formats/files/status.h"

namespace penstock {

using Command = std::function<Status()>;

// Each adds its subcommand to `app`; once that is parsed, `command` runs it.
void AddCat(CLI::App& app, Command& command);
void AddCount(CLI::App& app, Command& command);
void AddHead(CLI::App& app, Command& command);
void AddIndex(CLI::App& app, Command& command);
void AddInspect(CLI::App& app, Command& command);
void AddPack(CLI::App& app, Command& command);
void AddRepair(CLI::App& app, Command& command);
void AddSchema(CLI::App& app, Command& command);
void AddStats(CLI::App& app, Command& command);
void AddVerify(CLI::App& app, Command& command);

}  // namespace penstock
