import { Module } from '@nestjs/common';
import { WorkspacePeople } from './workspace-people.js';

/** Provides the users of workspaces, also to programs in which nobody signs in. Only the API uses `IdentityModule`. */
@Module({ providers: [WorkspacePeople], exports: [WorkspacePeople] })
export class WorkspacePeopleModule {}
