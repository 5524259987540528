import { Module } from '@nestjs/common';
import { WorkspaceNames } from './workspace-names.js';

/** The names of workspaces, for programs without sign-in too. `IdentityModule` is for the API only. */
@Module({ providers: [WorkspaceNames], exports: [WorkspaceNames] })
export class WorkspaceNamesModule {}
