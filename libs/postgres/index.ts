export { AdvisoryLocks, LockBusy, type AdvisoryLocksOptions } from './advisory-locks.js';
export * from './data-source.js';
export * from './instant-column.js';
export * from './listener.js';
export * from './postgres.module.js';
export * from './transaction.js';
export { isTransient } from './transient.js';
export { columnTypes } from './types.js';
export { databaseUnavailable } from './unavailable.js';
