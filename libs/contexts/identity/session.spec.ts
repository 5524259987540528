import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { SessionEvent } from './events.js';
import { sessionDecider, type SessionEndReason, type SessionCommand } from './session.js';

const ids = { sessionId: 'ses_1', userId: 'usr_1' };
const signedIn: SessionEvent = { type: 'UserSignedIn', data: { ...ids, method: 'password' } };
const signedOut: SessionEvent = { type: 'UserSignedOut', data: ids };
const reused: SessionEvent = { type: 'RefreshTokenReused', data: ids };
const start: SessionCommand = { type: 'StartSession', ...ids, method: 'password' };
const revoked: SessionEvent = { type: 'SessionRevoked', data: { ...ids, reason: 'user_deactivated' } };
const end = (reason: SessionEndReason): SessionCommand => ({
  type: 'EndSession',
  ...ids,
  reason,
});

const { given } = decide(sessionDecider);

describe('a session', () => {
  it('starts with a sign-in, once', () => {
    given().when(start).then(signedIn);
    given(signedIn).when(start).then();
  });

  it('ends when the user signs out, or a spent refresh token is used', () => {
    given(signedIn).when(end('signed_out')).then(signedOut);
    given(signedIn).when(end('refresh_token_reused')).then(reused);
    given(signedIn).when(end('user_deactivated')).then(revoked);
  });

  it('has a recorded user, and a flag for its end', () => {
    expect([
      given(signedIn).state(),
      given(signedIn, signedOut).state(),
      given(signedIn, reused).state(),
    ]).toEqual([
      { ...ids, ended: false },
      { ...ids, ended: true },
      { ...ids, ended: true },
    ]);
  });

  it('ends once', () => {
    given(signedIn, reused).when(end('signed_out')).then();
    given(signedIn, signedOut).when(end('refresh_token_reused')).then();
    given(signedIn, revoked).when(end('signed_out')).then();
    given().when(end('signed_out')).then();
  });
});
