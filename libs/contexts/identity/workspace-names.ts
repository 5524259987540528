import { Injectable } from '@nestjs/common';
import { AggregateStore } from '#libs/kernel/event-store';
import { workspaceDecider } from './workspace.js';

/** Reads the names of workspaces from their streams, for other contexts. */
@Injectable()
export class WorkspaceNames {
  constructor(private readonly aggregates: AggregateStore) {}

  /** The name of the workspace; `null` if the workspace has no name. */
  async nameOf(workspaceId: string): Promise<string | null> {
    return (await this.aggregates.load(workspaceDecider, workspaceId))?.name ?? null;
  }
}
