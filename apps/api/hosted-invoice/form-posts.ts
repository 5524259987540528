import type { FastifyInstance } from 'fastify';
import { textOfBody, UnsupportedMediaType } from '../http/index.js';

const FORM = 'application/x-www-form-urlencoded';
/** The largest form in bytes. The limit leaves room for a password of 256 characters, which can take 3,072 bytes in a form. */
const FORM_BYTES = 8_192;

/** The paths whose forms are read. */
const PAGES = ['/i/', '/auth/'];

/**
 * Accepts form bodies on pages, which send a few text fields or none. All other routes refuse form bodies. A page of another site therefore
 * cannot send a form that the API would read as a request.
 */
export function acceptFormPosts(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(FORM, { parseAs: 'buffer', bodyLimit: FORM_BYTES }, (request, body, done) => {
    if (!PAGES.some((path) => request.url.startsWith(path))) return done(new UnsupportedMediaType());
    try {
      done(null, fieldsOf(textOfBody(body as Buffer)));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** The fields of a form. If a field is sent twice, the last one counts. A field named `__proto__` cannot change the prototype of the object. */
function fieldsOf(text: string): Record<string, string> {
  const fields = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(text)) fields[name] = value;
  return { ...fields };
}
