import { describe, expect, it } from '@jest/globals';
import { signatureOf, signingTimestamp } from './signature.js';

const secret = 'whsec_c2VjcmV0LW9mLWEtdGVzdA';
const timestamp = '2026-01-31T10:00:05Z';
const body =
  '{"id":"evt_01","event":"invoice.paid","timestamp":"2026-01-31T10:00:00.000Z","data":{"total":1.10,"name":"Zoë ☃"}}';

describe('the signature of a delivery', () => {
  it('is what openssl makes of timestamp, dot and body', () => {
    // printf '%s.%s' "$timestamp" "$body" | openssl dgst -sha256 -hmac "$secret" -hex
    expect(signatureOf(secret, timestamp, body)).toBe(
      'f79dadf3812fe60c9ca9c0816bafaf2cc8fdd50447d18b98a4b22480070f0e85',
    );
  });

  it('is another for another body, timestamp or secret', () => {
    const signatures = [
      signatureOf(secret, timestamp, body),
      signatureOf(secret, timestamp, body.replace('1.10', '1.1')),
      signatureOf(secret, '2026-01-31T10:00:06Z', body),
      signatureOf(`${secret}x`, timestamp, body),
    ];
    expect(new Set(signatures).size).toBe(signatures.length);
  });
});

describe('the timestamp that is signed', () => {
  it('has whole seconds and no dot', () => {
    expect(signingTimestamp('2026-01-31T10:00:05.999Z')).toBe(timestamp);
  });
});
