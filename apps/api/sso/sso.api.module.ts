import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SsoConnectionsController } from './sso-connections.controller.js';
import { SsoController } from './sso.controller.js';

@Module({ imports: [CqrsModule], controllers: [SsoController, SsoConnectionsController] })
export class SsoApiModule {}
