// The memory that only the start of a server needs.
#pragma once

namespace tavola::server {

// Gives back the pages of the program's code and constants that are in memory: most belong to the start and to options that are read once.
// Requests bring back the pages they use, from the system's cache of the program's file.
void give_back_start_pages();

}  // namespace tavola::server
