import type { User } from '../entities/user.entity.js';
import type { Tokens } from '../sessions/access-tokens.js';

/** A user at the beginning of a session. */
export interface SignedIn {
  user: User;
  tokens: Tokens;
}
