import { Module } from '@nestjs/common';
import { WorkspaceNames } from './workspace-names.js';

/** Provides the names of workspaces, also to programs in which nobody signs in. Only the API uses `IdentityModule`. */
@Module({ providers: [WorkspaceNames], exports: [WorkspaceNames] })
export class WorkspaceNamesModule {}
