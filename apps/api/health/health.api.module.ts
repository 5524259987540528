import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';
import { RootController } from './root.controller.js';

@Module({ controllers: [HealthController, RootController], providers: [Readiness] })
export class HealthApiModule {}
