import { Module } from '@nestjs/common';
import { WorkspacePeople } from './workspace-people.js';

/** Provides the users of workspaces to the API and to other programs. Only the API uses the whole `IdentityModule`, with sign-in. */
@Module({ providers: [WorkspacePeople], exports: [WorkspacePeople] })
export class WorkspacePeopleModule {}
