// Pictures of the page that has everything, to be looked at: light, dark, phone, print.
import { mkdirSync, writeFileSync } from "node:fs";
import { Browser } from "./browser.mjs";
import { Workspace, everything } from "./canvases.mjs";

const place = process.argv[2] ?? "target/screenshots";
mkdirSync(place, { recursive: true });
const workspace = new Workspace().canvas("deployment", everything).canvas("bare", {});
const browser = await Browser.start();
try {
  const looks = {
    light: { colorScheme: "light" },
    dark: { colorScheme: "dark" },
    phone: { colorScheme: "light", viewport: { width: 360, height: 740 } },
    offline: { colorScheme: "light", module: "blocked" },
  };
  for (const [look, options] of Object.entries(looks)) {
    const page = await browser.open(workspace.page("deployment"), options);
    await page.screenshot({ path: `${place}/${look}.png`, fullPage: true });
  }
  const bare = await browser.open(workspace.page("bare"));
  await bare.screenshot({ path: `${place}/bare.png` });
  const printed = await browser.open(workspace.page("deployment"), { viewport: { width: 720, height: 1000 } });
  await printed.emulateMedia({ media: "print" });
  await printed.screenshot({ path: `${place}/print.png`, fullPage: true });
  writeFileSync(`${place}/print.pdf`, await printed.pdf({ format: "A4", margin: { top: "15mm", bottom: "15mm", left: "15mm", right: "15mm" } }));
  console.log(`screenshots: ${place}/{light,dark,phone,print,offline,bare}.png and print.pdf`);
} finally {
  await browser.stop();
  workspace.remove();
}
