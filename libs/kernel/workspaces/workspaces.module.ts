import { Global, Module } from '@nestjs/common';
import { WorkspaceClock } from './workspace-clock.js';

/** Provides the clocks of workspaces to every process. */
@Global()
@Module({ providers: [WorkspaceClock], exports: [WorkspaceClock] })
export class WorkspacesModule {}
