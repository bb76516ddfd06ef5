// Bundles the pages of one application and writes them as C++:
//
//   node build.mjs ENTRY.tsx TITLE PACKAGES OUTPUT.cc GENERATED
//
// ENTRY imports the styles. PACKAGES is the node_modules folder, GENERATED the folder of the clients that `tavola gen ts --v1` wrote, which
// pages import as "generated/NAME". Every file is stored plain, by gzip and by brotli; its name has the hash of its content.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [entry, title, packages, output, generated] = process.argv.slice(2);
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const esbuild = createRequire(path.join(packages, "index.js"))("esbuild");

async function bundle(input) {
  const made = await esbuild.build({
    entryPoints: { page: input }, bundle: true, minify: true, format: "esm", target: "es2022", write: false, outdir: "/out",
    jsx: "automatic", jsxImportSource: "preact", nodePaths: [packages], alias: { generated, web: path.join(here, "src") },
    legalComments: "none", logLevel: "warning", define: { "process.env.NODE_ENV": '"production"' },
  });
  return Object.fromEntries(made.outputFiles.map((file) => [path.extname(file.path), Buffer.from(file.contents)]));
}

const hashOf = (content) => createHash("sha256").update(content).digest("hex").slice(0, 16);
const types = { ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8" };
const assets = [];
function add(name, extension, content) {
  const where = extension === ".html" ? `/${name}.html` : `/assets/${name}-${hashOf(content)}${extension}`;
  assets.push({ path: where, type: types[extension], content });
  return where;
}

const page = await bundle(entry);
const boot = await bundle(path.join(here, "src/boot.ts"));
const icon = add("icon", ".svg", readFileSync(path.join(here, "src/icon.svg")));
const style = add("page", ".css", page[".css"]);
const script = add("page", ".js", page[".js"]);
const theme = add("boot", ".js", boot[".js"]);
add("index", ".html", Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
<script src="${theme}"></script>
<script type="module" src="${script}"></script>
</head>
<body><div id="app"></div><noscript>This page needs JavaScript.</noscript></body>
</html>
`));

// The files lie beside the C++ source, which takes their bytes in with .incbin.
const folder = `${output}.files`;
mkdirSync(folder, { recursive: true });
let assembly = "";
let declarations = "";
let table = "";
assets.forEach(({ path: where, type, content }, index) => {
  const forms = {
    plain: content,
    gzip: gzipSync(content, { level: 9 }),
    brotli: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  };
  const names = [];
  for (const [form, bytes] of Object.entries(forms)) {
    const file = path.resolve(folder, `${index}.${form}`);
    writeFileSync(file, bytes);
    const symbol = `tavola_page_${index}_${form}`;
    assembly += `  ".global ${symbol}\\n${symbol}:\\n.incbin \\"${file}\\"\\n"\n`;
    declarations += `extern "C" const char ${symbol}[];\n`;
    names.push(`{${symbol}, ${bytes.length}}`);
  }
  table += `    {.path = "${where}", .type = "${type}", .hash = "${hashOf(content)}",\n     .plain = ${names[0]}, .gzip = ${names[1]}, .brotli = ${names[2]}},\n`;
});
writeFileSync(output, `// Written by web/build.mjs: the pages of one application.
#include "systems/host/assets.h"

asm(".pushsection .rodata\\n"
${assembly}  ".popsection\\n");

${declarations}
namespace tavola::systems {

std::span<const Asset> embedded_assets() {
  static const Asset assets[] = {
${table}  };
  return assets;
}

}  // namespace tavola::systems
`);
const sum = (form) => assets.reduce((all, { content }) => all + form(content).length, 0);
console.log(`${path.basename(output)}: ${assets.length} files, ${sum((it) => it)} bytes, ${sum((it) => brotliCompressSync(it))} compressed`);
