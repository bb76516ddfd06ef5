// Where the program is: in the package for this platform.
"use strict";

exports.program = function program() {
  if (process.env.TAVOLA_PROGRAM) return process.env.TAVOLA_PROGRAM;
  const name = `@tavola/${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${name}/bin/tavola`);
  } catch {
    throw new Error(
      `Tavola's program is missing: the package ${name} is not installed. It is an optional dependency of "tavola", which ` +
        "npm leaves out with --omit=optional, and does not exist for every platform. Install it, or name a program in TAVOLA_PROGRAM.",
    );
  }
};
