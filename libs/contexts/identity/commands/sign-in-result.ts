import type { User } from '../entities/user.entity.js';
import type { SessionTokens } from '../sessions/access-tokens.js';

/** A user with the tokens of a new session. */
export interface SignInResult {
  user: User;
  tokens: SessionTokens;
}
