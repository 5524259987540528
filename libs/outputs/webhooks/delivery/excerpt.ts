import type { IncomingMessage } from 'node:http';

/** At most this many bytes of a receiver's response are stored. */
export const EXCERPT_BYTES = 2_048;
/** Slightly more of the response is read, because a secret at the end of the excerpt is found only if it was read completely. */
const READ_BYTES = EXCERPT_BYTES + 256;

/**
 * Reads the beginning of a response body as text, until the body ends, fails or reaches the maximum length. A signing secret that the
 * receiver sends back is not stored. Characters that Postgres cannot store are removed.
 */
export async function readExcerpt(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= READ_BYTES) break;
    }
  } catch {
    // The status has arrived, so the attempt is decided. The rest of the body is only for people who look at it.
  }
  const text = Buffer.concat(chunks).subarray(0, READ_BYTES).toString('utf8');
  const safe = text.replaceAll(/whsec_[\w+/=-]+/g, '[redacted]').replaceAll('\u0000', '\ufffd');
  return cut(safe);
}

/** Cuts text to at most {@link EXCERPT_BYTES} bytes, and never inside a character. */
function cut(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= EXCERPT_BYTES) return text;
  return bytes
    .subarray(0, EXCERPT_BYTES)
    .toString('utf8')
    .replace(/\ufffd$/, '');
}
