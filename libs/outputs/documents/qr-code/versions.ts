/*
 * The sizes of QR codes of error correction level M (ISO/IEC 18004:2015, tables 1, 7, 9 and E.1). The version of a code, from 1 to 40,
 * determines its size. Level M restores up to 15 % of the code. It is the level of both the EPC code and the Swiss QR code.
 */

export const MAX_VERSION = 40;

/** The bytes of error correction of each block, by version. */
const CORRECTION_BYTES = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
];

/** The number of blocks into which the data is divided, by version. */
const BLOCKS = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29,
  31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
];

/** How the bytes of a version are divided. */
export interface Division {
  /** The number of bytes of data. */
  readonly data: number;
  /** The number of bytes of data and error correction. */
  readonly total: number;
  readonly blocks: number;
  /** The bytes of error correction of each block. */
  readonly correction: number;
}

/** Returns how the bytes of a version are divided into blocks. */
export function divisionOf(version: number): Division {
  const [correction, blocks] = [CORRECTION_BYTES[version - 1]!, BLOCKS[version - 1]!];
  const total = Math.floor(dataModules(version) / 8);
  return { total, blocks, correction, data: total - blocks * correction };
}

/** The number of modules on each side. */
export function sizeOf(version: number): number {
  return version * 4 + 17;
}

/** The rows and columns of the centres of the alignment patterns. Version 1 has none. */
export function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = sizeOf(version) - 7;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, i) => last - i * step).reverse()];
}

/** The number of modules that carry data and error correction: all modules but those of patterns, format and version. */
function dataModules(version: number): number {
  const size = sizeOf(version);
  const finders = 3 * 64;
  const timing = 2 * (size - 16);
  const format = 31;
  const versionInfo = version < 7 ? 0 : 36;
  const centres = alignmentCentres(version).length;
  // Three of the places would cover a finder pattern. The patterns in row 6 and in column 6 cover five modules of the timing patterns.
  const alignments = centres === 0 ? 0 : (centres * centres - 3) * 25 - 2 * (centres - 2) * 5;
  return size * size - finders - timing - format - versionInfo - alignments;
}
