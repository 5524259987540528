import { readFile } from 'node:fs/promises';

/*
 * BIZ UDPGothic (SIL Open Font License 1.1). The package has it in some 120 parts by character range, as web pages load it. It covers
 * Adobe-Japan1-3, so it also has the rarer characters of names.
 */

const PACKAGE = '@fontsource/biz-udpgothic';
const WEIGHTS = [400, 700];

/** Characters of Japanese text. The font's Latin letters are omitted, because the documents' own font has them. */
const JAPANESE = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\uff00-\uffef\u2460-\u24ff\u3000-\u33ff]/gu;

interface Part {
  /** The name of this part of the font in the file names, such as `117`. */
  name: string;
  /** The characters of this part of the font, in CSS notation: `U+3000-301C,U+FF01`. */
  unicodeRange: string;
  includes: (codePoint: number) => boolean;
}

let parts: Promise<Part[]> | undefined;

/**
 * Makes `@font-face` rules that contain the parts of the font with characters of `text`. The result is empty if no part of the font has a
 * character of `text`.
 */
export async function japaneseFontFaces(text: string): Promise<string> {
  const needed = [...new Set(text.match(JAPANESE))].map((character) => character.codePointAt(0)!);
  if (needed.length === 0) return '';
  parts ??= readParts().catch((error: unknown) => {
    parts = undefined;
    throw error;
  });
  const used = (await parts).filter(({ includes }) => needed.some(includes));
  return (await Promise.all(used.flatMap((part) => WEIGHTS.map((weight) => face(part, weight))))).join('');
}

async function readParts(): Promise<Part[]> {
  const ranges = JSON.parse(await readFile(fileOf('unicode.json'), 'utf8')) as Record<string, string>;
  return Object.entries(ranges).map(([name, unicodeRange]) => {
    const bounds = unicodeRange.split(',').map((range) => {
      const [first, last = first] = range.replace('U+', '').split('-');
      return [Number.parseInt(first!, 16), Number.parseInt(last!, 16)] as const;
    });
    const includes = (codePoint: number) =>
      bounds.some(([first, last]) => first <= codePoint && codePoint <= last);
    return { name: name.replaceAll(/[[\]]/g, ''), unicodeRange, includes };
  });
}

async function face({ name, unicodeRange }: Part, weight: number): Promise<string> {
  const font = (await readFile(fileOf(`files/biz-udpgothic-${name}-${weight}-normal.woff2`))).toString(
    'base64',
  );
  return (
    `@font-face { font-family: 'BIZ UDPGothic'; font-weight: ${weight}; unicode-range: ${unicodeRange}; ` +
    `src: url(data:font/woff2;base64,${font}); }\n`
  );
}

function fileOf(path: string): URL {
  return new URL(import.meta.resolve(`${PACKAGE}/${path}`));
}
