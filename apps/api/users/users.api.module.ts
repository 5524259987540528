import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { InvitationsController } from './invitations.controller.js';
import { SessionsController } from './sessions.controller.js';
import { UsersController } from './users.controller.js';

@Module({
  imports: [CqrsModule],
  controllers: [InvitationsController, SessionsController, UsersController],
})
export class UsersApiModule {}
