import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Forbidden, Unauthenticated } from '#libs/kernel/core';
import {
  presentUser,
  RefreshSession,
  RegisterUser,
  SignIn,
  SignOut,
  type SignedIn,
} from '#libs/contexts/identity';
import { Public, RequestAuthenticator } from '../http/auth/index.js';
import { markReplayed } from '../http/index.js';
import { LoginBody, LogoutBody, RefreshBody, RefreshedView, RegisterBody, SignedInView } from './auth.dto.js';

@ApiTags('Authentication')
@Controller('v1/auth')
@Public()
export class AuthController {
  constructor(
    private readonly commands: CommandBus,
    private readonly authenticator: RequestAuthenticator,
  ) {}

  @Post('register')
  @ApiOperation({
    summary: 'Create a user and a sandbox workspace, and sign in',
    description:
      'The same request again with its `Idempotency-Key` signs in the same user, with new tokens. The key belongs to the address.',
  })
  @ApiCreatedResponse({ type: SignedInView })
  @ApiConflictResponse({
    description:
      '`email_taken`: there is a user with this address. `idempotency_key_reused`: this user registered with the ' +
      'same `Idempotency-Key`, but with another password or other names.',
  })
  async register(
    @Body() body: RegisterBody,
    @Req() { id, idempotencyKey }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const registered = await this.commands.execute(new RegisterUser(body, id, idempotencyKey));
    if (registered.repeated) markReplayed(reply);
    return presentSignedIn(registered);
  }

  @Post('login')
  @HttpCode(200)
  @ApiOperation({ summary: 'Sign in' })
  @ApiOkResponse({ type: SignedInView })
  @ApiUnauthorizedResponse({ description: '`invalid_credentials`: address or password is wrong.' })
  async login(@Body() { email, password }: LoginBody, @Req() { id }: FastifyRequest) {
    return presentSignedIn(await this.commands.execute(new SignIn(email, password, id)));
  }

  @Post('refresh')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Exchange a refresh token for new tokens',
    description: 'A refresh token can be exchanged once. Using it again ends the session.',
  })
  @ApiOkResponse({ type: RefreshedView })
  @ApiUnauthorizedResponse({
    description: '`invalid_refresh_token`: unknown, expired, used before, or signed out.',
  })
  async refresh(@Body() { refreshToken }: RefreshBody, @Req() { id }: FastifyRequest) {
    return { tokens: await this.commands.execute(new RefreshSession(refreshToken, id)) };
  }

  /** Public, for who has let the access token run out can still sign out with the refresh token. */
  @Post('logout')
  @HttpCode(204)
  @ApiOperation({
    summary: 'End a session',
    description:
      'That of the access token in `Authorization`, or of `refreshToken`. All tokens of the session are refused from then on.',
  })
  @ApiNoContentResponse()
  @ApiUnauthorizedResponse({ description: 'Neither token names a session.' })
  @ApiForbiddenResponse({ description: 'The credential is an API key, which has no session.' })
  async logout(@Req() request: FastifyRequest, @Body() body?: LogoutBody): Promise<void> {
    const refreshToken = body?.refreshToken;
    const sessionId = await this.sessionOf(request, refreshToken !== undefined);
    await this.commands.execute(new SignOut({ sessionId, refreshToken }, request.id));
  }

  /** The access token's session; if there is a refresh token too, one that is not valid does not matter. */
  private async sessionOf(request: FastifyRequest, otherwiseKnown: boolean): Promise<string | undefined> {
    try {
      const { sessionId } = await this.authenticator.require(request.headers);
      if (sessionId !== undefined) return sessionId;
    } catch (error) {
      if (error instanceof Unauthenticated && otherwiseKnown) return undefined;
      throw error;
    }
    throw new Forbidden('user_session_required', 'An API key has no session to end; revoke it instead');
  }
}

function presentSignedIn({ user, tokens }: SignedIn): SignedInView {
  return { user: presentUser(user), tokens };
}
