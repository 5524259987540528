import { MULTI_LINE_TEXT } from '#libs/kernel/core';

/*
 * A user uploads the logo, and an SVG can contain content that browsers execute or load: scripts, styles, other documents, and entities
 * that expand. So this parser accepts only shapes and gradients. It refuses everything else, and the error names it.
 */

const ELEMENTS = new Set([
  'svg',
  'g',
  'defs',
  'title',
  'desc',
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
  'linearGradient',
  'radialGradient',
  'stop',
  'clipPath',
  'mask',
]);

const ATTRIBUTES = new Set([
  'id',
  'class',
  'version',
  'baseProfile',
  'viewBox',
  'preserveAspectRatio',
  'xmlns',
  'xmlns:xlink',
  'xml:space',
  'role',
  'aria-label',
  'x',
  'y',
  'x1',
  'y1',
  'x2',
  'y2',
  'cx',
  'cy',
  'r',
  'rx',
  'ry',
  'fx',
  'fy',
  'fr',
  'd',
  'points',
  'pathLength',
  'width',
  'height',
  'transform',
  'fill',
  'fill-rule',
  'overflow',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-miterlimit',
  'stroke-dasharray',
  'stroke-dashoffset',
  'stroke-opacity',
  'opacity',
  'color',
  'display',
  'visibility',
  'clip-path',
  'clip-rule',
  'clipPathUnits',
  'mask',
  'maskUnits',
  'maskContentUnits',
  'mask-type',
  'offset',
  'stop-color',
  'stop-opacity',
  'gradientUnits',
  'gradientTransform',
  'spreadMethod',
  'href',
  'xlink:href',
  'shape-rendering',
  'color-interpolation',
  'enable-background',
  'style',
  'vector-effect',
  'paint-order',
]);

const MAX_ELEMENTS = 2_000;
const MAX_DEPTH = 40;
const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink';
const HOW =
  'a logo may contain only shapes and gradients, without scripts, styles, texts, images and links: ' +
  'turn texts into paths, and export it as plain SVG with presentation attributes, or as PNG';

/** Matches a comment, an end tag, or a start tag with its attributes. */
const TAG =
  /<!--(?:(?!--)[^])*-->|<\/([A-Za-z][\w:.-]*)\s*>|<([A-Za-z][\w:.-]*)((?:\s+[A-Za-z_][\w:.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const ATTRIBUTE = /([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const DECLARATION = /^\ufeff?\s*(?:<\?xml\s+version\s*=\s*["']1\.0["'][^<>?]*\?>)?/;
/** Matches `&`, unless it begins one of the five entities that XML itself defines. */
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos);)/;
/**
 * Matches the allowed attribute values: numbers, names, lists and functions. A backslash is not allowed, because it can hide letters in
 * CSS.
 */
const VALUE = /^[\w\s#.,:;%()+'"!-]*$/;
/** Matches CSS functions that can load something. */
const LOADING = /(?:url|src|image|image-set|element|expression|attr|var)\s*\(/i;
const OWN_REFERENCE = /^#[\w.-]+$/;

/** Returns the reason why the text is not an acceptable SVG. Null if the SVG is acceptable. */
export function svgProblem(text: string): string | null {
  const refusal = (what: string) => `has ${what}, which is not allowed: ${HOW}`;
  if (!MULTI_LINE_TEXT.test(text)) return refusal('control characters');
  if (/<!(?!--)/.test(text)) return refusal('a DOCTYPE, an entity or a CDATA section');
  const start = DECLARATION.exec(text)![0].length;
  if (text.includes('<?', start)) return refusal('a processing instruction');
  if (ENTITY.test(text)) return refusal('a reference to an entity');
  const open: string[] = [];
  let elements = 0;
  let at = start;
  for (;;) {
    const next = text.indexOf('<', at);
    const between = text.slice(at, next === -1 ? undefined : next);
    if (/\S/.test(between) && !['title', 'desc'].includes(open.at(-1) ?? '')) return refusal('text');
    if (next === -1) break;
    TAG.lastIndex = next;
    const tag = TAG.exec(text);
    if (!tag) return 'is not well-formed XML; export it again as plain SVG, or as PNG';
    at = TAG.lastIndex;
    const [, ended, started, attributes = '', isEmpty] = tag;
    if (ended !== undefined && open.pop() !== ended)
      return 'is not well-formed XML; export it again as plain SVG, or as PNG';
    if (started === undefined) continue;
    if (!ELEMENTS.has(started)) return refusal(`the element <${shown(started)}>`);
    if ((started === 'svg') !== (elements === 0)) return 'must be one <svg> element';
    const problem = attributesProblem(attributes, elements === 0);
    if (problem !== null) return problem.startsWith('must') ? problem : refusal(problem);
    elements += 1;
    if (isEmpty !== '/') open.push(started);
    if (elements > MAX_ELEMENTS || open.length > MAX_DEPTH)
      return `is too complex: simplify it to at most ${MAX_ELEMENTS} elements, ${MAX_DEPTH} deep, or export it as PNG`;
  }
  if (elements === 0 || open.length > 0)
    return 'is not well-formed XML; export it again as plain SVG, or as PNG';
  return null;
}

function attributesProblem(text: string, isRoot: boolean): string | null {
  const values = new Map<string, string>();
  for (const [, name, double, single] of text.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? '';
    if (!ATTRIBUTES.has(name!) && !/^data-[a-z-]+$/.test(name!)) return `the attribute ${shown(name!)}`;
    if (values.has(name!)) return `the attribute ${shown(name!)} twice`;
    if (!isHarmless(name!, value)) return `the value ${shown(value)} of the attribute ${name!}`;
    values.set(name!, value);
  }
  if (!isRoot) return null;
  if (values.get('xmlns') !== SVG_NAMESPACE) return `must have xmlns="${SVG_NAMESPACE}" on its <svg> element`;
  return values.has('viewBox') || (values.has('width') && values.has('height'))
    ? null
    : 'must have a viewBox, or width and height, on its <svg> element';
}

function isHarmless(name: string, value: string): boolean {
  if (name === 'xmlns') return value === SVG_NAMESPACE;
  if (name === 'xmlns:xlink') return value === XLINK_NAMESPACE;
  if (name === 'href' || name === 'xlink:href') return OWN_REFERENCE.test(value);
  if (name === 'aria-label') return true;
  // A `url()` that refers to an id of the same document is the only allowed function of this kind.
  const local = value.replace(/url\(\s*(['"]?)#[\w.-]+\1\s*\)/g, '');
  return VALUE.test(value) && !LOADING.test(local);
}

/** A name or a value from the file, shortened so that the error message stays short. */
function shown(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
