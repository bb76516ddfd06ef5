// Bundles the pages of one application and writes them as C++:
//
//   node build.mjs ENTRY.tsx TITLE PACKAGES OUTPUT.cc [GENERATED]
//
// ENTRY imports the styles; what it imports by import() becomes files of their own (chunks), which the browser loads when a view needs them.
// PACKAGES is the node_modules folder, GENERATED the folder of the clients that `tavola gen ts --v1` wrote, which pages import as
// "generated/NAME". Every file is stored plain, by gzip and by brotli; its name has the hash of its content. The pages of a program are refused
// when they are larger, by brotli, than budgets.json in the folder of ENTRY allows: {"firstView": BYTES, "all": BYTES}.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [entry, title, packages, output, generated] = process.argv.slice(2);
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const esbuild = createRequire(path.join(packages, "index.js"))("esbuild");

async function bundle(input, outputName) {
  const made = await esbuild.build({
    entryPoints: { [outputName]: input }, bundle: true, splitting: true, minify: true, format: "esm", target: "es2022", write: false, metafile: true,
    outdir: "/assets", entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]",
    jsx: "automatic", jsxImportSource: "preact", nodePaths: [packages], alias: { ...(generated ? { generated } : {}), web: path.join(here, "src"), "style-mod": path.join(here, "src/editor/constructed_styles.ts") },
    legalComments: "none", logLevel: "warning", define: { "process.env.NODE_ENV": '"production"' },
  });
  const files = new Map(made.outputFiles.map((file) => [`/assets/${path.basename(file.path)}`, Buffer.from(file.contents)]));
  // The metafile names files relative to the working folder.
  const outputs = new Map(Object.entries(made.metafile.outputs).map(([name, about]) => [`/assets/${path.basename(name)}`, about]));
  const script = [...outputs].find(([, about]) => about.entryPoint && path.resolve(about.entryPoint) === path.resolve(input))[0];
  const style = [...files.keys()].find((name) => name.endsWith(".css"));
  return { files, script, style, imported: importedWith(script, outputs) };
}

// Returns the chunks that an entry imports before it can run; a page names them, so that the browser asks for all of them at once.
function importedWith(script, outputs) {
  const found = new Set();
  const visit = (name) => {
    for (const { path: where, kind } of outputs.get(name).imports) {
      const chunk = `/assets/${path.basename(where)}`;
      if (kind === "import-statement" && !found.has(chunk)) found.add(chunk), visit(chunk);
    }
  };
  visit(script);
  return [...found];
}

const hashOf = (content) => createHash("sha256").update(content).digest("hex").slice(0, 16);
const brotliOf = (content) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } });
const types = { ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8" };
const assets = [];
function add(where, content) {
  assets.push({ path: where, type: types[path.extname(where)], content, brotli: brotliOf(content) });
}

const page = await bundle(entry, "page");
const boot = await bundle(path.join(here, "src/boot.ts"), "boot");
const iconContent = readFileSync(path.join(here, "src/icon.svg"));
const icon = `/assets/icon-${hashOf(iconContent)}.svg`;
add(icon, iconContent);
for (const [where, content] of [...boot.files, ...page.files]) add(where, content);
const preloads = page.imported.map((chunk) => `<link rel="modulepreload" href="${chunk}">\n`).join("");
add("/index.html", Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${page.style}">
<script src="${boot.script}"></script>
${preloads}<script type="module" src="${page.script}"></script>
</head>
<body><div id="app"><p class="starting">${title}</p></div><noscript>This page needs JavaScript.</noscript></body>
</html>
`));

// The files lie beside the C++ source, which takes their bytes in with .incbin.
const folder = `${output}.files`;
mkdirSync(folder, { recursive: true });
let assembly = "";
let declarations = "";
let table = "";
assets.forEach(({ path: where, type, content, brotli }, index) => {
  const forms = { plain: content, gzip: gzipSync(content, { level: 9 }), brotli };
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
#include "http/pages/assets.h"

asm(".pushsection .rodata\\n"
${assembly}  ".popsection\\n");

${declarations}
namespace tavola::http {

std::span<const Asset> embedded_assets() {
  static const Asset assets[] = {
${table}  };
  return assets;
}

}  // namespace tavola::http
`);

const sum = (names, size) => names.reduce((all, asset) => all + size(asset), 0);
const firstNames = new Set(["/index.html", icon, page.style, page.script, ...page.imported, ...boot.files.keys()]);
const sizes = {
  firstView: sum(assets.filter((asset) => firstNames.has(asset.path)), ({ brotli }) => brotli.length),
  all: sum(assets, ({ brotli }) => brotli.length),
};
console.log(`${path.basename(output)}: ${assets.length} files, ${sum(assets, ({ content }) => content.length)} bytes, ${sizes.all} compressed, ${sizes.firstView} of them for the first view`);
const budgetFile = path.join(path.dirname(entry), "budgets.json");
for (const [what, bytes] of Object.entries(existsSync(budgetFile) ? JSON.parse(readFileSync(budgetFile)) : {})) {
  if (sizes[what] > bytes) throw new Error(`${what}: ${sizes[what]} bytes by brotli, and ${budgetFile} allows ${bytes}`);
}
