# Warnings are set for our targets only, never for the user's.
#
# g++ 12 gives these three warnings falsely for its own std::string and std::vector (GCC bugs 105329 and 105651).
set(false_alarms "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(false_alarms -Wno-restrict -Wno-error=array-bounds -Wno-error=stringop-overflow)
endif()

# In a unity build, sources see each other's names, and g++ treats them as headers.
set(false_alarms_of_unity "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(false_alarms_of_unity -Wno-subobject-linkage -Wno-shadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(false_alarms_of_unity -Wno-shadow)
endif()

# One statement per line, so no comma operator between statements; g++ has no such warning.
set(only_clang "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(only_clang -Wcomma)
endif()

function(cavs_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor ${only_clang}
    $<$<BOOL:${CAVS_WERROR}>:-Werror> ${false_alarms}
    "$<$<BOOL:$<TARGET_PROPERTY:${target},UNITY_BUILD>>:${false_alarms_of_unity}>")
endfunction()
