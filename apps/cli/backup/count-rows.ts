import { Transform } from 'node:stream';

const LINE_FEED = 0x0a;

/**
 * Passes on what COPY writes in its text format, and counts the rows.
 *
 * @param counted is told how many rows there are so far, after each piece
 */
export function countRows(counted: (rows: number) => void): Transform {
  let rows = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      // A line feed within a value is written as \n, so each ends a row.
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) rows += 1;
      counted(rows);
      done(null, chunk);
    },
  });
}
