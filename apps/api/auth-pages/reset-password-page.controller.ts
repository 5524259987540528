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
import { AuthPageFrames } from './auth-page-frames.js';
import { authPageWordingOf } from './languages/index.js';
import { formPage, messagePage } from './pages.js';

/** The fields that the form for a new password sends. */
export class ResetPasswordForm {
  @TextField({
    min: MIN_PASSWORD_LENGTH,
    max: MAX_PASSWORD_LENGTH,
    blank: true,
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
    private readonly frames: AuthPageFrames,
  ) {}

  @Get()
  async show(@Param('token') token: string, @Req() request: FastifyRequest): Promise<WebPage> {
    const person = await this.links.personOf('reset-password', token);
    if (!person) throw new NotFound('link_not_found', 'The link has ended');
    const frame = await this.frames.ofWorkspace(request, person.workspaceId);
    const { newPassword, firstProof } = authPageWordingOf(frame.language);
    return formPage(frame, {
      ...newPassword,
      email: null,
      asksForName: false,
      asksForPassword: true,
      firstProof: person.isAddressProved ? undefined : { text: firstProof.text, passwordHint: null },
    });
  }

  @Post()
  @HttpCode(200)
  async reset(
    @Param('token') token: string,
    @Body() { password }: ResetPasswordForm,
    @Req() request: FastifyRequest,
  ): Promise<WebPage> {
    const person = await this.links.personOf('reset-password', token);
    if (person) await this.frames.ofWorkspace(request, person.workspaceId);
    await this.commands.execute(new ResetPassword(token, password, request.id));
    const frame = this.frames.of(request);
    const { passwordChanged } = authPageWordingOf(frame.language);
    return messagePage(frame, { ...passwordChanged, hasRetry: false, leadsToSignIn: true });
  }
}
