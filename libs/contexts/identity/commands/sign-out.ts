import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Unauthenticated } from '#libs/kernel/core';
import { Sessions } from '../sessions/sessions.js';

/** The session to end, identified by its id, by one of its refresh tokens, or by both. */
export interface SessionToEnd {
  sessionId?: string;
  refreshToken?: string;
}

/**
 * Ends the session with the given id, and the session of the given refresh token. Throws Unauthenticated (`invalid_refresh_token`) if no id
 * is given and the refresh token is unknown.
 */
export class SignOut extends Command<void> {
  constructor(
    readonly session: SessionToEnd,
    readonly correlationId: string,
  ) {
    super();
  }
}

@CommandHandler(SignOut)
export class SignOutHandler implements ICommandHandler<SignOut> {
  constructor(private readonly sessions: Sessions) {}

  async execute({ session, correlationId }: SignOut): Promise<void> {
    const { refreshToken, sessionId } = session;
    const ofToken =
      refreshToken === undefined ? undefined : await this.sessions.findIdByRefreshToken(refreshToken);
    const ids = new Set([sessionId, ofToken].filter((id) => id !== undefined));
    if (ids.size === 0) throw new Unauthenticated('invalid_refresh_token', 'The refresh token is not known');
    for (const id of ids) await this.sessions.end(id, 'signed_out', correlationId);
  }
}
