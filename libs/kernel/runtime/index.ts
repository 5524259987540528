export { EXITING_MESSAGE, exitProcess } from './exit-process.js';
export { logListening, readListening, type ListeningPorts } from './log-listening.js';
export { BEGIN_MESSAGE } from './start-signal.js';
export { runProcess, type RunningService } from './run-process.js';
export {
  CHECK_TIMEOUT_MILLIS,
  CheckFailed,
  runChecks,
  unavailableReport,
  type CheckResult,
  type ReadinessChecks,
  type ReadyReport,
} from './checks.js';
export { storageCheck } from './storage-check.js';
export { NestLogger } from './nest-logger.js';
export { onParentExit } from './parent-process.js';
export {
  RESTORE_UNFINISHED_MESSAGE,
  isRestoreUnfinished,
  requireFinishedRestore,
  UNFINISHED_RESTORE_SCHEMA,
} from './unfinished-restore.js';
