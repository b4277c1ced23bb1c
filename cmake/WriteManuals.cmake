# Writes the manual pages and the completion scripts of the command into a folder: man1/ and share/.
# Arguments: -DCOMMAND=... -DFOLDER=...
function(cavs_print file)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${COMMAND} ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${COMMAND} man --list OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" names "${names}")
cavs_print(${FOLDER}/man1/cavs.1 man)
foreach(name ${names})
  cavs_print(${FOLDER}/man1/cavs-${name}.1 man ${name})
endforeach()
cavs_print(${FOLDER}/share/bash-completion/completions/cavs completion bash)
cavs_print(${FOLDER}/share/zsh/site-functions/_cavs completion zsh)
cavs_print(${FOLDER}/share/fish/vendor_completions.d/cavs.fish completion fish)
