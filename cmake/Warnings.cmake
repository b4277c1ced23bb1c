# Warnings belong to our targets, never to the user's.
function(cavs_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
  if(CAVS_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
    # g++ 12 reports these of its own inlined std::string, falsely (GCC bugs 105329 and 105651): shown, but no error.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${target} PRIVATE
        -Wno-error=array-bounds -Wno-error=restrict -Wno-error=stringop-overflow)
    endif()
  endif()
endfunction()
