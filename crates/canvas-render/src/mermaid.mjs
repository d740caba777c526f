// Draws every Mermaid source of this page. A source that cannot be drawn stays readable.
const SVG = "http://www.w3.org/2000/svg";
const words = (text) => new Set(text.split(/\s+/));

// What a drawing may hold, in lower case. All else refuses the drawing.
const ELEMENTS = words(`svg g defs style title desc symbol marker path rect line polyline polygon
  circle ellipse text tspan clippath mask lineargradient radialgradient stop filter fedropshadow
  fegaussianblur feoffset feflood fecomposite femerge femergenode`);
const ATTRIBUTES = words(`xmlns id class role aria-label aria-roledescription data-edge data-et
  data-from data-id data-look data-points data-to data-type name tabindex viewbox
  preserveaspectratio width height x y x1 x2 y1 y2 cx cy r rx ry d points transform opacity fill
  fill-opacity fill-rule clip-rule stroke stroke-width stroke-opacity stroke-linecap
  stroke-linejoin stroke-dasharray stroke-dashoffset stroke-miterlimit font-family font-size
  font-style font-weight text-anchor dominant-baseline alignment-baseline marker-start marker-mid
  marker-end markerwidth markerheight markerunits refx refy orient offset stop-color stop-opacity
  gradientunits gradienttransform spreadmethod fx fy fr filterunits primitiveunits in in2 result
  stddeviation dx dy flood-color flood-opacity operator k1 k2 k3 k4 values type style`);

// What can make a URL in Mermaid: an address, a statement that links, an attribute that does, or
// a key of the block that gives a shape its attributes. Words in a label can not.
const ADDRESS = /(?:^|[^a-z0-9+.-])(?:https?|javascript|data|file|blob):|\/\/\S|url\(/i;
const STATEMENT = /(?:^|[\n\r;])\s*(?:click\s+[^\s=<&~-]|links?\s+[^\s:]+\s*[:"]|callback\s)/i;
const ATTRIBUTE = /(?:href|src)\s*=|\$link\b|ticketbaseurl|<(?:a|img)(?:[\s\/>]|$)/i;
const KEY = /(?:href|src|img|image|link|url)["']?\s*[:=]/i;
const mayMakeUrl = (source) => {
  const block = source.indexOf("@{");
  return ADDRESS.test(source) || STATEMENT.test(source) || ATTRIBUTE.test(source)
    || (block >= 0 && KEY.test(source.slice(block)));
};

// Whether a value, or the text of a style, reaches beyond the drawing.
const FRAGMENT = /^#[a-z_][a-z0-9_.:-]*$/i;
const OUTSIDE = /url\(|@import|@font-face|image-set\(|attr\(|javascript:|data:|https?:|\/\//i;
const bearsUrl = (value) => {
  let foreign = false;
  const rest = value.replace(/url\(([^)]*)\)/gi, (_, target) => {
    const bare = target.trim().replace(/^(["'])(.*)\1$/s, "$2");
    foreign ||= !FRAGMENT.test(bare);
    return " ";
  });
  return foreign || OUTSIDE.test(rest);
};

const isStatic = (root) => root.localName === "svg"
  && [root, ...root.querySelectorAll("*")].every((element) =>
    element.namespaceURI === SVG
      && ELEMENTS.has(element.localName.toLowerCase())
      && !(element.localName.toLowerCase() === "style" && bearsUrl(element.textContent))
      && [...element.attributes].every(({ name, value }) => {
        const lower = name.toLowerCase();
        if (lower === "xmlns") return value === SVG;
        return ATTRIBUTES.has(lower) && !bearsUrl(value);
      }));

const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const load = async () => {
  const { default: mermaid } = await import("https://cdn.jsdelivr.net/npm/mermaid@11.17.2/dist/mermaid.esm.min.mjs");
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    theme: "base",
    themeVariables: dark
      ? { darkMode: true, background: "#14171a", primaryColor: "#24303c", primaryTextColor: "#e8eaed",
        primaryBorderColor: "#8fb4d9", lineColor: "#b6bec7", secondaryColor: "#2f2a3c", tertiaryColor: "#22332c" }
      : { darkMode: false, background: "#ffffff", primaryColor: "#e8f0f8", primaryTextColor: "#1b1f24",
        primaryBorderColor: "#3d6a94", lineColor: "#4a5561", secondaryColor: "#efeaf6", tertiaryColor: "#e8f3ec" },
    secure: ["securityLevel", "startOnLoad", "secure", "theme", "themeVariables", "htmlLabels",
      "flowchart", "suppressErrorRendering", "maxTextSize", "maxEdges"],
  });
  return mermaid;
};

let loading;
let count = 0;
for (const pre of document.querySelectorAll("[data-mermaid-source]")) {
  const figure = pre.closest(".figure");
  const name = `canvas-mermaid-${count += 1}`;
  try {
    const source = pre.textContent;
    if (mayMakeUrl(source)) throw new Error("the source may make a URL");
    const mermaid = await (loading ??= load());
    const { svg } = await mermaid.render(name, source);
    const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    if (!isStatic(root)) throw new Error("the drawing holds more than a drawing");
    const drawing = document.createElement("div");
    drawing.className = "mermaid-drawing";
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", `Mermaid drawing of figure ${figure.id}`);
    drawing.append(document.importNode(root, true));
    pre.before(drawing);
    pre.hidden = true;
  } catch {
    figure?.classList.add("mermaid-failed");
  } finally {
    // What Mermaid drew in while it measured.
    for (const id of [name, `d${name}`, `i${name}`]) {
      const left = document.getElementById(id);
      if (left && !left.closest(".mermaid-drawing")) left.remove();
    }
  }
}
