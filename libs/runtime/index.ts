export { runProcess, type RunningService } from './run-process.js';
export { NestLogger } from './nest-logger.js';
export { whenParentIsGone } from './parent-process.js';
