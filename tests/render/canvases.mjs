// The canvases that the browser tests and the screenshots look at, made by the program itself.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const program = resolve(process.env.CANVAS ?? "bin/canvas");

/** A workspace of its own. */
export class Workspace {
  constructor() {
    this.place = mkdtempSync(join(tmpdir(), "canvas-render-"));
    this.count = 0;
  }

  run(...words) {
    const env = { PATH: process.env.PATH, USER: "ann", OPENCLAW_WORKSPACE: this.place };
    return execFileSync(program, words, { env, encoding: "utf8", maxBuffer: 1 << 28 });
  }

  insert(canvas, position, node) {
    const words = ["insert", canvas, ...position, "--type", node.type, "--why", node.why ?? "it belongs here"];
    for (const name of ["text", "title", "href"]) {
      if (node[name] !== undefined) words.push(`--${name}=${node[name]}`);
    }
    if (node.answered) words.push("--answered");
    for (const name of ["mermaid", "svg"]) {
      if (node[name] === undefined) continue;
      const file = join(this.place, `figure-${this.count += 1}`);
      writeFileSync(file, node[name]);
      words.push(`--${name}-file`, file);
    }
    const id = /^Canvas-Node: (.*)$/m.exec(this.run(...words))[1];
    for (const child of node.children ?? []) this.insert(canvas, ["--into", id], child);
    if (node.name) this[node.name] = id;
    return id;
  }

  /** Makes a canvas of these nodes, then moves what is to be moved. */
  canvas(name, { problem, value, nodes = [], moves = [] }) {
    this.run("create", name, "--problem", problem ?? "P.", "--expected-value", value ?? "V.");
    for (const node of nodes) this.insert(name, ["--into", "root"], node);
    for (const [node, into, why] of moves) {
      this.run("move", name, this[node], "--into", this[into], "--why", why);
    }
    return this;
  }

  /** The page of a canvas, as a file. */
  page(name) {
    const file = join(this.place, `${name}.html`);
    writeFileSync(file, this.run("render", name));
    return file;
  }

  remove() {
    rmSync(this.place, { recursive: true, force: true });
  }
}

const items = (...texts) => texts.map((text) => ({ type: "item", text }));
const row = (...texts) => ({ type: "row", children: texts.map((text) => ({ type: "cell", text })) });

export const sequence = `sequenceDiagram
  Ann->>Leo: are the tables ready?
  Leo-->>Ann: yes, click here to see // the list
  Note over Ann,Leo: image: none
`;

export const flow = `flowchart LR
  A[Copy the files] --> B{Tables ready?}
  B -->|yes| C[(Cache)]
  B -->|no| A
`;

export const diagram = `box start 1 1 "Copy the files"
box tables 1 2 "Migrate the tables in the order of the ledger, oldest first"
box cache 2 2 "Warm the cache"
box done 2 1 "Switch\\nthe traffic"
box wait 1 3 "Wait"
edge start -> tables "then"
edge tables -> cache "only when done"
edge cache -> done "then"
edge done -x start "never again"
edge tables -> wait "locks held"
edge wait -> tables "retry"
edge wait -> wait "every minute"
text 2 3 "A note: the cache may be warmed twice, no harm is done"
this line is a mistake`;

export const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 90"><title>Load</title>
<rect x="10" y="20" width="60" height="60" fill="none" stroke="currentColor"/>
<rect x="90" y="40" width="60" height="40" fill="#3d6a94"/>
<circle cx="220" cy="50" r="30" fill="#c46a2d"/>
<text x="265" y="55" font-size="14" fill="currentColor">load</text></svg>`;

/** A canvas with every element, each kind of figure, each state of a question, and crossed nodes. */
export const everything = {
  problem: "Deployment is **six scripts** that nobody runs in the same order; `deploy.md` and `runbook.md` disagree.",
  value: "One reviewed sequence, *ready to follow* by somebody who was not there.",
  nodes: [
    { type: "section", title: "Evidence", name: "evidence", children: [
      { type: "text", name: "text", text: "Two runs in May ended half way: the cache was warmed before the tables were there.\n\nThe log says 30 4 * * 1,4." },
      { type: "list", name: "list", children: items("copy the files", "migrate the **tables**", "warm the cache") },
      { type: "question", text: "Does the cache survive a restart of the tables?" },
      { type: "figure", name: "figure", svg: drawing },
      { type: "link", href: "https://example.com/runbook?a=1&b=2", text: "The runbook" },
      { type: "link", href: "javascript:alert(1)", text: "A bad idea" },
      { type: "link", href: "docs/deploy.md" },
    ] },
    { type: "section", title: "Decisions & their reasons", name: "decisions", children: [
      { type: "section", title: "Order of the steps", name: "order", children: [
        { type: "table", name: "table", children: [
          row("Step", "Owner", "Takes"),
          row("copy", "Ann", "2 min"),
          row("migrate", "Leo", "20 min, longer on the first day of a month because the ledger is closed then"),
        ] },
        { type: "question", answered: true, text: "Who may switch the traffic?" },
        { type: "figure", text: diagram },
      ] },
      { type: "figure", mermaid: sequence },
      { type: "figure", mermaid: flow },
    ] },
    { type: "question", text: "Is there a way **back** after step 3?" },
  ],
  moves: [
    ["text", "decisions", "it decides the order: \"cache last\" & nothing <else>"],
    ["list", "order", "the steps are what was decided"],
    ["table", "evidence", "the durations are measured, not decided"],
    ["figure", "order", "the load is why the order matters"],
  ],
};
