// Pictures of views: in light and dark, wide and on a phone.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { openAs, openPage } from "../browser/harness.mjs";

const sizes = [["wide", 1280, 860], ["phone", 390, 844]];

/** Each view is [name, where, a text that says it is ready, the button of a dialog to show, too]. Nobody logs in without a `person`; `storage` is what the browser keeps. */
export async function takePictures({ context, url, person, folder, views, storage = {} }) {
  mkdirSync(folder, { recursive: true });
  for (const theme of ["light", "dark"]) {
    for (const [size, width, height] of sizes) {
      const page = await (person ? openAs(context, url, person) : openPage(context, url));
      await page.evaluate((kept) => Object.assign(localStorage, kept), storage);
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      for (const [name, where, ready, button] of views) {
        await page.goto(url + where);
        await page.getByText(ready).first().waitFor();
        await page.screenshot({ path: path.join(folder, `${name}-${size}-${theme}.png`), fullPage: true });
        if (!button) continue;
        await page.getByRole("button", { name: button }).first().click();
        await page.getByRole("dialog").waitFor();
        await page.screenshot({ path: path.join(folder, `${name}-dialog-${size}-${theme}.png`) });
      }
      await page.close();
    }
  }
}
