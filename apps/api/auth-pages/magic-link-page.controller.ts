import { Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { LinkQueries, SignInByLink } from '#libs/contexts/identity';
import { NotFound } from '#libs/kernel/core';
import type { WebPage } from '#libs/outputs/documents';
import { AuthPageController } from './auth-page.js';
import { AuthPageFrames } from './auth-page-frames.js';
import { authPageWordingOf } from './languages/index.js';
import { formPage, signedInPage } from './pages.js';

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
    const workspaceId = await this.links.workspaceOf('magic-link', token);
    if (workspaceId === undefined) throw new NotFound('link_not_found', 'The link has ended');
    const frame = await this.frames.ofWorkspace(request, workspaceId);
    const { link } = authPageWordingOf(frame.language);
    return formPage(frame, { ...link, email: null, asksForName: false, asksForPassword: false });
  }

  @Post()
  @HttpCode(200)
  async signIn(@Param('token') token: string, @Req() request: FastifyRequest): Promise<WebPage> {
    const { user, tokens } = await this.commands.execute(new SignInByLink(token, request.id));
    return signedInPage(await this.frames.ofWorkspace(request, user.workspaceId), user.email, tokens);
  }
}
