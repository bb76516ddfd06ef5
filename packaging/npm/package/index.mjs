import tavola from "./index.cjs";

export const { start, useInEnvironment } = tavola;
