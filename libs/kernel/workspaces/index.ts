import { Workspaces1700000000300 } from './migrations/1700000000300-workspaces.js';

export { WorkspaceClock, type ClockReading, type WorkspaceMode } from './workspace-clock.js';
export { WorkspacesModule } from './workspaces.module.js';
export const migrations = [Workspaces1700000000300];
