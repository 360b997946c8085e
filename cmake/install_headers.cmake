# Copies the public headers and writes "penstock/" before the paths of ours that
# they include. Run at installation, with the folder `source`, the list `headers`
# and the folder `destination` under the prefix.

set(root $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${destination})
message(STATUS "Installing: ${root}")
foreach(header IN LISTS headers)
  file(READ ${source}/${header} text)
  string(REGEX REPLACE "#include \"(formats|tokenizer|pipeline|infeed)/"
         "#include \"penstock/\\1/" text "${text}")
  file(WRITE ${root}/${header} "${text}")
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES
       ${CMAKE_INSTALL_PREFIX}/${destination}/${header})
endforeach()
