import type { FastifyReply } from 'fastify';
import type { WebPage } from '#libs/outputs/documents';

/**
 * The HTTP headers for a page whose URL is secret. Nobody may cache, index or frame the page, and the browser sends the URL of the page to
 * no other site.
 */
const PRIVATE = {
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow',
  'X-Frame-Options': 'DENY',
};

/** Sets the headers of every response under the URL of a hosted invoice. */
export function setPrivateHeaders(reply: FastifyReply): void {
  void reply.headers(PRIVATE);
}

/** Sets the headers of a page: privacy, the content type HTML, and a content security policy. */
export function setPageHeaders(reply: FastifyReply, page: WebPage): void {
  setPrivateHeaders(reply);
  void reply.type('text/html; charset=utf-8').header('Content-Security-Policy', page.contentSecurityPolicy);
}
