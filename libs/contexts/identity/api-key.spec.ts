import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { apiKeyDecider } from './api-key.js';
import type { ApiKeyEvent } from './events.js';

const details = {
  apiKeyId: 'key_1',
  name: 'collector',
  role: 'ingest',
  at: '2026-01-01T00:00:00.000Z',
} as const;
const created: ApiKeyEvent = { type: 'ApiKeyCreated', data: details };
const revoked: ApiKeyEvent = { type: 'ApiKeyRevoked', data: { apiKeyId: 'key_1' } };

const { given } = decide(apiKeyDecider);

describe('an API key', () => {
  it('is created once', () => {
    given()
      .when({ type: 'CreateApiKey', ...details })
      .then(created);
    given(created)
      .when({ type: 'CreateApiKey', ...details })
      .then();
  });

  it('has a recorded name, role and time, and a flag for its revocation', () => {
    const { at: createdAt, ...known } = details;
    expect(given(created).state()).toEqual({ ...known, createdAt, revoked: false });
    expect(given(created, revoked).state()).toEqual({ ...known, createdAt, revoked: true });
  });

  it('is replaced once, and not after it was revoked', () => {
    const rotation = { apiKeyId: 'key_1', replacedBy: 'key_2', expiresAt: '2026-01-02T00:00:00.000Z' };
    const rotate = (replacedBy: string) => ({ type: 'RotateApiKey', ...rotation, replacedBy }) as const;
    const rotated: ApiKeyEvent = { type: 'ApiKeyRotated', data: rotation };
    given(created).when(rotate('key_2')).then(rotated);
    given(created, rotated).when(rotate('key_3')).then();
    given(created, revoked).when(rotate('key_2')).then();
    expect(given(created, rotated).state()).toMatchObject({
      replacedBy: 'key_2',
      expiresAt: rotation.expiresAt,
    });
  });

  it('is revoked once', () => {
    given(created).when({ type: 'RevokeApiKey', apiKeyId: 'key_1' }).then(revoked);
    given(created, revoked).when({ type: 'RevokeApiKey', apiKeyId: 'key_1' }).then();
    given().when({ type: 'RevokeApiKey', apiKeyId: 'key_1' }).then();
  });
});
