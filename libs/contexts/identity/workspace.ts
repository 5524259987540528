import { defineDecider } from '#libs/kernel/domain';
import { workspaceEvents, type WorkspaceEvent } from './events.js';

/** A workspace, as it was created. The stream of a workspace is `workspace-acc_…`, where `acc_…` is the workspace's id. */
export type Workspace = WorkspaceEvent['data'];

export type WorkspaceCommand = { type: 'CreateWorkspace' } & Workspace;

export const workspaceDecider = defineDecider<Workspace, WorkspaceCommand, WorkspaceEvent>({
  category: 'workspace',
  events: workspaceEvents,
  decide({ type: _, ...details }, workspace) {
    return workspace ? [] : [{ type: 'WorkspaceCreated', data: details }];
  },
  evolve: (_, { data }) => data,
});
