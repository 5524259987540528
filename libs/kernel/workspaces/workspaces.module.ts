import { Global, Module } from '@nestjs/common';
import { WorkspaceClock } from './workspace-clock.js';

/** Workspaces' clocks, for every process. */
@Global()
@Module({ providers: [WorkspaceClock], exports: [WorkspaceClock] })
export class WorkspacesModule {}
