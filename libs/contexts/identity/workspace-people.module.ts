import { Module } from '@nestjs/common';
import { WorkspacePeople } from './workspace-people.js';

/** The people of workspaces, for programs without sign-in too. `IdentityModule` is for the API only. */
@Module({ providers: [WorkspacePeople], exports: [WorkspacePeople] })
export class WorkspacePeopleModule {}
