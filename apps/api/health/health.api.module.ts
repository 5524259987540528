import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { ReadinessCheck } from './readiness-check.js';
import { RootController } from './root.controller.js';

@Module({ controllers: [HealthController, RootController], providers: [ReadinessCheck] })
export class HealthApiModule {}
