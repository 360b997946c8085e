# Installs the build into a folder of its own and uses it as another project
# would: user.cc beside this file, and the trainers of README.md, with the
# CMakeLists.txt that README.md shows. A trainer is stopped by its data's end,
# then run again from the state that it saved.
#   cmake -DBUILD=... -DSOURCE=... -DREADME=... -DCXX=... -DWORK=... -P run.cmake
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result
                  WORKING_DIRECTORY ${WORK})
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGV}")
  endif()
endfunction()

# A block of README.md in a language, counted from 1, as a file.
function(write_block language number file)
  file(READ ${README} text)
  string(LENGTH "```${language}\n" mark)
  foreach(block RANGE 1 ${number})
    string(FIND "${text}" "```${language}\n" begin)
    if(begin EQUAL -1)
      message(FATAL_ERROR "README.md has no ${language} block ${block}")
    endif()
    math(EXPR begin "${begin} + ${mark}")
    string(SUBSTRING "${text}" ${begin} -1 text)
  endforeach()
  string(FIND "${text}" "```" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  file(WRITE ${file} "${text}")
endfunction()

function(build source folder)
  set(flags "-Wall -Wextra -Werror")
  run(${CMAKE_COMMAND} -G Ninja -S ${source} -B ${folder}
      -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_FLAGS=${flags})
  run(${CMAKE_COMMAND} --build ${folder})
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
foreach(program datagen infeedsim recordtool tokenize)
  foreach(page man/man1/${program}.1 bash-completion/completions/${program}
      zsh/site-functions/_${program}
      fish/vendor_completions.d/${program}.fish)
    if(NOT EXISTS ${WORK}/prefix/share/${page})
      message(FATAL_ERROR "not installed: share/${page}")
    endif()
  endforeach()
endforeach()
foreach(bare formats tokenizer pipeline infeed)
  if(EXISTS ${WORK}/prefix/include/${bare})
    message(FATAL_ERROR "include/${bare} lands on everyone's include path")
  endif()
endforeach()

build(${SOURCE} ${WORK}/user)
run(${WORK}/user/user)

# Builds trainer `number` of README.md and runs it over ${ARGN}, datasets that
# README.md itself is the text of.
function(train number state)
  set(folder ${WORK}/readme-${number})
  write_block(cpp ${number} ${folder}/trainer.cc)
  write_block(cmake 1 ${folder}/CMakeLists.txt)
  build(${folder} ${folder}/build)
  foreach(name ${ARGN})
    run(${WORK}/prefix/bin/datagen --input ${README} --output data --name ${name}
        --tokenizer bytes --max-tokens 512 --shards 8 --quiet --overwrite)
  endforeach()
  run(${folder}/build/trainer)
  if(NOT EXISTS ${WORK}/${state})
    message(FATAL_ERROR "trainer ${number} saved no state")
  endif()
  run(${folder}/build/trainer)
endfunction()

# What a trainer includes is what it waits for when it is built.
function(preprocess number most_lines)
  execute_process(
    COMMAND ${CXX} -std=c++20 -E -I${WORK}/prefix/include
      -I${WORK}/prefix/include/penstock ${WORK}/readme-${number}/trainer.cc
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[^\n]" "" lines "${text}")
  string(LENGTH "${lines}" lines)
  if(lines GREATER most_lines)
    message(FATAL_ERROR "trainer ${number} preprocesses to ${lines} lines, "
      "more than ${most_lines}: a public header includes too much; forward "
      "declare what it names alone, or include less")
  endif()
endfunction()

train(1 run.checkpoints books)
preprocess(1 60000)
train(2 mix.state books web)
