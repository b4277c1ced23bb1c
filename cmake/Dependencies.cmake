# Found at the top, because whatever links a static cavs needs them too. What each is for: docs/dependencies.md.
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
