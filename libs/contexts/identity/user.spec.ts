import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { UserEvent } from './events.js';
import { userDecider, type NewUserDetails, type UserCommand } from './user.js';

const userId = 'usr_1';
const details: NewUserDetails = {
  userId,
  email: 'ada@example.com',
  name: 'Ada',
  role: 'admin',
  at: '2026-01-01T00:00:00.000Z',
};
const registered: UserEvent = { type: 'UserRegistered', data: details };
const demoted: UserEvent = {
  type: 'UserRoleChanged',
  data: { userId, role: 'viewer', previousRole: 'admin' },
};
const deactivated: UserEvent = { type: 'UserDeactivated', data: { userId } };
const reactivated: UserEvent = { type: 'UserReactivated', data: { userId } };
const demote: UserCommand = { type: 'ChangeUserRole', userId, role: 'viewer' };
const { given } = decide(userDecider);

describe('a user', () => {
  it('is registered once', () => {
    given()
      .when({ type: 'RegisterUser', ...details })
      .then(registered);
    given(registered)
      .when({ type: 'RegisterUser', ...details })
      .then();
    expect(given(registered).state()).toEqual({ ...details, status: 'active' });
  });

  it('gets another role, and the event says which it had', () => {
    given(registered).when(demote).then(demoted);
    given(registered, demoted).when(demote).then();
    expect(given(registered, demoted).state()).toMatchObject({ role: 'viewer' });
  });

  it('can choose another password any number of times', () => {
    const reset: UserEvent = { type: 'UserPasswordReset', data: { userId } };
    given(registered, reset).when({ type: 'ResetPassword', userId }).then(reset);
    given().when({ type: 'ResetPassword', userId }).then();
    expect(given(registered, reset).state()).toEqual({ ...details, status: 'active' });
  });

  it('is deactivated and active again, each once', () => {
    given(registered).when({ type: 'DeactivateUser', userId }).then(deactivated);
    given(registered, deactivated).when({ type: 'DeactivateUser', userId }).then();
    given(registered, deactivated).when({ type: 'ReactivateUser', userId }).then(reactivated);
    given(registered).when({ type: 'ReactivateUser', userId }).then();
    expect(given(registered, deactivated).state()).toMatchObject({ status: 'deactivated' });
    expect(given(registered, deactivated, reactivated).state()).toMatchObject({ status: 'active' });
  });
});
