export { chargedMetric } from './charged-metric.js';
export { createDatabase, createMigratedDatabase, createPool, type TestDatabase } from './database.js';
export { recordedEvents, startEventStore, type TestEventStore } from './event-store.js';
export { startStorage, type TestStorage } from './test-storage.js';
export { commandContext } from './command-context.js';
export { isEmbedded } from './store-process.js';
export { describeOfNode, itOfNode } from './of-node.js';
export { clientOf, sendText, startSystem, type Client, type System, type TestWorkspace } from './system.js';
export { cutConnections } from './cut-connections.js';
export { Gate } from './gate.js';
export {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  freezeClock,
  perUnit,
  settle,
  subscribe,
  tiered,
  use,
  type TestPrice,
} from './plans.js';
export { ledgerBalances } from './ledger-balances.js';
export { withSecondApi } from './second-api.js';
export { requestsOf } from './requests.js';
export { workspacePerTest } from './workspace-per-test.js';
export { operationsOf, withNeededQuery, type Operation } from './api-operations.js';
export type { Ids } from './test-endpoints.js';
export { unique, validBodies } from './per-worker/endpoint-tables.ts';
export { createOneOfEverything } from './one-of-everything.js';
