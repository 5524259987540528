export { GoLive, type GoLiveResult } from './commands/go-live.js';
export { GO_LIVE_CHECKS, GO_LIVE_STATUSES, type GoLiveCheck } from './checks.js';
export { GoLiveModule } from './go-live.module.js';
