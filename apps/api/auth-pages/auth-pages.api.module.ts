import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { WorkspaceNamesModule } from '#libs/contexts/identity';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { AuthPageFrames } from './auth-page-frames.js';
import { InvitationPageController } from './invitation-page.controller.js';
import { MagicLinkPageController } from './magic-link-page.controller.js';
import { ResetPasswordPageController } from './reset-password-page.controller.js';
import { SignInPageController } from './sign-in-page.controller.js';

@Module({
  imports: [CqrsModule, InvoicingModule, WorkspaceNamesModule],
  controllers: [
    InvitationPageController,
    MagicLinkPageController,
    ResetPasswordPageController,
    SignInPageController,
  ],
  providers: [AuthPageFrames],
})
export class AuthPagesApiModule {}
