import { Module } from '@nestjs/common';
import { WorkspaceUserFinder } from './workspace-user-finder.js';

/** Provides the users of workspaces to the API and to other programs. Only the API uses the whole `IdentityModule`, with sign-in. */
@Module({ providers: [WorkspaceUserFinder], exports: [WorkspaceUserFinder] })
export class WorkspaceUserFinderModule {}
