# Writes the completion script of the command and, with help2man, its manual pages: FOLDER/man1 and FOLDER/bash-completion.
# Arguments: -DCOMMAND=... -DVERSION=... -DFOLDER=... -DHELP2MAN=... (false writes no pages)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/man1 ${FOLDER}/bash-completion/completions)
execute_process(COMMAND ${COMMAND} completion OUTPUT_FILE ${FOLDER}/bash-completion/completions/cavs
  COMMAND_ERROR_IS_FATAL ANY)
if(NOT HELP2MAN)
  return()
endif()

# The subcommands: the completions of "cavs ".
execute_process(COMMAND ${COMMAND} completion "cavs " OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" names "${names}")
cmake_path(GET COMMAND PARENT_PATH folder)
foreach(name IN ITEMS "" LISTS names)
  execute_process(COMMAND ${COMMAND} ${name} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "^[^\n]+" summary "${help}")
  string(REGEX REPLACE "-$" "" page "cavs-${name}")
  execute_process(COMMAND ${HELP2MAN} --no-info "--name=${summary}" "--version-string=${page} ${VERSION}"
    --output=${FOLDER}/man1/${page}.1 "./cavs ${name}" WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
