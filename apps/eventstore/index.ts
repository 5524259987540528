export { startEventStoreNode, type EventStoreNode, type EventStoreNodeOptions } from './node.js';
export { isKnownLogMigration, migrateLog } from './log/migrations/index.js';
export { WriterRightLost, LogInUse } from './log/errors.js';
