import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError } from '../cli-error.js';

/** Writes pieces of text to the standard output, and waits if the reader is slow. */
export async function printPieces(pieces: Iterable<string>): Promise<void> {
  await pipeline(Readable.from(pieces), process.stdout, { end: false }).catch(
    (error: NodeJS.ErrnoException) => {
      // The reader has closed the pipe, as `head` does after some lines.
      if (error.code !== 'EPIPE') throw error;
    },
  );
}

/** Writes a file completely or not at all. Throws a {@link CliError} if the file cannot be written. */
export async function writeFileAtomically(path: string, pieces: Iterable<string>): Promise<void> {
  const draft = `${path}.new`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(draft));
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw new CliError(`${path} cannot be written: ${(error as Error).message}`);
  }
}
