// A browser that sees no network: what a page asks for is answered here and written down.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const MODULE = "https://cdn.jsdelivr.net/npm/mermaid@11.17.2/dist/";
const PACKAGE = join(dirname(fileURLToPath(import.meta.url)), "node_modules/mermaid/dist/");

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "canvas-chromium-"));
    browser.context = null;
    browser.chromium = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [...FLAGS, `--crash-dumps-dir=${browser.profile}`],
    });
    return browser;
  }

  /**
   * Opens a file. `module` answers for the pinned module: "package" with the npm package, "blocked"
   * with nothing, any other text is the module. Returns the page with what it asked for in
   * `asked`, and what the policy stopped, or a script raised, in `errors`.
   */
  async open(file, { module = "package", ...options } = {}) {
    const context = await this.chromium.newContext({ viewport: { width: 1000, height: 900 }, ...options });
    const page = await context.newPage();
    page.asked = [];
    page.errors = [];
    page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
    page.on("pageerror", (error) => page.errors.push(String(error)));
    await context.route(/^(?!file:)/, (route) => {
      const url = route.request().url();
      page.asked.push(url);
      if (!url.startsWith(MODULE) || module === "blocked") return route.abort();
      const body = module === "package" ? readFileSync(join(PACKAGE, url.slice(MODULE.length))) : module;
      return route.fulfill({ body, contentType: "text/javascript", headers: { "access-control-allow-origin": "*" } });
    });
    await page.goto(pathToFileURL(file).href);
    if (options.javaScriptEnabled !== false) {
      // Every Mermaid figure ends with a drawing or without.
      await page.waitForFunction(() => [...document.querySelectorAll("[data-mermaid-source]")]
        .every((source) => source.hidden || source.closest(".mermaid-failed")), null, { timeout: 30_000 });
    }
    return page;
  }

  async stop() {
    await this.chromium.close();
    rmSync(this.profile, { recursive: true, force: true });
  }
}
