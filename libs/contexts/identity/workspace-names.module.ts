import { Module } from '@nestjs/common';
import { WorkspaceNames } from './workspace-names.js';

/** Provides the names of workspaces to the API and to other programs. Only the API uses the whole `IdentityModule`, with sign-in. */
@Module({ providers: [WorkspaceNames], exports: [WorkspaceNames] })
export class WorkspaceNamesModule {}
