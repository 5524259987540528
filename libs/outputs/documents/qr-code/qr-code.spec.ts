import { describe, expect, it } from '@jest/globals';
import { readQrCode } from '../../../../test/support/qr-reader.js';
import { qrCodeOf } from './qr-code.js';
import { svgOf } from './svg.js';
import { alignmentCentres, divisionOf } from './versions.js';

const MAX_EPC_VERSION = 13;

describe('a QR code', () => {
  it.each([0, 1, 14, 15, 26, 27, 42, 100, 106, 107, 122, 123, 180, 181, 200, 213, 214, 251, 252, 290, 331])(
    'of %d bytes can be read again, with the error correction of each block',
    (length) => {
      const text = Array.from({ length }, (_, i) => String.fromCharCode(33 + ((i * 7) % 90))).join('');
      expect(readQrCode(qrCodeOf(text, MAX_EPC_VERSION)).text).toBe(text);
    },
  );

  // The capacities in bytes of level M (ISO/IEC 18004:2015, table 7).
  it.each([
    [1, 14],
    [2, 26],
    [6, 106],
    [7, 122],
    [9, 180],
    [10, 213],
    [13, 331],
    [18, 560],
    [25, 997],
  ])('has the smallest version that holds its text: version %d holds %d bytes', (version, bytes) => {
    expect(readQrCode(qrCodeOf('x'.repeat(bytes))).version).toBe(version);
    expect(qrCodeOf('x'.repeat(bytes + 1)).length).toBe(version * 4 + 17 + 4);
  });

  it('has letters of all languages', () => {
    expect(readQrCode(qrCodeOf('Müller & Söhne 株式会社')).text).toBe('Müller & Söhne 株式会社');
  });

  it('is refused for a text that its readers would not take', () => {
    expect(() => qrCodeOf('x'.repeat(332), MAX_EPC_VERSION)).toThrow('332 bytes is too long');
  });
});

// ISO/IEC 18004:2015, tables 1 and E.1.
it.each([
  [1, 26, []],
  [7, 196, [6, 22, 38]],
  [14, 581, [6, 26, 46, 66]],
  [32, 2465, [6, 34, 60, 86, 112, 138]],
  [40, 3706, [6, 30, 58, 86, 114, 142, 170]],
])('version %d has %d bytes', (version, total, centres) => {
  expect([divisionOf(version).total, alignmentCentres(version)]).toEqual([total, centres]);
});

it('is drawn with its quiet zone', () => {
  expect(svgOf([[true, true, false, true]])).toEqual({ side: 9, path: 'M4 4h2v1h-2zM7 4h1v1h-1z' });
});
