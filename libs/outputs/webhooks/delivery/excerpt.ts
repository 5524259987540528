import type { IncomingMessage } from 'node:http';

/** How much of a receiver's answer is kept, in bytes. */
export const EXCERPT_BYTES = 2_048;
/** Read a little further, so that a secret at the cut is seen whole. */
const READ_BYTES = EXCERPT_BYTES + 256;

/**
 * The beginning of an answer's body as text: what is there when it ends, breaks off or has been read far enough.
 * A signing secret that the receiver sends back is not kept, nor is what Postgres cannot hold.
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
    // The status has arrived, and with it the acknowledgement; the rest of the body is only for people to read.
  }
  const text = Buffer.concat(chunks).subarray(0, READ_BYTES).toString('utf8');
  const safe = text.replaceAll(/whsec_[\w+/=-]+/g, '[redacted]').replaceAll('\u0000', '\ufffd');
  return cut(safe);
}

/** At most {@link EXCERPT_BYTES}, without half a character at the end. */
function cut(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= EXCERPT_BYTES) return text;
  return bytes
    .subarray(0, EXCERPT_BYTES)
    .toString('utf8')
    .replace(/\ufffd$/, '');
}
