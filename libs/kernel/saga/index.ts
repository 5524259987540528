import { Saga1700000000400 } from './migrations/1700000000400-saga.js';
import { Relays1700000002300 } from './migrations/1700000002300-relays.js';
import { SagaUpkeep1700000003400 } from './migrations/1700000003400-upkeep.js';
import { TaskWakes1700000003600 } from './migrations/1700000003600-task-wakes.js';
import { FairTasks1700000004010 } from './migrations/1700000004010-fair-tasks.js';
import { UnawaitedTasks1700000004042 } from './migrations/1700000004042-unawaited-tasks.js';
import { UnfinishedTasks1700000004080 } from './migrations/1700000004080-unfinished-tasks.js';
import { EventTimes1700000004110 } from './migrations/1700000004110-event-times.js';
import { FailureCodes1700000008130 } from './migrations/1700000008130-failure-codes.js';

export { addTasks } from './add-tasks.js';
export { taskIdOf } from './stored-tasks.js';
export { requestRecurringTasks, type RecurringTask } from './recurring-tasks.js';
export {
  ProcessManager,
  reactByEventType,
  type Task,
  type TaskHandlers,
  type TaskRequest,
  type TaskResult,
} from './process-manager.js';
export { observeBacklog } from './metrics.js';
export { loadRelayPosition, type Relay } from './relay.js';
export { RelayRunner } from './relay-runner.js';
export { PausedQueueStore, type TaskQueue } from './paused-queue-store.js';
export { pruneTasks } from './prune-tasks.js';
export { SagaRunner } from './saga-runner.js';
export { SandboxClockMover } from './sandbox-clock-mover.js';
export { TaskProgressReader, type FailedTasks } from './task-progress-reader.js';
export { TaskStore } from './task-store.js';
export { waitWhileRefused } from './wait-while-refused.js';
export const migrations = [
  Saga1700000000400,
  Relays1700000002300,
  SagaUpkeep1700000003400,
  TaskWakes1700000003600,
  FairTasks1700000004010,
  UnawaitedTasks1700000004042,
  UnfinishedTasks1700000004080,
  EventTimes1700000004110,
  FailureCodes1700000008130,
];
