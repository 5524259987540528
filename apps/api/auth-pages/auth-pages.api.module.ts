import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { InvitationPageController } from './invitation-page.controller.js';
import { MagicLinkPageController } from './magic-link-page.controller.js';
import { ResetPasswordPageController } from './reset-password-page.controller.js';

@Module({
  imports: [CqrsModule],
  controllers: [InvitationPageController, MagicLinkPageController, ResetPasswordPageController],
})
export class AuthPagesApiModule {}
