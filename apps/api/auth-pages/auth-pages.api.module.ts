import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { InvitationPageController } from './invitation-page.controller.js';

@Module({ imports: [CqrsModule], controllers: [InvitationPageController] })
export class AuthPagesApiModule {}
