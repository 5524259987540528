import { InvalidRequest } from '#libs/kernel/core';
import { pngProblem } from './png.js';
import { svgProblem } from './svg.js';

/** The maximum size of a logo in bytes. The size of a logo is limited because every page and PDF contains it. */
export const MAX_LOGO_BYTES = 65_536;

/** The format in which a logo is sent and stored: a `data:` URL with a PNG or SVG in Base64. */
const DATA = /^data:image\/(png|svg\+xml);base64,([A-Za-z0-9+/]+={0,2})$/;

/**
 * Throws if a document cannot show the logo. The error says why. Pages and PDFs show a logo as an image, which cannot run scripts or load
 * other files. As a second protection, a logo that contains scripts or links to other files is refused.
 */
export function requireAcceptableLogo(logo: string): void {
  const refuse = (problem: string): never => {
    throw InvalidRequest.field('logo', problem);
  };
  const [, type, base64] = DATA.exec(logo) ?? [];
  if (base64 === undefined || base64.length % 4 !== 0)
    return refuse('must be a PNG or SVG as data:image/png;base64,… or data:image/svg+xml;base64,…');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_LOGO_BYTES)
    return refuse(`has ${bytes.length} bytes; make it at most ${MAX_LOGO_BYTES}`);
  const problem = type === 'png' ? pngProblem(bytes) : svgBytesProblem(bytes);
  if (problem !== null) refuse(problem);
}

function svgBytesProblem(bytes: Buffer): string | null {
  try {
    return svgProblem(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return 'is not UTF-8 text; export it again as plain SVG, or as PNG';
  }
}
