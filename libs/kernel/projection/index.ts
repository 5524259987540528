export { AggregateStateReader } from './aggregate-state-reader.js';
export { defineReadModels, type QueryBinding, type ReadModelFolder } from './define-read-models.js';
export { ReadModelsModule } from './read-models.module.js';
import { Builds1700000000210 } from './migrations/1700000000210-builds.js';
import { Projection1700000000200 } from './migrations/1700000000200-projection.js';

export { loadCheckpoints, type Checkpoint } from './checkpoints.js';
export { appendOnlyProjection, foldProjection } from './fold-projection.js';
export { observeProjectionLag } from './metrics.js';
export { ProjectionFailed, type Projection, type ProjectionContext } from './projection.js';
export { PROJECTOR_LOCK_KEY_SQL } from './projector-lock.js';
export { Projector } from './projector.js';
export { ReadModelProgress } from './read-model-progress.js';
export type { ReadTable } from './read-table.js';
export { BuildBusy } from './rebuild/build-locks.js';
export type { RowDifference, TableComparison } from './rebuild/compare.js';
export { BlockedByDependentObjects } from './rebuild/dependents.js';
export { dropOldModelTables, tableNamesOf } from './rebuild/old-models.js';
export type { BuildProgressListener, BuildOptions, BuildConnections } from './rebuild/open-builds.js';
export { rebuild, type RebuildResult } from './rebuild/rebuild.js';
export {
  ReadModelOfOtherVersion,
  compareReadModels,
  type VerifyOptions,
  type VerifyResult,
} from './rebuild/verify.js';
export {
  describeReadModels,
  type BuildState,
  type ReadModelState,
  type ReadSideState,
} from './read-model-states.js';
export { snapshotProjection, SnapshotRow, type ExtraColumns } from './snapshot-projection.js';
export {
  orderByPosition,
  SnapshotQueries,
  type ListElement,
  type SnapshotQuery,
} from './snapshot-queries.js';
export type { EntityClass } from './table-layout.js';
export const migrations = [Projection1700000000200, Builds1700000000210];
