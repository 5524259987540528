import { createHmac } from 'node:crypto';
import { type Instant } from '#libs/kernel/core';
import { randomToken } from '#libs/kernel/system';

const PREFIX = 'whsec_';
/** The number of bytes in a secret. Standard Webhooks allows secrets of 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and 32 random bytes in base64, as Standard Webhooks writes them. */
export function newSigningSecret(): string {
  return PREFIX + Buffer.from(randomToken(SECRET_BYTES), 'base64url').toString('base64');
}

/**
 * The signature of a delivery in Countinghouse's own format, for the header `X-Service-Signature`. The signature is an HMAC-SHA256 in hex.
 * The key is the endpoint's whole `whsec_…` secret. The signed text is the value of the header `X-Service-Timestamp`, a dot, and the raw
 * body.
 */
export function countinghouseSignatureOf(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`, 'utf8').digest('hex');
}

/**
 * The signature by Standard Webhooks 1.0.0: `v1,` and an HMAC-SHA256 in base64. The key is the random bytes that the secret contains in
 * base64. The signed text is the message's id, the value of the header `webhook-timestamp` and the raw body, joined by dots.
 *
 * @param timestamp seconds since 1970, see {@link standardWebhooksTimestamp}
 */
export function standardWebhooksSignatureOf(
  secret: string,
  id: string,
  timestamp: string,
  body: string,
): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`;
}

/**
 * The value of the header `X-Service-Timestamp`, in Countinghouse's own format: a UTC time in whole seconds. Whole seconds have no dot, so
 * the only dot in the signed text is the one before the body.
 */
export function countinghouseTimestamp(at: Instant): string {
  return `${at.slice(0, 19)}Z`;
}

/** The time of {@link countinghouseTimestamp} as a number of seconds since 1970, as Standard Webhooks requires. */
export function standardWebhooksTimestamp(at: Instant): string {
  return String(Math.floor(Date.parse(at) / 1_000));
}

/**
 * The signature headers of a delivery that is sent at `at`, by the machine's clock. If two secrets sign, the header `webhook-signature`
 * contains both signatures. `X-Service-Signature` can hold only one signature: that of the previous secret. `X-Service-Signature-Next` then
 * contains the signature of the new secret.
 */
export function signatureHeaders(
  { current, previous }: { current: string; previous?: string },
  id: string,
  at: Instant,
  body: string,
): Record<string, string> {
  const timestamp = countinghouseTimestamp(at);
  const seconds = standardWebhooksTimestamp(at);
  const secrets = previous === undefined ? [current] : [current, previous];
  return {
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': countinghouseSignatureOf(previous ?? current, timestamp, body),
    ...(previous === undefined
      ? {}
      : { 'X-Service-Signature-Next': countinghouseSignatureOf(current, timestamp, body) }),
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets
      .map((secret) => standardWebhooksSignatureOf(secret, id, seconds, body))
      .join(' '),
  };
}
