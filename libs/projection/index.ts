import { Projection1700000000200 } from './migrations/1700000000200-projection.js';

export { appendProjection, foldProjection } from './fold-projection.js';
export type { Projection, ProjectionContext } from './projection.js';
export { observeProjectionLag } from './metrics.js';
export { Projector, ProjectionFailed } from './projector.js';
export { ReadModels } from './read-models.js';
export { ReadTable, type EntityClass } from './read-table.js';
export { snapshotProjection, SnapshotRow, type Extra } from './snapshot-projection.js';
export { loadCheckpoints, type Checkpoint } from './checkpoints.js';
export const migrations = [Projection1700000000200];
