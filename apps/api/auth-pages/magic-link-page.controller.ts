import { Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { LinkQueries, SignInByLink } from '#libs/contexts/identity';
import { NotFound } from '#libs/kernel/core';
import type { WebPage } from '#libs/outputs/documents';
import { AuthPageController } from './auth-page.js';
import { formPage, signedInPage } from './pages.js';

/** The page that a sign-in link opens. Opening the page does not use up the link; only the button on the page does. */
@AuthPageController('auth/magic-link/:token')
export class MagicLinkPageController {
  constructor(
    private readonly commands: CommandBus,
    private readonly links: LinkQueries,
  ) {}

  @Get()
  async show(@Param('token') token: string): Promise<WebPage> {
    if (!(await this.links.isUsable('magic-link', token)))
      throw new NotFound('link_not_found', 'The link has ended');
    return formPage({
      title: 'Sign in',
      text: 'Press the button to sign in. The link works once.',
      email: null,
      asksForName: false,
      asksForPassword: false,
      button: 'Sign in',
    });
  }

  @Post()
  @HttpCode(200)
  async signIn(@Param('token') token: string, @Req() { id }: FastifyRequest): Promise<WebPage> {
    const { user, tokens } = await this.commands.execute(new SignInByLink(token, id));
    return signedInPage(user.email, tokens);
  }
}
