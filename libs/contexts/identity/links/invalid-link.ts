import { Unauthenticated } from '#libs/kernel/core';

/** The refusal of a link that is unknown, used, expired or ended. It does not say which. */
export function invalidLink(): Unauthenticated {
  return new Unauthenticated(
    'invalid_link',
    'The link is not valid, was used before, or has expired; ask for another one',
  );
}
