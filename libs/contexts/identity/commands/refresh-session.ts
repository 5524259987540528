import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccessTokens, type Tokens } from '../sessions/access-tokens.js';
import { Sessions } from '../sessions/sessions.js';

/** Exchanges a refresh token for new tokens: see {@link Sessions.rotateRefreshToken}. */
export class RefreshSession extends Command<Tokens> {
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

  async execute({ refreshToken, correlationId }: RefreshSession): Promise<Tokens> {
    return this.accessTokens.issue(await this.sessions.rotateRefreshToken(refreshToken, correlationId));
  }
}
