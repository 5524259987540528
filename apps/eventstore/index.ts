export { startEventStoreNode, type EventStoreNode, type EventStoreNodeOptions } from './node.js';
export { FenceLost, LogInUse } from './log/errors.js';
