import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApiKeysController } from './api-keys.controller.js';

@Module({ imports: [CqrsModule], controllers: [ApiKeysController] })
export class ApiKeysApiModule {}
