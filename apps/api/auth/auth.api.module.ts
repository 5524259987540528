import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AuthController } from './auth.controller.js';
import { LinksController } from './links.controller.js';

@Module({ imports: [CqrsModule], controllers: [AuthController, LinksController] })
export class AuthApiModule {}
