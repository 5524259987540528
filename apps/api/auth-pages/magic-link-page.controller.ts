import { Body, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { LinkQueries, MAX_PASSWORD_LENGTH, SignInByLink } from '#libs/contexts/identity';
import { NotFound } from '#libs/kernel/core';
import type { WebPage } from '#libs/outputs/documents';
import { TextField } from '../http/index.js';
import { AuthPageController } from './auth-page.js';
import { AuthPageFrames } from './auth-page-frames.js';
import { authPageWordingOf } from './languages/index.js';
import { formPage, signedInPage } from './pages.js';

/** The fields of the form that signs in by a link. */
export class MagicLinkForm {
  @TextField({
    min: 0,
    max: MAX_PASSWORD_LENGTH,
    blank: true,
    optional: true,
    description: 'The password of the registration. Empty if the person did not register the address.',
  })
  password?: string;
}

/** The page that a sign-in link opens. Opening the page does not use up the link; only the button on the page does. */
@AuthPageController('auth/magic-link/:token')
export class MagicLinkPageController {
  constructor(
    private readonly commands: CommandBus,
    private readonly links: LinkQueries,
    private readonly frames: AuthPageFrames,
  ) {}

  @Get()
  async show(@Param('token') token: string, @Req() request: FastifyRequest): Promise<WebPage> {
    const person = await this.links.personOf('magic-link', token);
    if (!person) throw new NotFound('link_not_found', 'The link has ended');
    const frame = await this.frames.ofWorkspace(request, person.workspaceId);
    const { link, firstProof } = authPageWordingOf(frame.language);
    return formPage(frame, {
      ...link,
      email: null,
      asksForName: false,
      asksForPassword: false,
      firstProof: person.isAddressProved ? undefined : firstProof,
    });
  }

  @Post()
  @HttpCode(200)
  async signIn(
    @Param('token') token: string,
    @Body() { password }: MagicLinkForm,
    @Req() request: FastifyRequest,
  ): Promise<WebPage> {
    const { user, tokens } = await this.commands.execute(
      new SignInByLink(token, request.id, password === '' ? undefined : password),
    );
    return signedInPage(await this.frames.ofWorkspace(request, user.workspaceId), user.email, tokens);
  }
}
