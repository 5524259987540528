import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccessTokens, type SessionTokens } from '../sessions/access-tokens.js';
import { Sessions } from '../sessions/sessions.js';

/** Exchanges a refresh token for new tokens: see {@link Sessions.rotateRefreshToken}. */
export class RefreshSession extends Command<SessionTokens> {
  constructor(
    readonly refreshToken: string,
    readonly correlationId: string,
  ) {
    super();
  }
}

@CommandHandler(RefreshSession)
export class RefreshSessionHandler implements ICommandHandler<RefreshSession> {
  constructor(
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
  ) {}

  async execute({ refreshToken, correlationId }: RefreshSession): Promise<SessionTokens> {
    return this.accessTokens.issue(await this.sessions.rotateRefreshToken(refreshToken, correlationId));
  }
}
