export { runProcess, type RunningService } from './run-process.js';
