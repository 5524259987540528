import { Unauthenticated } from '#libs/kernel/core';

/**
 * Returns the error for a link that is unknown, used, expired or ended. The error does not reveal whether the link is unknown, used,
 * expired or ended.
 */
export function invalidLink(): Unauthenticated {
  return new Unauthenticated(
    'invalid_link',
    'The link is not valid, was used before, or has expired; ask for another one',
  );
}
