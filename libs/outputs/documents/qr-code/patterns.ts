import { alignmentCentres, sizeOf } from './versions.js';

/** The modules of a code that is being drawn, row by row. A dark module is true. */
export type Grid = boolean[][];

/** The generator of the error correction of the format, and the mask of the format (ISO/IEC 18004, section 7.9). */
const FORMAT_GENERATOR = 0x537;
const FORMAT_MASK = 0x5412;
/** The generator of the error correction of the version (section 7.10). */
const VERSION_GENERATOR = 0x1f25;
const FIRST_VERSION_WITH_INFO = 7;

/** Draws all that does not depend on the data. `isPattern` marks the modules that carry no data, also those of the format. */
export function drawPatterns(version: number): { grid: Grid; isPattern: Grid } {
  const size = sizeOf(version);
  const empty = (): Grid => Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const [grid, isPattern] = [empty(), empty()];
  const set = (row: number, column: number, dark: boolean): void => {
    if (row < 0 || column < 0 || row >= size || column >= size) return;
    grid[row]![column] = dark;
    isPattern[row]![column] = true;
  };
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    drawSquares(set, row, column, 4, (distance) => distance !== 2 && distance !== 4);
  const centres = alignmentCentres(version);
  const last = centres.at(-1);
  for (const row of centres)
    for (const column of centres) {
      const isFinder =
        (row === 6 && column === 6) || (row === 6 && column === last) || (row === last && column === 6);
      if (!isFinder) drawSquares(set, row, column, 2, (distance) => distance !== 1);
    }
  drawVersion(set, version);
  for (const [row, column] of formatPlaces(size).flat()) set(row, column, false);
  // This module is always dark.
  set(size - 8, 8, true);
  return { grid, isPattern };
}

/** Draws squares around a centre. `isDark` tells the colour at a distance from the centre. */
function drawSquares(
  set: (row: number, column: number, dark: boolean) => void,
  row: number,
  column: number,
  reach: number,
  isDark: (distance: number) => boolean,
): void {
  for (let down = -reach; down <= reach; down++)
    for (let right = -reach; right <= reach; right++)
      set(row + down, column + right, isDark(Math.max(Math.abs(down), Math.abs(right))));
}

/** Draws the version with its error correction, at the top right and mirrored at the bottom left. Versions below 7 do not state it. */
function drawVersion(set: (row: number, column: number, dark: boolean) => void, version: number): void {
  if (version < FIRST_VERSION_WITH_INFO) return;
  const bits = withCorrection(version, VERSION_GENERATOR, 12);
  for (let i = 0; i < 18; i++) {
    const [row, column] = [Math.floor(i / 3), sizeOf(version) - 11 + (i % 3)];
    const dark = ((bits >>> i) & 1) === 1;
    set(row, column, dark);
    set(column, row, dark);
  }
}

/** Draws the format: error correction level M, whose bits are 00, and the number of the mask. */
export function drawFormat(grid: Grid, mask: number): void {
  const bits = withCorrection(mask, FORMAT_GENERATOR, 10) ^ FORMAT_MASK;
  for (const copy of formatPlaces(grid.length))
    copy.forEach(([row, column], i) => (grid[row]![column] = ((bits >>> i) & 1) === 1));
}

/** The places of the two copies of the format, from its lowest bit to its highest one. */
function formatPlaces(size: number): [row: number, column: number][][] {
  const aroundCorner: [number, number][] = [];
  for (let row = 0; row <= 5; row++) aroundCorner.push([row, 8]);
  aroundCorner.push([7, 8], [8, 8], [8, 7]);
  for (let column = 5; column >= 0; column--) aroundCorner.push([8, column]);
  const divided: [number, number][] = [];
  for (let i = 0; i < 8; i++) divided.push([8, size - 1 - i]);
  for (let i = 8; i < 15; i++) divided.push([size - 15 + i, 8]);
  return [aroundCorner, divided];
}

/** Appends the remainder of the division by a generator to a value. `degree` is the degree of the generator. */
function withCorrection(value: number, generator: number, degree: number): number {
  let remainder = value;
  for (let i = 0; i < degree; i++) remainder = (remainder << 1) ^ ((remainder >>> (degree - 1)) * generator);
  return (value << degree) | remainder;
}
