// A rendered page in a real browser.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { HtmlValidate } from "html-validate";
import { Browser } from "./browser.mjs";
import { Workspace, everything } from "./canvases.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser;
let workspace;
before(async () => {
  browser = await Browser.start();
  workspace = new Workspace()
    .canvas("everything", everything)
    .canvas("bare", {})
    .canvas("open", { nodes: [{ type: "question", text: "Which one?" }] })
    .canvas("labels", { nodes: [{ type: "figure", text: LABELS.map((label, n) =>
      `box b${n} ${1 + Math.floor(n / 3)} ${1 + n % 3} "${label}"`).join("\n") }] })
    .canvas("long", { nodes: [{ type: "figure", text: Array.from({ length: 12 }, (_, n) =>
      `box b${n} 1 ${n + 1} "step ${n}"`).join("\n") }] });
});
after(async () => {
  await browser?.stop();
  workspace?.remove();
});

const LABELS = ["a", "WWWWWWWWWWWWWWWWWWWWWWWWWW", "one\\ntwo\\nthree", "MMMM WWWW @@@@ mmmm wwww",
  "The quick brown fox jumps over the lazy dog and runs on", "incomprehensibilities_of_long_names",
  "漢字がたくさん並んでいるラベルです", "x".repeat(120), "lorem ipsum ".repeat(20).trim(),
  "ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ", "one\\n\\nthree", "+++ === <<< >>>"];

test("the page is HTML without a fault", async () => {
  const validator = new HtmlValidate({
    extends: ["html-validate:recommended"],
    rules: {
      // A node's text is kept as it was written, and it may end its lines with spaces.
      "no-trailing-whitespace": "off",
    },
  });
  for (const name of ["everything", "bare", "open", "labels"]) {
    const page = workspace.run("render", name);
    const report = await validator.validateString(page);
    // The specification puts the crossing of a figure behind its caption, where HTML wants nothing.
    const laidDown = ({ line, ruleId }) => ruleId === "element-permitted-order"
      && page.split("\n").slice(line - 2, line).join("\n").match(/^<figcaption>.*\n<p class="crossing">/);
    const faults = report.results.flatMap((result) => result.messages.filter((message) => !laidDown(message)))
      .map((message) => `${message.line}:${message.column} ${message.ruleId}: ${message.message}`);
    assert.deepEqual(faults, [], name);
  }
});

for (const [look, options] of Object.entries({
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { colorScheme: "light", viewport: { width: 360, height: 740 } },
  "without JavaScript": { javaScriptEnabled: false },
})) {
  test(`axe finds nothing wrong: ${look}`, async () => {
    for (const name of ["everything", "bare", "open"]) {
      const page = await browser.open(workspace.page(name), options);
      // Where the page may run no script, the page as it stands is examined in one that may.
      const examined = options.javaScriptEnabled === false
        ? await browser.open(workspace.page(name), { module: "blocked" }) : page;
      await examined.evaluate(axe);
      const { violations } = await examined.evaluate(() => axe.run(document));
      const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
      assert.deepEqual(told, [], name);
      await page.context().close();
      if (examined !== page) await examined.context().close();
    }
  });
}

test("everything is there and nothing is fetched without JavaScript", async () => {
  const page = await browser.open(workspace.page("everything"), { javaScriptEnabled: false });
  for (const source of await page.locator("[data-mermaid-source]").all()) {
    assert.equal(await source.isVisible(), true);
  }
  assert.equal(await page.locator(".figure-drawing").count(), 2);
  assert.deepEqual(page.asked, []);
});

test("a page without a Mermaid figure asks for nothing and breaks no rule of its policy", async () => {
  const page = await browser.open(workspace.page("open"));
  assert.deepEqual([page.asked, page.errors], [[], []]);
});

test("labels stay inside their boxes", async () => {
  const page = await browser.open(workspace.page("labels"));
  const outside = await page.evaluate(() => [...document.querySelectorAll(".figure-drawing rect")].filter((rect) => {
    const box = rect.getBBox();
    const label = rect.nextElementSibling.getBBox();
    return label.x < box.x || label.y < box.y
      || label.x + label.width > box.x + box.width || label.y + label.height > box.y + box.height;
  }).map((rect) => rect.nextElementSibling.textContent));
  assert.deepEqual(outside, []);
});

test("everything drawn is within the view box", async () => {
  const page = await browser.open(workspace.page("everything"));
  const outside = await page.evaluate(() => [...document.querySelectorAll(".drawing svg")].flatMap((svg) => {
    const { width, height } = svg.viewBox.baseVal;
    return [...svg.querySelectorAll("rect, line, path, text")].filter((shape) => {
      const box = shape.getBBox();
      return box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height;
    }).map((shape) => shape.outerHTML);
  }));
  assert.deepEqual(outside, []);
});

test("a long diagram scrolls inside its figure at its own size", async () => {
  for (const width of [360, 1000]) {
    const page = await browser.open(workspace.page("long"), { viewport: { width, height: 740 } });
    const seen = await page.evaluate(() => {
      const place = document.querySelector(".drawing");
      const label = document.querySelector(".drawing text").getBoundingClientRect();
      return { page: document.documentElement.scrollWidth, inner: place.scrollWidth, label: label.height };
    });
    assert.ok(seen.page <= width, `the page is ${seen.page} wide`);
    assert.equal(seen.inner, 220 * 12 + 60);
    assert.ok(seen.label > 12, `letters of ${seen.label} pixels`);
  }
});

test("a phone shows the whole page without scrolling it sideways", async () => {
  const page = await browser.open(workspace.page("everything"), { viewport: { width: 320, height: 640 } });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 320);
});

test("nothing moves while the page is built", async () => {
  const page = await browser.open(workspace.page("labels"));
  const shift = await page.evaluate(() => new Promise((done) => {
    let sum = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => sum += entry.value))
      .observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum), 300);
  }));
  assert.equal(shift, 0);
});

test("a key press shows where the focus is, and the index leads to its node", async () => {
  const page = await browser.open(workspace.page("everything"));
  await page.keyboard.press("Tab");
  const focus = await page.evaluate(() => {
    const style = getComputedStyle(document.activeElement);
    return [document.activeElement.tagName, style.outlineStyle, parseFloat(style.outlineWidth) >= 2];
  });
  assert.deepEqual(focus, ["A", "solid", true]);
  await page.keyboard.press("Enter");
  assert.match(await page.evaluate(() => document.querySelector(":target").className), /^question /);
});
