// Which files the server takes, so that people know before they upload one. The server decides anyway (backend/file_rules.h).
import { number } from "web/format";
import { session } from "web/session";

const units = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** "5 GB", "1.4 MB", "12 bytes". */
export function sizeText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  let unit = 0;
  let size = bytes;
  for (; size >= 1024 && unit + 1 < units.length; ++unit) size /= 1024;
  const digits = unit > 0 && size < 10 ? 1 : 0;
  return `${number(Number(size.toFixed(digits)))} ${units[unit]}`;
}

export const sizeMax = (): number => Number(session.value?.settings["maxSize"] ?? Infinity);
export const types = (): string[] => (session.value?.settings["types"] ?? "").split(", ");

/** Returns why the server would refuse the file; undefined if it would not. */
export function refusal(file: File): string | undefined {
  if (file.size > sizeMax()) return `The file has ${sizeText(file.size)}; ${sizeText(sizeMax())} are allowed.`;
  const dot = file.name.lastIndexOf(".");
  const type = file.name.slice(dot + 1).toLowerCase();
  if (dot <= 0 || types().includes(type)) return undefined;
  return `A file .${type} is not taken for text.`;
}
