import { defineDecider } from '#libs/kernel/domain';
import { userEvents, type UserEvent } from './events.js';

/** The recorded data of a user. The password hash is a credential, so it is not recorded. */
export type RegisteredUser = UserEvent['data'];

export type UserCommand = { type: 'RegisterUser' } & RegisteredUser;

export const userDecider = defineDecider<RegisteredUser, UserCommand, UserEvent>({
  category: 'user',
  events: userEvents,
  decide({ type: _, ...details }, user) {
    return user ? [] : [{ type: 'UserRegistered', data: details }];
  },
  evolve: (_, { data }) => data,
});
