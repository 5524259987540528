import type { FastifyReply } from 'fastify';
import type { WebPage } from '#libs/outputs/documents';

/** Headers for a page at a secret address. Nobody may cache, index or frame it, and the browser sends its address to no other site. */
const PRIVATE = {
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow',
  'X-Frame-Options': 'DENY',
};

/** Sets the headers of every response at a hosted invoice's address. */
export function setPrivateHeaders(reply: FastifyReply): void {
  void reply.headers(PRIVATE);
}

/** Sets the headers of a page: private, HTML, and no access to anything outside the page. */
export function setPageHeaders(reply: FastifyReply, page: WebPage): void {
  setPrivateHeaders(reply);
  void reply.type('text/html; charset=utf-8').header('Content-Security-Policy', page.contentSecurityPolicy);
}
