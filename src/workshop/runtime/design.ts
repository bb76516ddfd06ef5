// Stands for the part that a generated module defines about its design, so that the other files compile by themselves.
import { type Consequence, type Copy } from "./operations.js";

export const designName = "music";
export const tableName = "music";
export const hashKey = "PK";
export const rangeKey = "SK" as string;
export const copies: Copy[] = [];
export const consequences: Consequence[] = [];
