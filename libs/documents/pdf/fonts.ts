import { packedFont } from './npm-chromium.js';

const FACES = [
  { file: 'OpenSans-Regular.ttf', weight: 400 },
  { file: 'OpenSans-Bold.ttf', weight: 700 },
];

let faces: Promise<string> | undefined;

/**
 * `@font-face` rules for Open Sans (Apache License 2.0) with the fonts inside, so that a PDF comes out the same on
 * every machine, those without fonts included. Other scripts fall back to the machine's fonts.
 */
export function fontFaces(): Promise<string> {
  faces ??= readFaces().catch((error: unknown) => {
    faces = undefined;
    throw error;
  });
  return faces;
}

async function readFaces(): Promise<string> {
  const rules = FACES.map(async ({ file, weight }) => {
    const font = (await packedFont(file)).toString('base64');
    return `@font-face { font-family: 'Open Sans'; font-weight: ${weight}; src: url(data:font/ttf;base64,${font}); }\n`;
  });
  return (await Promise.all(rules)).join('');
}
