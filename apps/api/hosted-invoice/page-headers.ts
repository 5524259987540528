import type { FastifyReply } from 'fastify';
import type { Page } from '#libs/outputs/documents';

/** A page behind a secret address: not kept, not indexed, not framed, and its address not told to anybody. */
const PRIVATE = {
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow',
  'X-Frame-Options': 'DENY',
};

/** The headers of everything behind a hosted invoice's address. */
export function setPrivateHeaders(reply: FastifyReply): void {
  void reply.headers(PRIVATE);
}

/** The headers of a page: private, HTML, and allowed nothing but what is inside. */
export function setPageHeaders(reply: FastifyReply, page: Page): void {
  setPrivateHeaders(reply);
  void reply.type('text/html; charset=utf-8').header('Content-Security-Policy', page.contentSecurityPolicy);
}
