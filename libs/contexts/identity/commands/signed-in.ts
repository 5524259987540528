import type { User } from '../entities/user.entity.js';
import type { Tokens } from '../sessions/access-tokens.js';

/** A user with the tokens of a new session. */
export interface SignedIn {
  user: User;
  tokens: Tokens;
}
