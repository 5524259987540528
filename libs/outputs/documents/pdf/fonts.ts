import { japaneseFontFaces } from './japanese-font.js';
import { packedFont } from './npm-chromium.js';

const FACES = [
  { file: 'OpenSans-Regular.ttf', weight: 400 },
  { file: 'OpenSans-Bold.ttf', weight: 700 },
];

let faces: Promise<string> | undefined;

/**
 * Makes `@font-face` rules that contain the fonts for a document with this `text`. With these rules a PDF looks the same on every machine,
 * even on a machine without fonts. The fonts are Open Sans (Apache License 2.0), and BIZ UDPGothic for Japanese text. Text in other scripts
 * uses the fonts of the machine.
 */
export async function fontFaces(text: string): Promise<string> {
  faces ??= readFaces().catch((error: unknown) => {
    faces = undefined;
    throw error;
  });
  return (await faces) + (await japaneseFontFaces(text));
}

async function readFaces(): Promise<string> {
  const rules = FACES.map(async ({ file, weight }) => {
    const font = (await packedFont(file)).toString('base64');
    return `@font-face { font-family: 'Open Sans'; font-weight: ${weight}; src: url(data:font/ttf;base64,${font}); }\n`;
  });
  return (await Promise.all(rules)).join('');
}
