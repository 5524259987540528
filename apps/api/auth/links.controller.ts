import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { presentUser, RequestLink, ResetPassword, SignInByLink } from '#libs/contexts/identity';
import { Public } from '../http/auth/index.js';
import { SignedInByLinkView } from './auth.dto.js';
import { LinkRequestedView, RequestLinkBody, ResetPasswordBody, VerifyMagicLinkBody } from './links.dto.js';
import { INVALID_LINK_DESCRIPTION, SSO_REQUIRED_DESCRIPTION } from './refusals.js';

const REQUESTED = { message: 'If a user has this address, a link is on its way to it' };

/**
 * The requests about links that users get by mail: links to sign in, and links to choose a new password. The name of the class is a part of
 * the operation ids of the OpenAPI document, so it must not change.
 */
@ApiTags('Authentication')
@Controller('v1/auth')
@Public()
export class LinksController {
  constructor(private readonly commands: CommandBus) {}

  @Post('magic-link')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Send a link to sign in',
    description:
      'The link is valid for 10 minutes and works once. The answer does not tell whether a user has the e-mail address. A user gets at ' +
      'most five links to sign in an hour. A deactivated user gets no link.',
  })
  @ApiAcceptedResponse({ type: LinkRequestedView })
  async requestMagicLink(
    @Body() { email }: RequestLinkBody,
    @Req() { id }: FastifyRequest,
  ): Promise<LinkRequestedView> {
    await this.commands.execute(new RequestLink('magic-link', email, id));
    return REQUESTED;
  }

  @Post('magic-link/verify')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Sign in with the token of a link',
    description:
      'The user can also sign in on the page that the link in the mail opens. Anybody can register any address. If nobody has proved the ' +
      'address before, the person begins with a new user and a new sandbox, and the user of the registration loses the address. With the ' +
      '`password` of the registration, both go on.',
  })
  @ApiOkResponse({ type: SignedInByLinkView })
  @ApiUnauthorizedResponse({ description: INVALID_LINK_DESCRIPTION })
  @ApiForbiddenResponse({ description: SSO_REQUIRED_DESCRIPTION })
  async verifyMagicLink(
    @Body() { token, password }: VerifyMagicLinkBody,
    @Req() { id }: FastifyRequest,
  ): Promise<SignedInByLinkView> {
    const signIn = new SignInByLink(token, id, password);
    const { user, tokens, newWorkspace } = await this.commands.execute(signIn);
    return { user: presentUser(user), tokens, newWorkspace };
  }

  @Post('forgot-password')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Send a link to choose a new password',
    description:
      'The link is valid for an hour and works once. The answer does not tell whether a user has the e-mail address. A user gets at ' +
      'most five links for a new password an hour. A deactivated user gets no link.',
  })
  @ApiAcceptedResponse({ type: LinkRequestedView })
  async forgotPassword(
    @Body() { email }: RequestLinkBody,
    @Req() { id }: FastifyRequest,
  ): Promise<LinkRequestedView> {
    await this.commands.execute(new RequestLink('reset-password', email, id));
    return REQUESTED;
  }

  @Post('reset-password')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Set a new password with the token of a link',
    description:
      'All sessions and all other links of the user end. If nobody has proved the address before, the person begins with a new user and a new ' +
      'sandbox. The user can also set the password on the page that the link in the mail opens.',
  })
  @ApiNoContentResponse()
  @ApiUnauthorizedResponse({ description: INVALID_LINK_DESCRIPTION })
  @ApiForbiddenResponse({ description: SSO_REQUIRED_DESCRIPTION })
  async resetPassword(
    @Body() { token, password }: ResetPasswordBody,
    @Req() { id }: FastifyRequest,
  ): Promise<void> {
    await this.commands.execute(new ResetPassword(token, password, id));
  }
}
