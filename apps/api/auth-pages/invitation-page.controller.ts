import { Body, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import {
  AcceptInvitation,
  InvitationFinder,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
} from '#libs/contexts/identity';
import { NotFound } from '#libs/kernel/core';
import type { WebPage } from '#libs/outputs/documents';
import { NameField, TextField } from '../http/index.js';
import { AuthPageController } from './auth-page.js';
import { AuthPageFrames } from './auth-page-frames.js';
import { authPageWordingOf } from './languages/index.js';
import { formPage, signedInPage } from './pages.js';

/** The fields that the form of an invitation sends. */
export class AcceptInvitationForm {
  @NameField({ max: 200, description: 'The name of the user.' })
  name: string;

  @TextField({
    min: MIN_PASSWORD_LENGTH,
    max: MAX_PASSWORD_LENGTH,
    blank: true,
    description: 'The password that the user chooses.',
  })
  password: string;
}

/**
 * The page that the link in an invitation opens. Mail scanners open links. Opening the page therefore does not use up the link; only the
 * button on the page does. The token in the URL is the credential.
 */
@AuthPageController('auth/invitation/:token')
export class InvitationPageController {
  constructor(
    private readonly commands: CommandBus,
    private readonly links: InvitationFinder,
    private readonly frames: AuthPageFrames,
  ) {}

  @Get()
  async show(@Param('token') token: string, @Req() request: FastifyRequest): Promise<WebPage> {
    const invitation = await this.links.findByToken(token);
    if (!invitation) throw new NotFound('link_not_found', 'The invitation has ended');
    const { email, role, workspaceId, workspaceName } = invitation;
    const frame = await this.frames.ofWorkspace(request, workspaceId);
    const { title, text, button } = authPageWordingOf(frame.language).invitation;
    return formPage(frame, {
      title,
      text: text(workspaceName, email, role),
      email,
      button,
      asksForName: true,
      asksForPassword: true,
    });
  }

  @Post()
  @HttpCode(200)
  async accept(
    @Param('token') token: string,
    @Body() { name, password }: AcceptInvitationForm,
    @Req() request: FastifyRequest,
  ): Promise<WebPage> {
    const invitation = await this.links.findByToken(token);
    if (invitation) await this.frames.ofWorkspace(request, invitation.workspaceId);
    const command = new AcceptInvitation(token, name, password, request.id);
    const { user, tokens } = await this.commands.execute(command);
    return signedInPage(this.frames.of(request), user.email, tokens);
  }
}
