import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { UserEvent } from './events.js';
import { userDecider } from './user.js';

const details: UserEvent['data'] = {
  ...{ userId: 'usr_1', email: 'ada@example.com', name: 'Ada', role: 'admin' },
  at: '2026-01-01T00:00:00.000Z',
};
const registered: UserEvent = { type: 'UserRegistered', data: details };
const { given } = decide(userDecider);

describe('a user', () => {
  it('is registered once', () => {
    given()
      .when({ type: 'RegisterUser', ...details })
      .then(registered);
    given(registered)
      .when({ type: 'RegisterUser', ...details })
      .then();
    expect(given(registered).state()).toEqual(details);
  });
});
