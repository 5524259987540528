import { Body, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import {
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  LinkQueries,
  ResetPassword,
} from '#libs/contexts/identity';
import { NotFound } from '#libs/kernel/core';
import type { WebPage } from '#libs/outputs/documents';
import { TextField } from '../http/index.js';
import { AuthPageController } from './auth-page.js';
import { formPage, messagePage } from './pages.js';

/** The fields that the form for a new password sends. */
export class ResetPasswordForm {
  @TextField({
    ...{ min: MIN_PASSWORD_LENGTH, max: MAX_PASSWORD_LENGTH, blank: true },
    description: 'The password that the user chooses.',
  })
  password: string;
}

/** The page that a link to choose a new password opens. Opening the page does not use up the link; only the button on the page does. */
@AuthPageController('auth/reset-password/:token')
export class ResetPasswordPageController {
  constructor(
    private readonly commands: CommandBus,
    private readonly links: LinkQueries,
  ) {}

  @Get()
  async show(@Param('token') token: string): Promise<WebPage> {
    if (!(await this.links.isUsable('reset-password', token)))
      throw new NotFound('link_not_found', 'The link has ended');
    return formPage({
      title: 'Choose a new password',
      text: 'A new password ends all of your sessions, on all devices.',
      email: null,
      asksForName: false,
      asksForPassword: true,
      button: 'Set the password',
    });
  }

  @Post()
  @HttpCode(200)
  async reset(
    @Param('token') token: string,
    @Body() { password }: ResetPasswordForm,
    @Req() { id }: FastifyRequest,
  ): Promise<WebPage> {
    await this.commands.execute(new ResetPassword(token, password, id));
    return messagePage({
      title: 'Your password is changed',
      text: 'All of your sessions have ended. Sign in with the new password.',
      hasRetry: false,
    });
  }
}
