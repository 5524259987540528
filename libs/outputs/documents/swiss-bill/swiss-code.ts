import { qrCodeOf } from '../qr-code/qr-code.js';
import { svgOf, type TransferCode } from '../qr-code/svg.js';
import { swissBillText, type SwissBill } from './payload.js';

/*
 * The size of the code (Swiss Implementation Guidelines for the QR-bill, version 2.3, section 6). The code has a fixed size, and a Swiss
 * cross in its middle. The error correction restores what the cross covers.
 */
const MAX_VERSION = 25;
const CODE_MM = 46;
const CROSS_MM = 7;

/** Draws the Swiss QR code of a bill. */
export function swissCodeOf(bill: SwissBill): TransferCode {
  const code = qrCodeOf(swissBillText(bill), MAX_VERSION);
  const svg = svgOf(code);
  const size = (code.length * CROSS_MM) / CODE_MM;
  const at = (svg.side - size) / 2;
  return { side: svg.side, path: svg.path, cross: { at: round(at), scale: round(size / CROSS_MM) } };
}

function round(value: number): number {
  return Number(value.toFixed(4));
}
