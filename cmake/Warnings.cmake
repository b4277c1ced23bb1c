# Warnings belong to our targets, never to the user's.
function(cavs_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
    $<$<BOOL:${CAVS_WERROR}>:-Werror>)
endfunction()
