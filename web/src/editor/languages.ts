// The languages of the editor: which parts of a text are words, values and comments. They colour a text; what is wrong in it says the server.
import { StreamLanguage, type StreamParser } from "@codemirror/language";

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(" "));

export const partiqlWords = "SELECT FROM WHERE INSERT INTO VALUE UPDATE SET REMOVE DELETE ORDER BY ASC DESC AND OR NOT IN BETWEEN IS MISSING NULL RETURNING ALL MODIFIED OLD NEW EXISTS";
export const partiqlFunctions = "attribute_type begins_with contains size list_append set_add set_delete";
const keywords = wordSet(partiqlWords);
const functions = wordSet(partiqlFunctions);
const atoms = wordSet("TRUE FALSE NULL MISSING");

const partiqlParser: StreamParser<unknown> = {
  name: "partiql",
  languageData: { commentTokens: { line: "--" }, closeBrackets: { brackets: ["(", "[", "{", "'", '"'] } },
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match("--")) return stream.skipToEnd(), "comment";
    if (stream.match(/^'(?:[^']|'')*(?:'|$)/)) return "string";
    if (stream.match(/^"(?:[^"]|"")*(?:"|$)/)) return "propertyName";
    if (stream.match(/^-?\d+(\.\d*)?([eE][+-]?\d+)?/)) return "number";
    if (stream.match("?")) return "atom";
    const word = stream.match(/^\w+/);
    if (word && typeof word === "object") {
      const text = word[0];
      if (atoms.has(text.toUpperCase())) return "atom";
      if (keywords.has(text.toUpperCase())) return "keyword";
      return functions.has(text.toLowerCase()) ? "typeName" : "variableName";
    }
    stream.next();
    return "operator";
  },
};

/** DynamoDB's dialect of SQL. */
export const partiql = StreamLanguage.define(partiqlParser);

interface YamlState {
  block: number; // the indentation of the line whose text in several lines (after | or >) this is; -1: none
}

const yamlParser: StreamParser<YamlState> = {
  name: "yaml",
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", "'", '"'] } },
  startState: () => ({ block: -1 }),
  token(stream, state) {
    if (stream.sol() && state.block >= 0 && stream.indentation() <= state.block && !/^\s*$/.test(stream.string)) state.block = -1;
    if (state.block >= 0) return stream.skipToEnd(), "string";
    if (stream.eatSpace()) return null;
    if (stream.peek() === "#" && (stream.sol() || /\s/.test(stream.string[stream.pos - 1] ?? " "))) return stream.skipToEnd(), "comment";
    if (stream.match(/^(?:"[^"]*"|'[^']*'|[^\s#:,{}[\]'"&*!|>][^#:,{}[\]]*?)(?=\s*:(?:\s|$))/)) return "propertyName";
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^']|'')*'?/)) return "string";
    if (stream.match(/^[|>][-+\d]*(?=\s*(?:#.*)?$)/)) return (state.block = stream.indentation()), "operator";
    if (stream.match(/^-?\d+(\.\d+)?(?=[\s,\]}]|$)/)) return "number";
    if (stream.match(/^(?:true|false|null|~)(?=[\s,\]}]|$)/)) return "atom";
    if (stream.match(/^[-:?,{}[\]](?=\s|$)/) || stream.match(/^[,{}[\]:]/)) return "operator";
    if (stream.match(/^[^\s,{}[\]:]+/)) return null;
    stream.next();
    return null;
  },
};

/** YAML, as designs are written in it. */
export const yaml = StreamLanguage.define(yamlParser);

const jsonParser: StreamParser<unknown> = {
  name: "json",
  languageData: { closeBrackets: { brackets: ["[", "{", '"'] } },
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^"(?:[^"\\]|\\.)*"?(?=\s*:)/)) return "propertyName";
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^-?\d+(\.\d+)?([eE][+-]?\d+)?/)) return "number";
    if (stream.match(/^(?:true|false|null)\b/)) return "atom";
    stream.next();
    return "operator";
  },
};

export const json = StreamLanguage.define(jsonParser);
