import { Vault1700000000100 } from './migrations/1700000000100-vault.js';

export * from './aggregate-store.js';
export * from './codec.js';
export * from './context.js';
export * from './event-feed.js';
export * from './event-store.module.js';
export { openKeyConnections } from './key-connections.js';
export { ERASED } from '#libs/kernel/domain';
export { PersonalDataVault, noPersonalDataKeys, type PersonalDataKeySource } from './personal-data.js';
export { withStreamCache } from './seen-streams.js';
export { closeClient, openClient } from './shared-client.js';
export { SnapshotUpdater, type Snapshot } from './snapshot-updater.js';
export { StreamReader } from './stream-reader.js';
export { toEventStoreUnavailable } from './unavailable.js';
export { LogLagReader, type Lag } from './log-lag-reader.js';
export { traceWorkOn } from './trace-work.js';
export { recordWrite, trackWrites, type WriteTracker } from './write-tracker.js';
export const migrations = [Vault1700000000100];
