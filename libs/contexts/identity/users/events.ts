import type { DomainEvent } from '#libs/kernel/domain';
import type { Role } from '#libs/manifest';

/** The events of a user after the registration. */
export type UserChangeEvent =
  | DomainEvent<'UserRoleChanged', { userId: string; role: Role; previousRole: Role }>
  /** The user can no longer sign in. All sessions have ended. */
  | DomainEvent<'UserDeactivated', { userId: string }>
  | DomainEvent<'UserReactivated', { userId: string }>
  /**
   * Somebody else proved the address first: by a link, an invitation, or single sign-on for its verified domain. The user, who never proved
   * to read mail there, is deactivated.
   */
  | DomainEvent<'UserAddressReleased', { userId: string }>
  /** The user set a new password with a link from a mail. All sessions have ended. */
  | DomainEvent<'UserPasswordReset', { userId: string }>;
