import type { Grid } from './patterns.js';

/** The weights of the four kinds of patterns that are hard to read (ISO/IEC 18004, table 11). */
const RUN = 3;
const BLOCK = 3;
const FINDER = 40;
const BALANCE = 10;

/** A row that looks like the middle of a finder pattern, with four light modules before or after it. */
const FINDER_LIKE = [
  [1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0],
  [0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1],
].map((row) => row.map((bit) => bit === 1));

/** Returns how hard a code is to read. The mask with the lowest penalty is used. */
export function penaltyOf(grid: Grid): number {
  const columns = grid.map((_, at) => grid.map((row) => row[at]!));
  const lines = [...grid, ...columns];
  const ofLines = lines.reduce((sum, line) => sum + penaltyOfRuns(line) + penaltyOfFinders(line), 0);
  return ofLines + penaltyOfBlocks(grid) + penaltyOfBalance(grid);
}

/** Runs of five or more modules of one colour. */
function penaltyOfRuns(line: readonly boolean[]): number {
  let penalty = 0;
  let length = 0;
  line.forEach((dark, at) => {
    length = dark === line[at - 1] ? length + 1 : 1;
    if (length === 5) penalty += RUN;
    else if (length > 5) penalty += 1;
  });
  return penalty;
}

function penaltyOfFinders(line: readonly boolean[]): number {
  let penalty = 0;
  for (let start = 0; start + 11 <= line.length; start++)
    for (const pattern of FINDER_LIKE)
      if (pattern.every((dark, i) => line[start + i] === dark)) penalty += FINDER;
  return penalty;
}

/** Squares of two by two modules of one colour. */
function penaltyOfBlocks(grid: Grid): number {
  let penalty = 0;
  for (let row = 1; row < grid.length; row++)
    for (let column = 1; column < grid.length; column++) {
      const dark = grid[row]![column];
      const [above, here] = [grid[row - 1]!, grid[row]!];
      if (above[column] === dark && above[column - 1] === dark && here[column - 1] === dark) penalty += BLOCK;
    }
  return penalty;
}

/** The distance of the share of dark modules from one half, in steps of 5 %. */
function penaltyOfBalance(grid: Grid): number {
  const dark = grid.flat().filter(Boolean).length;
  const percent = (dark * 100) / grid.length ** 2;
  return Math.floor(Math.abs(percent - 50) / 5) * BALANCE;
}
