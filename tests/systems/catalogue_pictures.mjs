// The pictures of tavola-catalogue: node catalogue_pictures.mjs FOLDER. `make screenshots` runs it.
import path from "node:path";
import { logIn, startBrowser, startProgram } from "../browser/harness.mjs";
import { takePictures } from "./pictures.mjs";

const catalogue = await startProgram(process.env.PROGRAM, "--in-memory", "--dev-login");
const browser = await startBrowser();
const post = async (who, name, body) => {
  const answer = await who(`/v1/fus-main/${name}`, body);
  if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
};

const root = await logIn(catalogue.url, "root", ["admin"]);
const people = await Promise.all(["anna", "ben", "cleo", "dora", "emil"].map((user) => logIn(catalogue.url, user, [])));
const sites = [
  ["kitchen", "https://kitchen.example/", "Kitchen Notes", undefined, ["cooking"]],
  ["osm", "https://www.openstreetmap.org/", "OpenStreetMap", "A map of the world that everybody may use and improve.", ["maps", "open data"]],
  ["gutenberg", "https://www.gutenberg.org/", "Project Gutenberg", "Free books whose copyright has expired, in many languages.", ["books"]],
  ["cppreference", "https://en.cppreference.com/", "cppreference", "The language and the standard library of C++, by version of the standard.", ["c++", "reference"]],
  ["caniuse", "https://caniuse.com/", "Can I use", "Which browser supports what, since which version, with notes about gaps.", ["css", "reference"]],
  ["mdn", "https://developer.mozilla.org/", "MDN Web Docs", "The documentation of the web: HTML, CSS, JavaScript and the interfaces of browsers, with examples that can be tried at once.", ["javascript", "css", "reference"]],
];
const text = "Guides explain the concepts of the web, references list every detail, and tutorials lead through the first steps.\nEvery page says which browsers support what it describes.";
for (const [site, url, title, description, tags] of sites) await post(root, "createSite", { site, url, title, description, tags, scrapedContent: site === "mdn" ? text : undefined });
let number = 0;
for (const person of people) {
  for (const [site] of sites.slice(1)) {
    if (++number % 4 > 0) await post(person, "rateSite", { site, stars: 2 + ((number * 7) % 4), note: number % 3 === 0 ? "I come back every week." : undefined });
  }
}
await post(root, "rateSite", { site: "mdn", stars: 5, note: "Always right" });
const remarks = ["It answered in a minute what I had searched for an hour. Thank you!", "The page about grids is the best that I know.", "Could somebody add a tag for accessibility?", "Works well on a phone, too."];
for (const [index, body] of remarks.entries()) await post(people[index], "addComment", { site: "mdn", body });
await post(people[0], "addComment", { site: "osm", body: "The footpaths near my village are all there." });
await post(root, "addComment", { site: "osm", body: "I have asked for opening hours to be shown." });
await post(root, "createGroup", { name: "editors", description: "They look after the catalogue", permissions: ["createSite", "updateSite"] });
await post(root, "createGroup", { name: "moderators", description: "They keep the tone friendly", permissions: ["removeComment"] });
for (const userId of ["anna", "cleo"]) await post(root, "addMember", { groupName: "moderators", userId });

await takePictures({
  context: browser.context, url: catalogue.url, person: root, folder: path.join(process.argv[2], "catalogue"),
  views: [
    ["sites", "/", "MDN", "Add a site"], ["site", "/site?id=mdn", "Thank you!", "Edit"], ["found", "/?q=reference", "cppreference"], ["my-ratings", "/ratings", "Always right"],
    ["my-comments", "/comments", "opening hours"], ["all-ratings", "/stars", "OpenStreetMap"], ["groups", "/groups", "moderators", "Create a group"], ["group", "/groups?name=moderators", "cleo"],
    ["moderation", "/moderation", "footpaths"],
  ],
});
await browser.close();
await catalogue.stop();
