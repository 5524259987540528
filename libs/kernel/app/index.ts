export { BackgroundWorker } from './background-worker.js';
export { BackgroundWorkersModule } from './background-workers.module.js';
export { SETTINGS, SettingsModule } from './settings.module.js';
export { WaitingItemsWorker, type ItemFailure, type WaitingPart } from './waiting-items-worker.js';
