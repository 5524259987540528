import { Transform } from 'node:stream';

const LINE_FEED = 0x0a;

/**
 * Passes the text output of COPY through unchanged, and counts its rows.
 *
 * @param counted is called after each chunk with the number of rows so far
 */
export function countRows(counted: (rows: number) => void): Transform {
  let rows = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      // COPY writes a line feed within a value as \n. So each line feed ends a row.
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) rows += 1;
      counted(rows);
      done(null, chunk);
    },
  });
}
