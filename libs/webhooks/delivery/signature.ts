import { createHmac } from 'node:crypto';
import type { Instant } from '#libs/core';

/**
 * The signature of a delivery: hex HMAC-SHA256, keyed with the endpoint's whole `whsec_…` secret, of the timestamp
 * header's value, a dot, and the raw body.
 */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`, 'utf8').digest('hex');
}

/** The timestamp header's value: whole seconds, so that its only dot is the one between it and the signed body. */
export function signingTimestamp(at: Instant): string {
  return `${at.slice(0, 19)}Z`;
}
