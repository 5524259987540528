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
  AcceptInvitation,
  presentUser,
  RefreshSession,
  RegisterUser,
  SignIn,
  SignOut,
  type SignInResult,
} from '#libs/contexts/identity';
import { Public, RequestAuthenticator } from '../http/auth/index.js';
import { markReplayed } from '../http/index.js';
import {
  AcceptInvitationBody,
  LoginBody,
  LogoutBody,
  RefreshBody,
  RefreshedTokensView,
  RegisterBody,
  SignedInView,
} from './auth.dto.js';
import { INVALID_LINK_DESCRIPTION, SSO_REQUIRED_DESCRIPTION } from './refusals.js';

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
      'A repetition of the request with the same `Idempotency-Key` signs in the same user with new tokens. The same key with another ' +
      'e-mail address counts as another key.',
  })
  @ApiCreatedResponse({ type: SignedInView })
  @ApiForbiddenResponse({
    description: `${SSO_REQUIRED_DESCRIPTION} Only a repetition of the request can get this error.`,
  })
  @ApiConflictResponse({
    description:
      '`email_taken`: a user with this e-mail address exists. `idempotency_key_reused`: this user registered with the same ' +
      '`Idempotency-Key`, but had other names, or now has another password.',
  })
  async register(
    @Body() body: RegisterBody,
    @Req() { id, idempotencyKey }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInView> {
    const registered = await this.commands.execute(new RegisterUser(body, id, idempotencyKey));
    if (registered.repeated) markReplayed(reply);
    return presentSignedIn(registered);
  }

  @Post('accept-invitation')
  @ApiOperation({
    summary: 'Accept an invitation: become a user of the workspace, and sign in',
    description:
      'The invited person can also accept the invitation on the page that the link in the mail opens.',
  })
  @ApiCreatedResponse({ type: SignedInView })
  @ApiUnauthorizedResponse({ description: INVALID_LINK_DESCRIPTION })
  @ApiForbiddenResponse({ description: SSO_REQUIRED_DESCRIPTION })
  @ApiConflictResponse({ description: '`email_taken`: the address belongs to a user of another workspace.' })
  async acceptInvitation(
    @Body() { token, name, password }: AcceptInvitationBody,
    @Req() { id }: FastifyRequest,
  ): Promise<SignedInView> {
    return presentSignedIn(await this.commands.execute(new AcceptInvitation(token, name, password, id)));
  }

  @Post('login')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Sign in',
    description:
      'The response has the user, and an access and a refresh token. The access token is short-lived, and the refresh token ' +
      'gets new ones.',
  })
  @ApiOkResponse({ type: SignedInView })
  @ApiUnauthorizedResponse({
    description:
      '`invalid_credentials`: the e-mail address or the password is wrong, or the user is deactivated.',
  })
  @ApiForbiddenResponse({ description: SSO_REQUIRED_DESCRIPTION })
  async login(@Body() { email, password }: LoginBody, @Req() { id }: FastifyRequest): Promise<SignedInView> {
    return presentSignedIn(await this.commands.execute(new SignIn(email, password, id)));
  }

  @Post('refresh')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Exchange a refresh token for new tokens',
    description:
      'A refresh token can be exchanged once. A later second use of the refresh token ends the session. If two requests use the token at ' +
      'the same time, one is refused, and the session continues.',
  })
  @ApiOkResponse({ type: RefreshedTokensView })
  @ApiUnauthorizedResponse({
    description:
      '`invalid_refresh_token`: the token is unknown, expired or already used, or its session has ended.',
  })
  @ApiForbiddenResponse({
    description: `${SSO_REQUIRED_DESCRIPTION} The session began without single sign-on, and is ended now.`,
  })
  async refresh(
    @Body() { refreshToken }: RefreshBody,
    @Req() { id }: FastifyRequest,
  ): Promise<RefreshedTokensView> {
    return { tokens: await this.commands.execute(new RefreshSession(refreshToken, id)) };
  }

  /** The route is public, so that a user whose access token has expired can still sign out with the refresh token. */
  @Post('logout')
  @HttpCode(204)
  @ApiOperation({
    summary: 'End a session',
    description:
      'Ends the session of the access token in `Authorization`, and the session of `refreshToken`. One of the two tokens is enough. All ' +
      'tokens of the session stop working.',
  })
  @ApiNoContentResponse()
  @ApiUnauthorizedResponse({
    description: 'Neither the access token nor the refresh token belongs to a session.',
  })
  @ApiForbiddenResponse({
    description: 'The credential is an API key or a portal token, which has no session of a user.',
  })
  async logout(@Req() request: FastifyRequest, @Body() body?: LogoutBody): Promise<void> {
    const refreshToken = body?.refreshToken;
    const sessionId = await this.sessionOf(request, refreshToken !== undefined);
    await this.commands.execute(new SignOut({ sessionId, refreshToken }, request.id));
  }

  /**
   * Returns the session of the access token. An invalid access token is ignored if the request also has a refresh token (`otherwiseKnown`).
   */
  private async sessionOf(request: FastifyRequest, otherwiseKnown: boolean): Promise<string | undefined> {
    try {
      const caller = await this.authenticator.requireCaller(request.headers);
      if (caller.kind === 'user' && caller.sessionId !== undefined) return caller.sessionId;
    } catch (error) {
      if (error instanceof Unauthenticated && otherwiseKnown) return undefined;
      throw error;
    }
    throw new Forbidden(
      'user_session_required',
      'Only a signed-in user has a session to end; revoke an API key or a portal session instead',
    );
  }
}

function presentSignedIn({ user, tokens }: SignInResult): SignedInView {
  return { user: presentUser(user), tokens };
}
