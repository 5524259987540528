import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { GoLiveModule } from '#libs/contexts/go-live';
import { PlansReadModule } from '#projections/plans';
import { GoLiveController } from './go-live.controller.js';

@Module({ imports: [CqrsModule, GoLiveModule, PlansReadModule], controllers: [GoLiveController] })
export class GoLiveApiModule {}
