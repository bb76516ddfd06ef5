// What a generated module says about its design. This stands in for it, so that the files beside it compile by themselves.
import { type Copy } from "./operations.js";

export const tableName = "music";
export const hashKey = "PK";
export const rangeKey = "SK" as string;
export const copies: Copy[] = [];
