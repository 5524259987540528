import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  newSigningSecret,
  signatureHeaders,
  countinghouseSignatureOf,
  countinghouseTimestamp,
  standardWebhooksSignatureOf,
  standardWebhooksTimestamp,
} from './signature.js';

const secret = 'whsec_c2VjcmV0LW9mLWEtdGVzdA';
const timestamp = '2026-01-31T10:00:05Z';
const body =
  '{"id":"evt_01","event":"invoice.paid","timestamp":"2026-01-31T10:00:00.000Z","data":{"total":1.10,"name":"Zoë ☃"}}';

describe('the signature of a delivery', () => {
  it('is what openssl makes of timestamp, dot and body', () => {
    // printf '%s.%s' "$timestamp" "$body" | openssl dgst -sha256 -hmac "$secret" -hex
    expect(countinghouseSignatureOf(secret, timestamp, body)).toBe(
      'f79dadf3812fe60c9ca9c0816bafaf2cc8fdd50447d18b98a4b22480070f0e85',
    );
  });

  it('is another for another body, timestamp or secret', () => {
    const signatures = [
      countinghouseSignatureOf(secret, timestamp, body),
      countinghouseSignatureOf(secret, timestamp, body.replace('1.10', '1.1')),
      countinghouseSignatureOf(secret, '2026-01-31T10:00:06Z', body),
      countinghouseSignatureOf(`${secret}x`, timestamp, body),
    ];
    expect(new Set(signatures).size).toBe(signatures.length);
  });
});

describe('the timestamp that is signed', () => {
  it('has whole seconds and no dot', () => {
    expect(countinghouseTimestamp('2026-01-31T10:00:05.999Z')).toBe(timestamp);
  });
});

describe('a signing secret', () => {
  it('is whsec_ and 32 bytes in base64, which the standardwebhooks package takes', () => {
    const secrets = Array.from({ length: 50 }, newSigningSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const one of secrets) {
      expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(() => new Webhook(one)).not.toThrow();
    }
  });
});

describe('the signature by Standard Webhooks', () => {
  it('is that of the standardwebhooks package', () => {
    const sentAt = '2026-01-31T10:00:05.999Z';
    for (const one of [newSigningSecret(), newSigningSecret(), secret])
      expect(standardWebhooksSignatureOf(one, 'evt_01', standardWebhooksTimestamp(sentAt), body)).toBe(
        new Webhook(one).sign('evt_01', new Date(sentAt), body),
      );
  });

  it('is made at the second that the other timestamp says', () => {
    const sentAt = '2026-01-31T10:00:05.999Z';
    expect(Number(standardWebhooksTimestamp(sentAt)) * 1_000).toBe(
      Date.parse(countinghouseTimestamp(sentAt)),
    );
  });
});

describe('the headers that sign', () => {
  const sentAt = '2026-01-31T10:00:05.999Z';
  const [current, previous] = [newSigningSecret(), newSigningSecret()];

  it('have one signature of each kind by the only secret', () => {
    const seconds = standardWebhooksTimestamp(sentAt);
    expect(signatureHeaders({ current }, 'evt_01', sentAt, body)).toEqual({
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': countinghouseSignatureOf(current, timestamp, body),
      'webhook-id': 'evt_01',
      'webhook-timestamp': seconds,
      'webhook-signature': standardWebhooksSignatureOf(current, 'evt_01', seconds, body),
    });
  });

  it('have one by each secret while both sign, the previous one in the header that receivers know', () => {
    const seconds = standardWebhooksTimestamp(sentAt);
    const headers = signatureHeaders({ current, previous }, 'evt_01', sentAt, body);
    expect(headers['X-Service-Signature']).toBe(countinghouseSignatureOf(previous, timestamp, body));
    expect(headers['X-Service-Signature-Next']).toBe(countinghouseSignatureOf(current, timestamp, body));
    expect(headers['webhook-signature']).toBe(
      [current, previous].map((one) => standardWebhooksSignatureOf(one, 'evt_01', seconds, body)).join(' '),
    );
  });
});
