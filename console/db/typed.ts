// Values as somebody types them.
import { numberProblem } from "./number";
import { type Type, type Value, base64Of } from "./value";

/** Reads a value as somebody typed it. Binary is base64, or hexadecimal digits after 0x. Fails with words for the person. */
export function typed(type: Type, text: string): Value {
  switch (type) {
    case "N":
      return { N: typedNumber(text) };
    case "B":
      return { B: typedBinary(text.trim()) };
    case "BOOL":
      return { BOOL: text === "true" };
    case "NULL":
      return { NULL: true };
    default:
      return { S: text };
  }
}

function typedNumber(text: string): string {
  const problem = numberProblem(text);
  if (problem) throw new Error(problem);
  return text.trim();
}

/** Returns binary as base64. */
export function typedBinary(text: string): string {
  if (text.startsWith("0x")) {
    const digits = text.slice(2);
    if (!/^([\da-f]{2})*$/i.test(digits)) throw new Error("Hexadecimal bytes have two digits each: 0x00ff");
    return base64Of(Uint8Array.from(digits.match(/../g) ?? [], (byte) => parseInt(byte, 16)));
  }
  if (!/^[A-Za-z\d+/]*={0,2}$/.test(text) || text.length % 4 !== 0) throw new Error("Binary is written in base64, or in hexadecimal as 0x00ff");
  return text;
}
