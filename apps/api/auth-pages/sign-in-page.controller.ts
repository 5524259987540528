import { Body, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { MAX_PASSWORD_LENGTH, RequestLink, SignIn } from '#libs/contexts/identity';
import type { WebPage } from '#libs/outputs/documents';
import { ChoiceField, EmailField, IdField, TextField } from '../http/index.js';
import { AuthPageController } from './auth-page.js';
import { AuthPageFrames, type AuthPageFrame } from './auth-page-frames.js';
import { authPageWordingOf } from './languages/index.js';
import { messagePage, signedInPage, signInPage } from './pages.js';

/** The fields of the form that signs a user in. */
export class SignInForm {
  @EmailField({ description: 'The e-mail address of the user.' })
  email: string;

  @TextField({ max: MAX_PASSWORD_LENGTH, blank: true, description: 'The password of the user.' })
  password: string;
}

/** The fields of the form that asks for a link by mail. */
export class MailedLinkForm {
  @EmailField({ description: 'The e-mail address of the user.' })
  email: string;

  @ChoiceField(['magic-link', 'reset-password'], { description: 'What the link is for.' })
  purpose: 'magic-link' | 'reset-password';
}

/** The workspace whose name and colour the page shows. */
export class SignInPageQuery {
  @IdField({ optional: true, description: 'The id of the workspace.' })
  workspace?: string;
}

/** The page where users sign in with a password, or ask for a link by mail. */
@AuthPageController('auth/sign-in')
export class SignInPageController {
  constructor(
    private readonly commands: CommandBus,
    private readonly frames: AuthPageFrames,
  ) {}

  @Get()
  async show(@Query() query: SignInPageQuery, @Req() request: FastifyRequest): Promise<WebPage> {
    return signInPage(await this.frameOf(request, query));
  }

  @Post()
  @HttpCode(200)
  async signIn(
    @Query() query: SignInPageQuery,
    @Body() { email, password }: SignInForm,
    @Req() request: FastifyRequest,
  ): Promise<WebPage> {
    await this.frameOf(request, query);
    const { user, tokens } = await this.commands.execute(new SignIn(email, password, request.id));
    return signedInPage(await this.frames.ofWorkspace(request, user.workspaceId), user.email, tokens);
  }

  @Post('link')
  @HttpCode(200)
  async mailLink(
    @Query() query: SignInPageQuery,
    @Body() { email, purpose }: MailedLinkForm,
    @Req() request: FastifyRequest,
  ): Promise<WebPage> {
    const frame = await this.frameOf(request, query);
    await this.commands.execute(new RequestLink(purpose, email, request.id));
    const { mailed } = authPageWordingOf(frame.language);
    return messagePage(frame, { ...mailed, hasRetry: false, leadsToSignIn: false });
  }

  private async frameOf(request: FastifyRequest, { workspace }: SignInPageQuery): Promise<AuthPageFrame> {
    return workspace === undefined ? this.frames.of(request) : this.frames.ofWorkspace(request, workspace);
  }
}
