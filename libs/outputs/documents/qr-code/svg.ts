import type { QrCode } from './qr-code.js';

/** The width of the light zone that a reader needs around a code, in modules (ISO/IEC 18004, section 6.3.8). */
export const QUIET_ZONE = 4;

/** A QR code for an SVG: the side of its square in modules, with the quiet zone, and the path of its dark modules. */
export interface QrSvg {
  side: number;
  path: string;
}

/** The QR code of a transfer. */
export interface TransferCode extends QrSvg {
  /** The Swiss cross in the middle: its corner in modules, and the modules of a millimetre. Null if the code has none. */
  cross: { at: number; scale: number } | null;
}

/** Returns the path of a code. Neighbours in a row are one rectangle, so that no gap is printed between them. */
export function svgOf(code: QrCode): QrSvg {
  const rectangles = code.flatMap((row, y) =>
    row.flatMap((dark, x) => {
      if (!dark || row[x - 1] === true) return [];
      const end = row.indexOf(false, x);
      const width = (end < 0 ? row.length : end) - x;
      return [`M${x + QUIET_ZONE} ${y + QUIET_ZONE}h${width}v1h-${width}z`];
    }),
  );
  return { side: code.length + 2 * QUIET_ZONE, path: rectangles.join('') };
}
