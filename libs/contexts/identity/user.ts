import { defineDecider, requireCreated } from '#libs/kernel/domain';
import type { Role } from '#libs/manifest';
import type { UserStatus } from './entities/user.entity.js';
import { userEvents, type UserEvent } from './events.js';

/** The data of a new user. The password hash is not recorded in events, because it is a credential. */
export type NewUserDetails = Extract<UserEvent, { type: 'UserRegistered' }>['data'];

/** The recorded data of a user. */
export interface UserRecord extends NewUserDetails {
  status: UserStatus;
}

export type UserCommand =
  | ({ type: 'RegisterUser' } & NewUserDetails)
  | { type: 'ChangeUserRole'; userId: string; role: Role }
  | { type: 'DeactivateUser'; userId: string }
  | { type: 'ReactivateUser'; userId: string }
  | { type: 'ResetPassword'; userId: string }
  | { type: 'ReleaseAddress'; userId: string };

export const userDecider = defineDecider<UserRecord, UserCommand, UserEvent>({
  category: 'user',
  events: userEvents,
  decide(command, user) {
    const { userId } = command;
    switch (command.type) {
      case 'RegisterUser': {
        const { type: _, ...details } = command;
        return user ? [] : [{ type: 'UserRegistered', data: details }];
      }
      case 'ChangeUserRole': {
        const { role } = command;
        if (!user || user.role === role) return [];
        return [{ type: 'UserRoleChanged', data: { userId, role, previousRole: user.role } }];
      }
      case 'DeactivateUser':
        return user?.status === 'active' ? [{ type: 'UserDeactivated', data: { userId } }] : [];
      case 'ResetPassword':
        return user ? [{ type: 'UserPasswordReset', data: { userId } }] : [];
      case 'ReleaseAddress':
        return user ? [{ type: 'UserAddressReleased', data: { userId } }] : [];
      case 'ReactivateUser':
        return user?.status === 'deactivated' ? [{ type: 'UserReactivated', data: { userId } }] : [];
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'UserRegistered':
        return { ...event.data, status: 'active' };
      case 'UserRoleChanged':
        return { ...requireCreated(state, event), role: event.data.role };
      case 'UserDeactivated':
      case 'UserAddressReleased':
        return { ...requireCreated(state, event), status: 'deactivated' };
      case 'UserPasswordReset':
        return requireCreated(state, event);
      case 'UserReactivated':
        return { ...requireCreated(state, event), status: 'active' };
    }
  },
});
