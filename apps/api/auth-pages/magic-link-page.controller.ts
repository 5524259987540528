import { Controller, Get, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenLinks, SignInByLink } from '#libs/contexts/identity';
import { NotFound } from '#libs/kernel/core';
import { setPageHeaders } from '../hosted-invoice/page-headers.js';
import { Public } from '../http/auth/index.js';
import { AuthPageFilter } from './auth-page.filter.js';
import { formPage, signedInPage } from './pages.js';

/** The page of a link to sign in. Opening the page does not use up the link; its button does. */
@ApiExcludeController()
@Public()
@UseFilters(AuthPageFilter)
@Controller('auth/magic-link/:token')
export class MagicLinkPageController {
  constructor(
    private readonly commands: CommandBus,
    private readonly links: OpenLinks,
  ) {}

  @Get()
  async show(
    @Param('token') token: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    if (!(await this.links.isUsable('magic-link', token)))
      throw new NotFound('link_not_found', 'The link has ended');
    const page = formPage({
      title: 'Sign in',
      text: 'The button signs you in. The link works once.',
      email: null,
      asksForName: false,
      asksForPassword: false,
      button: 'Sign in',
    });
    setPageHeaders(reply, page);
    return page.html;
  }

  @Post()
  @HttpCode(200)
  async signIn(
    @Param('token') token: string,
    @Req() { id }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { user, tokens } = await this.commands.execute(new SignInByLink(token, id));
    const page = signedInPage(user.email, tokens);
    setPageHeaders(reply, page);
    return page.html;
  }
}
