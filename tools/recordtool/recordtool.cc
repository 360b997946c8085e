// recordtool: looks at TFRecord files and makes their indexes.

#include "tools/programs/program.h"
#include "tools/recordtool/record_commands.h"

namespace {

constexpr char kExamples[] = R"(
Examples:
  recordtool count data/books-train.tfrecord@8
  recordtool verify 'data/*.tfrecord-*' --threads 4
  recordtool repair bad.tfrecord good.tfrecord
  recordtool index old.tfrecord --length-of tokens
  recordtool inspect data/books-train.tfrecord@8 --records 100
  recordtool cat data/books-train.tfrecord@8 --start 1000 --limit 3
  recordtool pack examples.jsonl new.tfrecord
  recordtool head data/books-train.tfrecord@8 -n 2
  recordtool stats data/books-train.tfrecord@8 --json
  recordtool schema data/books-train.tfrecord@8

Files are named one by one, as a pattern with * and ?, or as base@N, which is
base-00000-of-0000N and so on, or as FOLDER@SPLIT of a TensorFlow Datasets
folder. Record ids run over the files in that order.)";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Looks at TFRecord files and makes their indexes.",
               "recordtool");
  app.footer(kExamples);
  app.set_version_flag("--version", PENSTOCK_VERSION);
  app.require_subcommand(1);

  penstock::Command command;
  penstock::AddCount(app, command);
  penstock::AddVerify(app, command);
  penstock::AddRepair(app, command);
  penstock::AddIndex(app, command);
  penstock::AddInspect(app, command);
  penstock::AddCat(app, command);
  penstock::AddHead(app, command);
  penstock::AddPack(app, command);
  penstock::AddSchema(app, command);
  penstock::AddStats(app, command);
  return penstock::RunProgram(app, argc, argv, [&] { return command(); });
}
